"""The protocol's exhibitions as data: every answer fits its schema, and no answer is missing."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from judge.deliberation.questions import Again, opinion_type
from judge.deliberation.subject import DEBATE_VERDICTS, Subject
from judge.guard.quotes import find
from judge.panel.questions import panel_type
from judge.panel.raters import shipped as profiles
from judge.protocol.answers import answers_type
from judge.protocol.assess import assess_type
from judge.protocol.closings import closing_type
from judge.protocol.cross import cross_type
from judge.protocol.openings import opening_type
from judge.protocol.prompt import SPEAKER
from providers.answers.schema import schema
from providers.scripted.provider import shipped
from tests.judge.protocol.rounds import CRITERIA, KINDS, NAMES, RUBRIC, read_open
from tests.judge.protocol.rounds import RULES_2 as RULES

OWN = {"pro": NAMES[:3], "con": NAMES[3:]}
RATERS = tuple(profiles().raters)
PANELS = {"monolith": RATERS, "transit": RATERS, "lamps": ("risk", "general")}
STATEMENTS = {f"{kind}:{side}" for kind in KINDS for side in OWN}
LEFT_OUT = {"transit": {("risk", "PRO-2")}}
"""Missing scores: (rater, argument)."""
SUBJECT = Subject(
    verdicts=DEBATE_VERDICTS,
    low=CRITERIA.low,
    high=CRITERIA.high,
    texts=(),
    quote_minimum=RUBRIC.quote_minimum,
    dimensions={f"{side}.{name}": name for side in OWN for name in CRITERIA.dimensions},
    labels=SPEAKER | {f"{side}.{name}": f"{SPEAKER[side]}.{name}" for side in SPEAKER for name in CRITERIA.dimensions},
)
AGAIN = Again(titles={name: each.title for name, each in profiles().raters.items()})
names = pytest.mark.parametrize("name", list(PANELS))


def script(name: str) -> dict[str, Any]:
    return dict(msgspec.json.decode(shipped()[name].read_bytes()))


def answer(name: str, key: str) -> Any:
    """The final answer: the last one of a list."""
    given = script(name)["answers"][key]
    return given[-1] if isinstance(given, list) else given


def type_of(key: str) -> Any:
    """The type of the answer to a question."""
    purpose, _, about = key.partition(":")
    match purpose:
        case "open":
            return opening_type("pro" if about == "pro" else "con", RULES)
        case "cross":
            return cross_type(OWN["con" if about == "pro" else "pro"])
        case "answer":
            return answers_type(OWN[about], RULES)
        case "close":
            return closing_type(OWN[about], RULES)
        case "assess":
            return assess_type(NAMES, CRITERIA, RULES)
        case "panel":
            return panel_type(NAMES, CRITERIA)
        case _:
            return opinion_type(SUBJECT, lists=False, again=AGAIN)


def breaches(value: Any, form: dict[str, Any], where: str = "$") -> Iterator[str]:  # noqa: C901 - a case for each type
    """The paths at which a value does not fit a schema."""
    if "enum" in form:
        yield from [] if value in form["enum"] else [f"{where} is {value!r}"]
        return
    match form["type"], value:
        case "object", dict():
            yield from (f"{where}.{name} is missing" for name in form["required"] if name not in value)
            yield from (f"{where}.{name} is unknown" for name in value if name not in form["properties"])
            for name, inner in form["properties"].items():
                yield from breaches(value[name], inner, f"{where}.{name}") if name in value else ()
        case "array", list():
            if len(value) > form.get("maxItems", len(value)):
                yield f"{where} has {len(value)} items"
            for number, each in enumerate(value):
                yield from breaches(each, form["items"], f"{where}[{number}]")
        case "string", str():
            if not form.get("minLength", 0) <= len(value) <= form.get("maxLength", len(value)):
                yield f"{where} has {len(value)} characters"
        case ("integer", int()) | ("number", int() | float()):
            if not form["minimum"] <= value <= form["maximum"]:
                yield f"{where} is {value}"
        case _:
            yield f"{where} is no {form['type']}"


def said_by(name: str, side: str) -> str:
    """All texts of a side."""
    return "\n".join(texts(answer(name, f"{kind}:{side}")) for kind in KINDS)


def texts(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "\n".join(texts(each) for each in (value.values() if isinstance(value, dict) else value))


@names
def test_it_says_that_it_is_scripted_and_what_is_played(name: str) -> None:
    shown = script(name)["exhibition"]

    assert "scripted throughout" in script(name)["label"]
    assert ("protocol", 8, list(PANELS[name])) == (shown["format"], shown["turns"], shown["panel"])
    assert all(shown[part] for part in ("title", "motion", "pro", "con", "judge", "topic_type", "summary", "shows"))


@pytest.mark.parametrize(("name", "rounds"), [("monolith", 0), ("transit", 3), ("lamps", 0)])
def test_every_question_has_its_answer_and_no_answer_waits_for_a_question(name: str, rounds: int) -> None:
    asked = STATEMENTS | {"assess"} | {f"panel:{rater}" for rater in PANELS[name]}
    asked |= {f"deliberate:{rater}:{number}" for rater in RATERS for number in range(1, rounds + 1)}

    assert asked == script(name)["answers"].keys()


@names
def test_every_answer_keeps_the_form_that_models_are_held_to_but_for_what_is_left_out(name: str) -> None:
    found = {breach for key in script(name)["answers"] for breach in breaches(answer(name, key), schema(type_of(key)))}
    left_out = {
        f"$.{part}.{item} is missing"
        for _, item in LEFT_OUT.get(name, set())
        for part in ("scores", "standings", "notes")
    }

    assert left_out == found


def test_the_check_of_a_form_finds_what_breaks_it() -> None:
    form = schema(type_of("close:pro"))
    closing = {"concessions": ["x" * 151], "standing_arguments": ["CON-1"], "final_position": "short", "more": 1}

    assert {
        "$.concessions[0] has 151 characters",
        "$.shift_reason is missing",
        "$.shift is missing",
        "$.standing_arguments[0] is 'CON-1'",
        "$.final_position has 5 characters",
        "$.more is unknown",
    } == set(breaches(closing, form))


def test_one_opening_is_faulty_at_first() -> None:
    """Two arguments instead of three; the other statements have no faults."""
    both = script("transit")["answers"]["open:con"]

    assert ("there are 2 arguments, exactly 3 are wanted",) == read_open(both[0], "con", 2).faults
    assert () == read_open(both[1], "con", 2).faults
    assert ["open:con"] == [key for key, given in script("transit")["answers"].items() if isinstance(given, list)]


@names
def test_arguments_are_neither_thin_nor_long(name: str) -> None:
    words = {
        item: len(texts(argument).split()) for side in OWN for item, argument in answer(name, f"open:{side}").items()
    }

    assert set(NAMES) == words.keys()
    assert all(60 <= count <= 110 for count in words.values()), words
    assert all(len(texts(answer(name, f"close:{side}")).split()) < 200 for side in OWN)
    assert all(
        40 <= len(said["answer"].split()) <= 100 for side in OWN for said in answer(name, f"answer:{side}").values()
    )


@names
def test_nothing_is_said_twice(name: str) -> None:
    """Reasons, questions and notes: no text is used twice."""
    reasons = [each["reasoning"] for side in OWN for each in answer(name, f"open:{side}").values()]
    reasons += [
        each[part]
        for side in OWN
        for each in answer(name, f"cross:{side}").values()
        for part in ("reasoning", "follow_up")
    ]
    reasons += [each["answer"] for side in OWN for each in answer(name, f"answer:{side}").values()]
    reasons += [note for rater in PANELS[name] for note in answer(name, f"panel:{rater}")["notes"].values()]
    reasons += [answer(name, key)["rationale"] for key in script(name)["answers"] if key.startswith("deliberate")]

    assert len(reasons) == len(set(reasons))


@pytest.mark.parametrize("name", ["monolith", "transit"])
def test_the_fallacy_stands_in_the_argument_that_is_named(name: str) -> None:
    (found,) = answer(name, "assess")["fallacies"]
    side = found["argument"][:3].lower()

    assert found["quote"] in answer(name, f"open:{side}")[found["argument"]]["reasoning"]


def test_every_quote_in_the_deliberation_was_spoken() -> None:
    spoken = [said_by("transit", side) for side in OWN]
    quotes = [answer("transit", key)["quote"] for key in script("transit")["answers"] if key.startswith("deliberate")]

    assert 12 == len(quotes)
    assert all(any(find(quote, text, RUBRIC.quote_minimum) for text in spoken) for quote in quotes)
    assert all(3 <= len(quote.split()) <= 25 for quote in quotes)


@names
def test_no_figure_is_brought_in_after_the_openings(name: str) -> None:
    """Figures in places without room for a source; years and known prices do not count."""
    opened = figures([answer(name, f"open:{side}") for side in OWN])
    later = figures([answer(name, f"{kind}:{side}") for kind in ("cross", "answer", "close") for side in OWN])

    assert {"monolith": set[str](), "transit": {"365"}, "lamps": set[str]()}[name] == {
        each for each in later - opened if not re.fullmatch("20..", each)
    }


def figures(value: Any) -> set[str]:
    return set(re.findall(r"(?<!PRO-)(?<!CON-)\b\d[\d,.]*\b", texts(value)))
