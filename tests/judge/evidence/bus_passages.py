"""A small pack of evidence about a city's buses."""

PASSAGES = {
    "E1": (
        "In the first year after fares were abolished, ridership on the city's buses rose by 12 percent. Most of the "
        "new trips replaced walking and cycling. Car traffic on the main roads fell by less than 2 percent."
    ),
    "E2": (
        "The council spent 8 million euros on the programme in 2019, paid from the parking levy. Drivers reported "
        "that buses were more crowded at noon than in the morning."
    ),
    "E3": "A survey of 1,200 passengers found that frequency mattered more to them than the price of a ticket.",
}
