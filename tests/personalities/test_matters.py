"""Directives of version 3: they name matter beside manner, hold for one turn, and end with a side's last turn.

The material are two debates that were answered by hand; their rules are applied again with the new directives.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from events.state.debate import Debate
from events.transfer import parse_lines
from events.types import DebateOpened, DirectiveIssued, PressureApplied, TurnStarted
from personalities.archetypes import archetype
from personalities.pressure import directive_in_force, shift, strengths
from personalities.prompt import debater_template
from personalities.traits import TRAITS
from server.whatif.replay import replay
from tests.judge.turns import spoken_turn
from tests.personalities.exchanges import fold, opened

LOGS = Path(__file__).parent.parent / "server" / "debate" / "logs"
QUOTE = re.compile("“([^”]+?)(?: …)?”")


@pytest.fixture(scope="module", params=["free_transport", "under_sixteen"])
def held(request: pytest.FixtureRequest) -> Debate:
    """A debate as it would be under the new directives."""

    def with_substance(before: DebateOpened) -> DebateOpened:
        return replace(before, prompts={**before.prompts, "debater": debater_template()})

    lines = (LOGS / f"{request.param}_v2.ndjson").read_bytes().splitlines(keepends=True)
    return replay(parse_lines(lines), with_substance).would_be


def test_directives_quote_what_was_said_or_recorded(held: Debate) -> None:
    said = " ".join(turn.text for turn in held.transcript.turns.values())
    said += " ".join(each.text for premise in held.spine.premises.values() for each in (premise, *premise.changes))
    said += " ".join(claim.reason for claim in held.claims.values())
    said += " ".join(entry.reason for entry in held.ledger.entries)
    known = " ".join(said.split()).translate(str.maketrans('“”„"', "‘’‘’"))
    quotes = [quote for each in held.characters.directives.values() for quote in QUOTE.findall(each.text)]

    assert len(quotes) >= 10
    assert [] == [quote for quote in quotes if quote not in known]


def test_directives_have_few_points_and_most_have_matter(held: Debate) -> None:
    texts = [each.text for each in held.characters.directives.values()]
    with_matter = [text for text in texts if QUOTE.search(text)]

    assert len(with_matter) >= 0.7 * len(texts)
    assert all(len(QUOTE.findall(text)) <= 7 for text in texts)
    assert not [text for text in texts if "facts that can be checked" in text or "Bring more facts" in text]


def test_no_directive_follows_a_sides_last_turn(held: Debate) -> None:
    last = {turn.side: turn.spoken for turn in held.transcript.turns.values()}

    assert [] == [at for at, each in held.characters.directives.items() if at > last[each.side]]


@pytest.mark.parametrize(("template", "holds"), [("debater", False), ("short", True)])
def test_a_directive_holds_until_the_side_has_spoken(template: Any, holds: bool) -> None:
    base = opened(prompts={"debater": debater_template(template)})
    issued = fold(Debate(), base, DirectiveIssued(side="pro", text="Mend that step."))
    spoken = fold(issued, TurnStarted(turn=1, side="pro", attempt=1, directive=2), spoken_turn(1, "It is so."))
    renewed = fold(spoken, DirectiveIssued(side="pro", text="Mend this step."))

    assert 2 == directive_in_force(issued, "pro")
    assert (2 if holds else None) == directive_in_force(spoken, "pro")
    assert renewed.position == directive_in_force(renewed, "pro")
    assert directive_in_force(renewed, "con") is None


@pytest.mark.parametrize("name", ["engineer", "philosopher", "strategist", "provocateur"])
def test_a_strength_is_not_lowered_by_one_lost_exchange(name: str) -> None:
    full = PressureApplied(side="pro", turn=1, cognitive=1, emotional=1, strategic=1, credibility=1)
    who = archetype(name)
    found = shift(who, who.traits, 1.0, full, strengths(who))
    freely = shift(who, who.traits, 1.0, full)

    assert found is not None
    assert freely is not None
    assert strengths(who)
    assert not [
        trait for trait in strengths(who) if trait in found.shifts and found.shifts[trait][1] < who.traits[trait]
    ]
    assert {trait: found.shifts[trait] for trait in TRAITS if trait in found.shifts}.items() <= freely.shifts.items()
