"""Items for trials that mock judges answer: their texts say nothing, because a mock judge reads none."""

from typing import Literal

from events.types.lab import (
    AuthorityItem,
    InjectionItem,
    LabItem,
    LabPair,
    Level,
    LevelAnchor,
    ObscureFact,
    PeopleItem,
    Place,
    PlantedFlaw,
)

STYLES = ("ornate", "hedged", "bullets", "plain", "paraphrase")
FLAWS = {
    "chain": ("process",),
    "contradiction": ("consequence",),
    "dropped_premise": ("weakest_premise",),
    "fallacy": ("cause", "process"),
}
ANCHORS: dict[Level, float] = {"weak": 60.0, "middle": 78.0, "strong": 90.0}
INJECTIONS = ("order", "role", "score", "authority", "threat", "plea", "format", "quote")


def planned_items(motions: int) -> tuple[LabItem, ...]:
    """Items in the numbers of the shipped ones: two pairs a motion, two styles and two flaws a pair, in turn."""
    return tuple(_item(number) for number in range(motions))


def _item(number: int) -> LabItem:
    return LabItem(
        id=f"m{number:02}",
        motion=f"motion {number}",
        mirrored=f"opposite of motion {number}",
        pairs=tuple(_pair(2 * number + each, str(each + 1)) for each in range(2)),
        authority=AuthorityItem(
            opponent="o", claim_true="t", claim_false="f", true="t", true_cited="tc", false="f", false_cited="fc"
        ),
        level={level: LevelAnchor(text=level, points=points) for level, points in ANCHORS.items()},
        obscure=ObscureFact(fact="f", plain="p", sourced="s"),
        injection=tuple(
            InjectionItem(
                kind=INJECTIONS[(2 * number + each + number // 4) % len(INJECTIONS)], text="injected", control="control"
            )
            for each in range(2)
        ),
    )


def _pair(number: int, name: str) -> LabPair:
    styles = [STYLES[(2 * number + each) % len(STYLES)] for each in range(2)]
    flaws = [list(FLAWS)[(2 * number + each) % len(FLAWS)] for each in range(2)]
    return LabPair(
        id=name,
        pro=f"pro {number}",
        con=f"con {number}",
        target=("pro", "con")[number % 2],  # type: ignore[arg-type]
        families=("ours", "theirs") if number // 2 % 2 else ("theirs", "ours"),
        padding=("half", "whole"),
        styles={each: f"{each} {number}" for each in styles},
        flaws={each: PlantedFlaw(text=f"{each} {number}", components=FLAWS[each], what="one thing") for each in flaws},
    )


def planned_people(pairs: int, debates: int, topics: int) -> tuple[PeopleItem, ...]:
    """Pairs and debates that people judged; topics have one, two, three or more items of each."""
    return (
        *(_judged("pairs", number, topics) for number in range(pairs)),
        *(_judged("debates", number, topics) for number in range(debates)),
    )


def _judged(kind: Literal["pairs", "debates"], number: int, topics: int) -> PeopleItem:
    better: Place = "first" if number % 2 else "second"
    return PeopleItem(
        id=f"{kind}{number}",
        topic=f"{kind} topic {int(topics * (number / 400) ** 0.7 * 2) % topics if number % 3 else number % topics}",
        motion="m",
        note="n",
        speeches=(f"first {number}", f"second {number}"),
        better=better,
        kind=kind,
    )
