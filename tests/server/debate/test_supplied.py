"""A debate over a supplied transcript: its turns come from the transcript, and the whole live judge judges them."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.record import public_line
from events.store.log import read_all
from events.types import (
    DebateConcluded,
    DebateOpened,
    DirectiveIssued,
    ModeratorSpoke,
    PressureApplied,
    TraitsShifted,
    TranscriptSupplied,
    TurnsCompared,
    TurnScored,
    TurnSpoken,
)
from events.view import view as views
from events.view.view import TranscriptView
from providers.registry import BASELINE
from server.debate.commands import AddWord, Pause
from server.debate.setup import opening
from server.debate.setup.estimate import estimate
from server.debate.setup.rehearsal import rehearse
from server.debate.setup.request import as_request
from server.errors import BadField, NotNow
from server.export.debate.transcript import as_markdown
from server.export.wording import sources_of
from tests.server.harness import Harness, check_sound, harness

pytestmark = pytest.mark.anyio

PRO = "Bans on cars work because empty streets are safer. In Oslo deaths fell to one in a year after the change."
CON = "The numbers mislead, since the whole country became safer. Traders lose customers, so the city pays for it."


def entry(side: str, text: str, speaker: str = "") -> dict[str, Any]:
    return {"side": side, "text": text, "speaker": speaker}


def body(*entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A request for a debate over these entries, judged by the baseline."""
    return {
        "motion": "Cities should ban cars",
        "judge": {"model": BASELINE},
        "transcript": {"source": "Town hall, 3 May 2026", "licence": "CC BY 4.0", "kind": "text", "turns": entries},
        **more,
    }


TOWN_HALL = (
    entry("context", "Four minutes each.", "Chair"),
    entry("con", CON, "Ann"),
    entry("con", "And nobody asked the traders.", "Abe"),
    entry("pro", PRO, "Ben"),
    entry("context", "What of the elderly?", "a man in the third row"),
    entry("pro", "They get permits, because they need them.", "Ben"),
    entry("con", "Permits are lent and sold. So the ban leaks.", "Ann"),
    entry("context", "Thank you both."),
)


async def opened(h: Harness, said: dict[str, Any]) -> str:
    request = as_request(said)
    return await h.moderators.open(*await opening.opening_for(None, request, h.registry, h.settings))


def of(kind: type, events: list[Any]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


async def test_the_turns_of_a_transcript_are_judged_as_spoken_turns_are() -> None:
    async with harness() as h:
        debate = await opened(h, body(*TOWN_HALL))

        assert isinstance(await h.ended(debate), DebateConcluded)

        events = await h.events(debate)
        await check_sound(h.log, debate)
    spoken = of(TurnSpoken, events)
    assert ["con", "pro", "con"] == [turn.side for turn in spoken]
    assert f"{CON}\n\nAnd nobody asked the traders." == spoken[0].text
    assert {"transcript"} == {turn.by for turn in spoken}
    assert {""} == {turn.model for turn in spoken}
    assert [1, 2, 3] == [event.turn for event in of(TurnScored, events)]
    assert [(1, 2), (2, 3), (1, 3)] == [(each.earlier, each.later) for each in of(TurnsCompared, events)]
    assert all(event.missing is msgspec.UNSET for event in of(TurnScored, events))


async def test_the_second_event_is_the_transcript_with_its_digest() -> None:
    async with harness() as h:
        debate = await opened(h, body(*TOWN_HALL))
        await h.ended(debate)
        events = await h.events(debate)
    begun, supplied = events[0], events[1]

    assert isinstance(begun, DebateOpened)
    assert isinstance(supplied, TranscriptSupplied)
    assert (3, 0, "Ben", "Ann, Abe") == (begun.turns, begun.max_words, begun.pro.speaker, begun.con.speaker)
    assert {} == begun.archetypes
    assert not {"debater", "short", "begun"} & begun.prompts.keys()
    assert ("Town hall, 3 May 2026", "CC BY 4.0", "text") == (supplied.source, supplied.licence, supplied.kind)
    plain = [{key: each[key] for key in ("side", "speaker", "text")} for each in TOWN_HALL]
    canonical = msgspec.json.encode([dict(sorted(each.items())) for each in plain])
    assert hashlib.sha256(canonical).hexdigest() == supplied.digest


async def test_context_is_a_message_of_the_moderator_before_the_turn_that_follows() -> None:
    async with harness() as h:
        debate = await opened(h, body(*TOWN_HALL))
        await h.ended(debate)
        view = await h.view(debate)
    said = [(each["by"], each["text"], each["after_turn"]) for each in view["words"].values()]

    assert [
        ("Chair", "Four minutes each.", 0),
        ("a man in the third row", "What of the elderly?", 1),
        ("moderator", "Thank you both.", 3),
    ] == said


@pytest.mark.slow
async def test_a_panel_rates_the_turns_of_a_transcript(tmp_path: Path) -> None:
    script = tmp_path / "raters.json"
    script.write_bytes(msgspec.json.encode({"label": "Test"}))
    async with harness() as h:
        debate = await opened(h, body(*TOWN_HALL, panel=[f"scripted:{script}"]))
        end = await h.ended(debate)
        view = await h.view(debate)

    assert isinstance(end, DebateConcluded)
    assert 4 == len(view["panel"]["raters"])
    assert {"1", "2", "3"} <= set().union(*(each["scored"]["scores"] for each in view["panel"]["raters"].values()))


async def test_no_debater_is_pressed() -> None:
    async with harness() as h:
        debate = await opened(h, body(*TOWN_HALL))
        await h.ended(debate)
        events = await h.events(debate)

    assert [] == [event for event in events if isinstance(event, PressureApplied | TraitsShifted | DirectiveIssued)]


async def test_the_view_tells_source_and_speakers() -> None:
    async with harness() as h:
        debate = await opened(h, body(*TOWN_HALL))
        await h.ended(debate)
        view = await h.view(debate)

    assert "Town hall, 3 May 2026" == view["transcript"]["source"]
    assert "Ben" == view["pro"]["speaker"]
    assert "model" not in view["pro"]
    assert ["Ann, Abe", "Ben", "Ann"] == [turn["speaker"] for turn in view["turns"].values()]


async def test_a_blind_debate_hides_who_spoke_until_its_end() -> None:
    async with harness() as h:
        request = as_request(body(*TOWN_HALL, blind=True, max_cost_usd=1))
        debate = await h.moderators.open(*await opening.opening_for(None, request, h.registry, h.settings))
        await h.ended(debate)
        records = [record async for record in read_all(h.log, debate)]
    before, after = views.apply_all(views.INITIAL, records[:-1]), views.apply_all(views.INITIAL, records)
    lines = b"".join(public_line(record, blind=True).event for record in records[:-1])

    assert msgspec.UNSET is before.view.pro.speaker
    assert msgspec.UNSET is before.view.transcript.source
    assert {msgspec.UNSET} == {turn.speaker for turn in before.view.turns.values()}
    assert "Ben" == views.for_director(before).pro.speaker
    assert "Ben" == after.view.pro.speaker
    assert "Town hall, 3 May 2026" == after.view.transcript.source
    assert not any(word in lines for word in (b"Ben", b"Town hall", b"Abe"))


async def test_lists_name_the_speakers_and_the_source() -> None:
    async with harness() as h:
        debate = await opened(h, body(*TOWN_HALL))
        await h.ended(debate)
        (row,) = (await h.log.summaries(None, 10, "")).debates

    assert ("Ben", "Ann, Abe", "Town hall, 3 May 2026") == (row.pro, row.con, row.source)


async def test_the_moderator_says_nothing_to_a_transcript() -> None:
    async with harness() as h:
        debate = await opened(h, body(*TOWN_HALL))
        await h.moderators.act(debate, Pause("a break", "moderator"))

        with pytest.raises(NotNow, match="come from a transcript"):
            await h.moderators.act(debate, AddWord(ModeratorSpoke(text="Go on", by="moderator")))


@pytest.mark.slow
async def test_an_estimate_counts_the_judge_and_no_speech() -> None:
    said = body(*TOWN_HALL, judge={"model": "embedded:smollm2"})
    async with harness() as h:
        request = as_request(said)
        made, supplied = await opening.opening_for(None, request, h.registry, h.settings)
        longer = as_request(body(*(entry(e["side"], e["text"] * 20) for e in TOWN_HALL)))
        _, much = await opening.opening_for(None, longer, h.registry, h.settings)
    calls = rehearse(made, supplied)
    short = estimate(made, supplied=supplied)
    long = estimate(
        made,
        supplied=much,
    )

    assert {"embedded:smollm2"} == {each.model for each in calls}
    assert "speak" not in {each.purpose for each in calls}
    assert 3 == sum(each.purpose == "score" for each in calls)
    assert 6 == sum(each.purpose == "compare" for each in calls)
    assert long.input_tokens > 2 * short.input_tokens
    assert msgspec.UNSET is short.max_words


async def test_markdown_tells_that_nothing_was_spoken_live() -> None:
    async with harness() as h:
        debate = await opened(h, body(*TOWN_HALL))
        await h.ended(debate)
        text = as_markdown((await h.hub.view_at(debate, None)).view)

    assert "Transcript supplied: these words were said elsewhere, not in Moot. Source: Town hall, 3 May 2026." in text
    assert "Licence: CC BY 4.0." in text
    assert "## Turn 1 · ▼ Con · Ann, Abe" in text


def test_turns_of_another_debate_are_not_said_to_come_from_elsewhere() -> None:
    supplied = TranscriptView(source="debate d1 in Moot", licence="", kind="moot", digest="0" * 64, position=2)
    (text,) = sources_of(supplied, msgspec.UNSET)

    assert text.startswith("Judged again: these are the turns of another debate in Moot. Source: debate d1 in Moot. ")


async def test_the_language_is_that_of_the_transcript() -> None:
    german = "Die Stadt soll den Verkehr begrenzen, weil die Kinder auf leeren Straßen sicherer sind als heute."
    said = body(
        entry("pro", german), entry("con", "Das stimmt nicht, denn die Händler verlieren ihre Kunden und gehen.")
    )
    async with harness() as h:
        made = await opening.build_opening(as_request(said | {"motion": "Auto-Verbot"}), h.registry, h.settings)

    assert "de" == made.language


async def test_turns_that_the_judge_cannot_read_at_once_are_refused() -> None:
    long = entry("pro", "So it is, because the tram has a lane of its own. " * 700)
    async with harness() as h:
        said = body(long, entry("con", CON), judge={"model": "embedded:smollm2"})
        with pytest.raises(BadField, match=r"turns 1 and 2 have about 8,.* a judge with a larger window") as refused:
            await opened(h, said)
        fits = await opening.build_opening(as_request(said | {"judge": {"model": BASELINE}}), h.registry, h.settings)

    assert "transcript.turns" == refused.value.field
    assert 2 == fits.turns


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("transcript.turns", {"turns": [entry("pro", PRO)]}),
        ("transcript.turns.1.text", {"turns": [entry("pro", PRO), entry("con", " \x00 ")]}),
        ("transcript.turns.1.side", {"turns": [entry("pro", PRO), entry("judge", CON)]}),
        ("transcript.turns.0.speaker", {"turns": [entry("pro", PRO, "A" * 81), entry("con", CON)]}),
        ("transcript.source", {"source": "  "}),
        ("transcript.licence", {"licence": "x" * 201}),
        ("transcript.kind", {"kind": "rtf"}),
        ("transcript.turns", {"turns": [entry("pro" if n % 2 else "con", "So it is.") for n in range(201)]}),
    ],
)
async def test_a_transcript_that_is_no_debate_is_refused_with_its_field(field: str, change: dict[str, Any]) -> None:
    said = body(*TOWN_HALL)
    said["transcript"] = said["transcript"] | change

    async with harness() as h:
        with pytest.raises(BadField) as refused:
            await opening.build_opening(as_request(said), h.registry, h.settings)

    assert field == refused.value.field


@pytest.mark.parametrize(
    ("field", "more"),
    [
        ("format", {"format": "protocol", "turns": 8}),
        ("pro.model", {"pro": {"model": "embedded:smollm2"}}),
        ("max_words", {"max_words": 100}),
    ],
)
async def test_what_a_transcript_does_not_have_is_refused(field: str, more: dict[str, Any]) -> None:
    with pytest.raises(BadField) as refused:
        as_request(body(*TOWN_HALL, **more))

    assert field == refused.value.field
