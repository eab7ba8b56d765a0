"""What is said of an argument of a protocol debate, in the raw events."""

from typing import Any

from events.types import (
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    FallacyFound,
    Missing,
    QuestionsAnswered,
)
from tests.server.export.reports.told_sentences import (
    BEST,
    POINTS,
    QUOTE,
    TURN,
    Check,
    CheckOfBoth,
    Told,
    in_respect_of,
    plain,
    shown,
)


def traced(told: Told) -> Any:
    return told.one(ArgumentTraced)


def argument(told: Told) -> bool:
    opened = told.one(ArgumentsOpened)
    return opened.turn == told.turn and any(
        each.id == told["name"] and plain(each.claim) == told["quote"] for each in opened.arguments
    )


def is_highest(told: Told) -> bool:
    criteria = told.opened.rubric.criteria
    return criteria is not None and int(told["of"]) == criteria.high


def below_best_argument(told: Told) -> bool:
    name = told["criterion"].replace(" ", "_")
    every = [each for each in told.cites(ArgumentTraced) if name in each.scores]
    top = max(each.scores[name] for each in every)
    mine = [top - each.scores[name] for each in every if each.argument.startswith(told.side.upper())]
    is_all = told.cites(ArgumentTraced) == told.all(ArgumentTraced)
    return is_all and is_highest(told) and float(told["best"]) == top and shown(sum(mine), told)


def asked(told: Told) -> bool:
    each = told.one(ArgumentCrossExamined)
    return (each.by, each.turn, each.target, plain(each.follow_up)) == (
        told.rival,
        told.turn,
        told["name"],
        told["quote"],
    )


CHECKS: dict[str, tuple[str, Check]] = {
    "no_totals": (
        "None of your arguments has a score\\.",
        lambda t: (
            bool(t.cites(ArgumentTraced)) and all(isinstance(each.total, Missing) for each in t.cites(ArgumentTraced))
        ),
    ),
    "argument": (f"(?P<name>\\S+) \\({TURN}\\): {QUOTE}", argument),
    "total": (
        "It has (?P<points>[\\d.]+) of (?P<of>\\d+) points\\.",
        lambda t: is_highest(t) and shown(traced(t).total, t),
    ),
    "stands": (
        "It is (?P<standing>.+)\\.",
        lambda t: (
            t["standing"].removesuffix(" in part") in {"upheld", "refuted", "uncertain"}
            and traced(t).standing.endswith(t["standing"].removesuffix(" in part").upper())
            and traced(t).standing.startswith("PARTIALLY") == t["standing"].endswith("in part")
        ),
    ),
    "asked": (f"(?P<rival>Pro|Con) asked about (?P<name>\\S+) in {TURN}: {QUOTE}", asked),
    "no_answer": ("No answer of yours to it is recorded\\.", lambda t: bool(t.cites(QuestionsAnswered, side=t.side))),
    "stayed_uncertain": ("The argument stayed uncertain\\.", lambda t: traced(t).standing == "UNCERTAIN"),
    "answered_uncertain": (
        "You answered, and the argument stayed uncertain\\.",
        lambda t: (
            traced(t).standing == "UNCERTAIN" and traced(t).argument in t.one(QuestionsAnswered, side=t.side).answers
        ),
    ),
    "no_reply": ("No reply of yours to it is recorded\\.", lambda t: bool(t.cited)),
    "replied": (
        f"(?P<rival>Pro|Con) (?P<response>.+) in {TURN}: {QUOTE}",
        lambda t: (
            (t.one(ArgumentCrossExamined).by, t.one(ArgumentCrossExamined).turn) == (t.rival, t.turn)
            and t["response"].startswith(
                {"partial": "accept"}.get(t.one(ArgumentCrossExamined).response, t.one(ArgumentCrossExamined).response)
            )
        ),
    ),
    "fallacy": (
        f"(?P<name>\\S+), (?P<fallacy>.+) in {TURN}: {QUOTE}",
        lambda t: (
            (t.one(FallacyFound).argument, t.one(FallacyFound).fallacy.replace("_", " "), t.one(FallacyFound).turn)
            == (t["name"], t["fallacy"], t.turn)
            and plain(t.one(FallacyFound).quote) == t["quote"]
        ),
    ),
    "below_best_argument": (
        BEST.format(what="(?P<criterion>.+)", best="argument")
        + f"\\d+ arguments? (?:is|are) {POINTS} below that(?:, added up)?\\.",
        below_best_argument,
    ),
    "lowest_argument": (
        f"(?P<name>\\S+) \\({TURN}\\) has (?P<points>[\\d.]+)\\.",
        lambda t: traced(t).argument == t["name"] and t.one(ArgumentsOpened).turn == t.turn,
    ),
    "no_total": (
        "(?P<name>\\S+) has no score: (?P<reason>.+)\\.",
        lambda t: traced(t).total.missing.reason == t["reason"],
    ),
    "no_standing": (
        "(?P<name>\\S+) has no standing: (?P<reason>.+)\\.",
        lambda t: traced(t).missing.reason == t["reason"],
    ),
}
ABOUT_THE_ONE_BEFORE: dict[str, CheckOfBoth] = {
    "lowest_argument": lambda told, _, text: shown(traced(told).scores[in_respect_of(text)], told),
    "no_answer": lambda told, before, _: before.target not in told.one(QuestionsAnswered).answers,
    "no_reply": lambda told, _, text: not told.all(ArgumentCrossExamined, by=told.side, target=text.split(" ")[0]),
}
