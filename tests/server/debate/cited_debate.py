"""A debate with three documents: a true citation, one misquoted, one invented, and one that says the opposite.

``DOCUMENTS`` are the body's ``evidence``; ``SAYS`` and ``ANSWERS`` are those of a scripted model.
"""

from typing import Any, Final

MOTION: Final = "Public transport in cities should be free of charge"
DOCUMENTS: Final[list[dict[str, str]]] = [
    {
        "name": "ridership.txt",
        "text": (
            "In the first year after fares were abolished in Aldern, ridership on the city's buses rose by 12 percent. "
            "Most of the new trips replaced walking and cycling. Car traffic on the main roads did not fall by more "
            "than 2 percent in any month of that year."
        ),
    },
    {
        "name": "budget.md",
        "text": (
            "# Budget of the city of Aldern\n\nThe abolition of fares cost the city 8 million euros a year. The "
            "council paid from the parking levy, and the bus network was not reduced. The levy brought in 9 million "
            "euros in 2019."
        ),
    },
    {
        "name": "survey.txt",
        "text": (
            "A survey of 1,200 passengers in Aldern found that a bus every ten minutes mattered more to them than the "
            "price of a ticket. Among those with low incomes, 41 percent named the price first."
        ),
    },
]
TRUE: Final = 'The count in Aldern says that "ridership on the city\'s buses rose by 12 percent" [E1].'
MISQUOTED: Final = 'The same report says that "ridership on the city\'s buses rose by 2 percent" [E1].'
INVENTED: Final = "Trust in the council doubled once the fares were gone [E9]."
OPPOSITE: Final = "To pay for free fares the city had to cut its bus network down [E2]."
SAYS: Final[dict[str, list[str]]] = {
    "pro": [
        f"Free fares fill buses, because the price of a ticket keeps people away. {TRUE} So more people reach shops.",
        f"The levy carries the cost, so nobody pays twice. {INVENTED} That is why the step pays for itself.",
    ],
    "con": [
        f"You say that free fares fill buses. But the effect is small. {MISQUOTED} So the money is lost on few people.",
        f"However, the money has to come from somewhere. {OPPOSITE} So those without a car lose most.",
    ],
}
CUT: Final = "the bus network was not reduced"
ANSWERS: Final[dict[str, Any]] = {
    "evidence:1:*": {
        "relations": [
            {
                "number": 1,
                "relation": "supports",
                "quote": "ridership on the city's buses rose by 12 percent",
                "reason": "The passage gives the same figure for the same buses.",
            }
        ]
    },
    "evidence:2:forward": {
        "relations": [
            {"number": 1, "relation": "contradicts", "quote": "rose by 12 percent", "reason": "It says 12 percent."}
        ]
    },
    "evidence:2:backward": {
        "relations": [{"number": 1, "relation": "beside_the_point", "quote": "", "reason": "It says something else."}]
    },
    "evidence:3:*": {
        "relations": [
            {"number": 1, "relation": "beside_the_point", "quote": "", "reason": "The passage says nothing of trust."}
        ]
    },
    "evidence:4:*": {
        "relations": [
            {
                "number": 1,
                "relation": "contradicts",
                "quote": CUT,
                "reason": "The passage says that the network was not reduced.",
            }
        ]
    },
    "claims:1": {"claims": [{"quote": TRUE[:-1], "kind": "fabricated_citation", "reason": "No such count is known."}]},
    "claims:3": {
        "claims": [{"quote": INVENTED[:-1], "kind": "fabricated_citation", "reason": "No source measures this trust."}]
    },
}
