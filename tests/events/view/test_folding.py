"""Shortcuts of folding change no result: many events at once, and parts that an event does not change."""

from pathlib import Path
from typing import Any, Final

import pytest

from events.codec import CLASSES
from events.record import Recorded
from events.state import character, claims, exchanges, ledger, spine, transcript, usage, words
from events.state import debate as debates
from events.state.debate import Debate
from events.state.folds import audience, panel, protocol
from events.state.parts import citations, evidence
from events.state.parts.audience import MOVED_BY as AUDIENCE
from events.state.parts.panel import MOVED_BY as PANEL
from events.state.parts.rounds import MOVED_BY as PROTOCOL
from events.store import listing
from events.transfer import parse_lines
from events.types import AudienceVoted, BeliefStated, DebateOpened, Event, StanceStated
from events.view import view as views

GOLDEN: Final = sorted((Path(__file__).parent / "golden").glob("*.ndjson"))
PARTS: Final[dict[str, Any]] = {
    "audience": audience,
    "claims": claims,
    "evidence": evidence,
    "exchanges": exchanges,
    "ledger": ledger,
    "panel": panel,
    "protocol": protocol,
    "spine": spine,
    "characters": character,
    "citations": citations,
    "transcript": transcript,
    "usage": usage,
    "words": words,
}
IMPORTED_ONLY: Final = {
    "events.state.debate": {AudienceVoted, BeliefStated, StanceStated},  # left to the fold of the audience
    "events.state.folds.protocol": {DebateOpened},  # the type of a parameter
}


ELSEWHERE: Final = {"audience": AUDIENCE, "panel": PANEL, "protocol": PROTOCOL}
"""Beside the values of the part, since its fold is imported when the first of these events comes."""


def moved_by(name: str, module: Any) -> frozenset[type]:
    return ELSEWHERE.get(name) or module.MOVED_BY


def records_of(path: Path) -> list[Recorded]:
    return list(parse_lines(path.read_bytes().splitlines(keepends=True)))


def moved(name: str, before: Debate, after: Debate, record: Recorded) -> Any:
    """The part after the record by its own ``apply``, whatever its ``MOVED_BY``."""
    part = getattr(before, name)
    match name:
        case "exchanges":
            return exchanges.apply(part, after.ledger, record)
        case "protocol":
            return protocol.apply(part, after.opened, record, after.panel)
        case "words":
            return words.apply(part, before.transcript, record)
        case _:
            return PARTS[name].apply(part, record)


@pytest.mark.slow
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_folding_many_at_once_equals_folding_one_by_one(path: Path) -> None:
    records, one_by_one = records_of(path), [views.INITIAL]
    for record in records:
        one_by_one.append(views.apply(one_by_one[-1], record))
    for end in [*range(0, len(records), 7), len(records) - 1, len(records)]:
        for start in {0, end // 2, max(end - 1, 0), end}:
            assert one_by_one[end] == views.apply_all(one_by_one[start], records[start:end])


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_only_the_events_that_a_part_names_change_it(path: Path) -> None:
    before = debates.INITIAL
    for record in records_of(path):
        after = debates.evolve(before, record)
        for name, module in PARTS.items():
            if type(record.event) not in moved_by(name, module):
                assert getattr(before, name) is moved(name, before, after, record), (name, record.event)
        before = after


@pytest.mark.parametrize(("name", "module"), [*PARTS.items(), ("debate", debates), ("listing", listing)])
def test_a_part_names_the_events_that_its_module_imports(name: str, module: Any) -> None:
    imported = tuple(each for each in vars(module).values() if isinstance(each, type) and issubclass(each, Event))
    named = {cls for cls in CLASSES.values() if issubclass(cls, imported)}

    assert named - IMPORTED_ONLY.get(module.__name__, set()) == moved_by(name, module)
