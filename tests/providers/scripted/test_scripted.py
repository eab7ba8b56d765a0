"""The script: its answers and faults, which do not depend on earlier calls."""

import os
import threading
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
import msgspec
import pytest
from msgspec import Meta, Struct

from providers import errors
from providers.base import Outcome, Request
from providers.errors import UnknownModel
from providers.scripted import provider as provider_module
from providers.scripted.provider import ScriptedProvider
from providers.scripted.script import MAX_BYTES, Script, load

pytestmark = pytest.mark.anyio


class Part(Struct):
    points: Annotated[int, Meta(ge=0, le=7)]
    quote: str


class Verdict(Struct):
    part: Part
    winner: Literal["earlier", "later", "draw"]
    pattern: Literal["coherence_collapse", "none"]
    side: Literal["pro", "con", "neither"]
    flagged: bool
    claims: list[str]
    note: str | None
    share: Annotated[float, Meta(ge=0, le=1)]
    named: Annotated[str, Meta(min_length=3)]
    first: Literal["a", "b"]


HALF = Verdict(
    part=Part(points=3, quote=""), winner="draw", pattern="none", side="neither", flagged=False, claims=[], note=None,
    share=0.0, named="---", first="a",
)  # fmt: skip


@pytest.fixture
def write(tmp_path: Path) -> Any:
    path = tmp_path / "debate.json"

    def save(**content: Any) -> str:
        path.write_bytes(msgspec.json.encode(content))
        return str(path)

    return save


async def speak(model: str, request: Request, provider: ScriptedProvider | None = None) -> tuple[list[str], Outcome]:
    async with (provider or ScriptedProvider()).stream(model, request) as stream:
        chunks = [chunk async for chunk in stream]
    return chunks, stream.outcome


async def text_of(model: str, request: Request) -> str:
    return "".join((await speak(model, request))[0])


async def answer(model: str, request: Request, type_: Any = Part) -> Any:
    return await ScriptedProvider().answer(model, request, type_)


@pytest.mark.parametrize(
    ("key", "turn", "text"),
    [
        ("speak:pro", 1, "p1"), ("speak:con", 2, "c1"), ("speak:pro", 3, "p2"), ("speak:con", 4, "c1"),
        ("speak:pro", 5, "p2"), ("speak:pro", 199, "p2"),
    ],
)  # fmt: skip
async def test_a_side_speaks_its_entries_in_order_and_repeats_the_last(
    write: Any, ask: Any, key: str, turn: int, text: str
) -> None:
    model = write(says={"pro": ["p1", "p2"], "con": ["c1"]})

    assert text == await text_of(model, ask(key, turn))


async def test_a_turn_does_not_depend_on_earlier_calls(write: Any, ask: Any) -> None:
    model = write(says={"pro": ["p1", "p2", "p3"]})
    provider = ScriptedProvider()

    chunks = [(await speak(model, ask(turn=turn), provider))[0] for turn in (5, 1, 3, 3, 1)]

    assert [["p3"], ["p1"], ["p2"], ["p2"], ["p1"]] == chunks


async def test_text_comes_in_chunks_that_join_to_the_whole(write: Any, ask: Any) -> None:
    text = "Ein Schäfer 🐑 schläft — 羊が一匹。" * 3
    model = write(says={"pro": [text]}, pace={"chunk_chars": 5}, cost_usd=0.25, label="Show")

    chunks, outcome = await speak(model, ask())

    assert text == "".join(chunks)
    assert {5} == {len(chunk) for chunk in chunks[:-1]}
    assert (0.25, "stop", model) == (outcome.cost_usd, outcome.finish, outcome.model)
    assert {"temperature": 0.0, "seed": 7, "max_tokens": 64} == outcome.parameters


async def test_the_pace_is_kept(write: Any, ask: Any) -> None:
    model = write(says={"pro": ["abcd"]}, pace={"chunk_ms": 20, "chunk_chars": 1, "answer_ms": 50})

    _, outcome = await speak(model, ask())
    answered = await answer(model, ask("score:1"))

    assert 80 <= outcome.latency_ms < 800
    assert 50 <= answered.outcome.latency_ms < 500


async def test_a_side_without_text_speaks_neutrally_and_is_marked(write: Any, ask: Any) -> None:
    chunks, outcome = await speak(write(says={"con": ["c"]}), ask())

    assert "nothing to say in turn 1" in "".join(chunks)
    assert outcome.parameters["neutral"] is True


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("refuse", errors.Refused), ("reset", errors.BrokenOff), ("empty", errors.Empty),
        ("bad_json", errors.Malformed), ("wrong_type", errors.WrongType), ("rate_limit", errors.RateLimited),
        ("overloaded", errors.Overloaded), ("auth", errors.NotAuthorised), ("context_length", errors.ContextExceeded),
        ("timeout", errors.TimedOut), ("drip", errors.TimedOut),
    ],
)  # fmt: skip
async def test_each_fault_raises_its_error_once_then_what_follows(write: Any, ask: Any, kind: str, error: Any) -> None:
    fault = {"kind": kind, "retry_after_s": 1.5}
    model = write(
        says={"pro": [{"text": "text", "fault": fault, "then": "then"}]},
        answers={"score:1": {"fault": fault, "then": {"points": 7, "quote": "q"}}},
    )
    waits = {"idle_timeout_s": 0.05} if kind in {"timeout", "drip"} else {}

    with pytest.raises(error) as spoken:
        await text_of(model, ask(**waits))
    with pytest.raises(error) as answered:
        await answer(model, ask("score:1", **waits))

    assert error is type(spoken.value) is type(answered.value)
    assert "then" == await text_of(model, ask(attempt=2))
    assert Part(7, "q") == (await answer(model, ask("score:1", attempt=2))).value
    if kind == "rate_limit":
        assert 1.5 == spoken.value.retry_after_s


async def test_an_unknown_home_folder_is_a_file_that_cannot_be_read() -> None:
    (status,) = await ScriptedProvider().check("~nobody-has-this-name/x.json")

    assert not status.ok
    assert "cannot be read" in status.detail


async def test_a_reset_comes_after_so_many_characters(write: Any, ask: Any) -> None:
    model = write(says={"pro": [{"text": "0123456789", "fault": {"kind": "reset", "after_chars": 7}}, "next"]})
    chunks: list[str] = []

    with pytest.raises(errors.BrokenOff) as broken:  # noqa: PT012 - the chunks before the break are asked too
        async with ScriptedProvider().stream(model, ask()) as stream:
            async for chunk in stream:
                chunks.append(chunk)  # noqa: PERF401 - what came before the break is what is asked

    assert ["0123456"] == chunks
    assert "0123456" == broken.value.raw
    assert "0123456789" == await text_of(model, ask(attempt=2))
    with pytest.raises(RuntimeError, match="has not ended"):
        _ = stream.outcome


async def test_a_fault_repeats_and_another_one_follows(write: Any, ask: Any) -> None:
    inner = {"text": "b", "fault": {"kind": "auth"}, "then": "c"}
    model = write(says={"pro": [{"text": "a", "fault": {"kind": "refuse", "times": 2}, "then": inner}]})

    for attempt, error in ((1, errors.Refused), (2, errors.Refused), (3, errors.NotAuthorised)):
        with pytest.raises(error):
            await text_of(model, ask(attempt=attempt))
    assert "c" == await text_of(model, ask(attempt=4))


@pytest.mark.slow
async def test_a_drip_never_reaches_the_idle_timeout_and_still_ends(write: Any, ask: Any) -> None:
    model = write(says={"pro": [{"text": "slowly", "fault": {"kind": "drip"}}]})
    chunks: list[str] = []

    with pytest.raises(errors.TimedOut), anyio.fail_after(5):  # noqa: PT012
        async with ScriptedProvider().stream(model, ask(idle_timeout_s=0.1)) as stream:
            async for chunk in stream:
                chunks.append(chunk)  # noqa: PERF401

    assert "slow".startswith("".join(chunks))
    assert len(chunks) >= 2


async def test_a_timeout_honours_the_idle_timeout(write: Any, ask: Any) -> None:
    model = write(says={"pro": [{"text": "x", "fault": {"kind": "timeout"}}]})
    began_at = anyio.current_time()

    with pytest.raises(errors.TimedOut):
        await text_of(model, ask(idle_timeout_s=0.1))

    assert 0.09 <= anyio.current_time() - began_at < 2


async def test_a_length_stop_is_on_cue(write: Any, ask: Any) -> None:
    _, outcome = await speak(write(says={"pro": [{"text": "cut", "finish": "length"}]}), ask())

    assert "length" == outcome.finish


@pytest.mark.parametrize(
    ("key", "attempt", "points"),
    [
        ("score:3", 1, 3), ("score:4", 1, 1), ("compare:3-2", 1, 4), ("compare:2-3", 1, 5),
        ("gaps:5", 1, 1), ("gaps:5", 2, 2), ("gaps:5", 3, 3), ("gaps:5", 9, 3), ("narrative", 1, 6),
    ],
)  # fmt: skip
async def test_answers_are_found_by_key_then_by_pattern_then_by_attempt(
    write: Any, ask: Any, key: str, attempt: int, points: int
) -> None:
    def part(points: int) -> dict[str, Any]:
        return {"points": points, "quote": ""}

    model = write(answers={
        "*": part(0), "score:*": part(1), "score:3": part(3), "compare:*": part(5), "compare:3-*": part(4),
        "gaps:5": [part(1), {"fault": {"kind": "bad_json"}, "then": part(0)}, part(3)], "narrative": part(6),
    })  # fmt: skip
    if (key, attempt) == ("gaps:5", 2):
        with pytest.raises(errors.Malformed):
            await answer(model, ask(key, attempt=attempt))
        return

    answered = await answer(model, ask(key, attempt=attempt))

    assert points == answered.value.points
    assert answered.value == msgspec.json.decode(answered.raw, type=Part)
    assert "neutral" not in answered.outcome.parameters


@pytest.mark.parametrize(("again", "points"), [({}, 3), ({"rescore:3": {"points": 5, "quote": ""}}, 5)])
async def test_a_second_reading_repeats_the_score_unless_the_file_has_one(
    write: Any, ask: Any, again: dict[str, Any], points: int
) -> None:
    model = write(answers={"score:3": {"points": 3, "quote": ""}, **again})

    answered = await answer(model, ask("rescore:3"))

    assert points == answered.value.points
    assert "neutral" not in answered.outcome.parameters


async def test_an_answer_left_out_is_neutral_and_marked(write: Any, ask: Any) -> None:
    answered = await answer(write(), ask("score:1"), Verdict)

    assert HALF == answered.value
    assert HALF == msgspec.json.decode(answered.raw, type=Verdict)
    assert answered.outcome.parameters["neutral"] is True


async def test_a_neutral_answer_keeps_the_bounds_of_its_type(write: Any, ask: Any) -> None:
    bounded = msgspec.defstruct("Bounded", [
        ("gap", Annotated[int, Meta(ge=-8, le=-1)]), ("rank", Annotated[int, Meta(gt=4, le=6)]), ("any", int),
        ("two", Annotated[list[Part], Meta(min_length=2)]), ("pair", tuple[int, str]), ("kept", dict[str, int]),
    ])  # fmt: skip

    value = (await answer(write(), ask("x"), bounded)).value

    assert (-1, 5, 0, 2, (0, ""), {}) == (value.gap, value.rank, value.any, len(value.two), value.pair, value.kept)


async def test_an_answer_that_does_not_fit_is_a_wrong_type(write: Any, ask: Any) -> None:
    model = write(answers={"score:1": {"points": 8, "quote": ""}})

    with pytest.raises(errors.WrongType, match=r"points") as wrong:
        await answer(model, ask("score:1"))

    assert '{"points":8,"quote":""}' == wrong.value.raw


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ('{"says":\n{"pro":\n oops}}', r"not JSON \(line 3\)"),
        ('{"says": {"pro": [3]}}', r"Expected `str \| object`.*\$\.says\[\.\.\.\]\[0\]"),
        ('{"says": {"pro": [{"text": "", "fault": {"kind": "sulk"}}]}}', "Invalid enum value 'sulk'"),
        ('{"says": {"pro": [{"txt": ""}]}}', "unknown field `txt`"),
        ('{"answers": {"score:1": [{"fault": {"kind": "sulk"}}]}}', r"sulk.*answers\['score:1'\]\[0\]\.fault"),
        ('{"pace": {"chunk_chars": 0}}', "chunk_chars"),
        (None, "cannot be read: No such file"),
    ],
)
async def test_a_bad_file_is_one_line_that_says_what_and_where(
    tmp_path: Path, ask: Any, content: str | None, complaint: str
) -> None:
    path = tmp_path / "bad.json"
    if content is not None:
        path.write_text(content)
    provider = ScriptedProvider()

    with pytest.raises(errors.UnknownModel, match=complaint) as bad:
        await text_of(str(path), ask())
    (status,) = await provider.check(str(path))

    assert "\n" not in bad.value.message
    assert (False, bad.value.message) == (status.ok, status.detail)
    assert "Scripted" == provider.caveat(str(path))


async def test_a_file_is_read_again_when_it_changes(write: Any, ask: Any) -> None:
    provider = ScriptedProvider()
    model = write(says={"pro": ["old"]}, label="Old")
    before = await speak(model, ask(), provider)
    os.utime(write(says={"pro": ["new"]}, label="New"), (1, 1))

    after = await speak(model, ask(), provider)

    assert (["old"], ["new"]) == (before[0], after[0])
    assert ("New", "Scripted: New") == (provider.label(model), provider.caveat(model))


async def test_check_names_the_file_and_its_label(write: Any) -> None:
    model = write(label="Show")

    (status,) = await ScriptedProvider().check(model)
    (unnamed,) = await ScriptedProvider().check()

    assert (f"scripted:{model}", True, "Scripted: Show") == (status.name, status.ok, status.caveat)
    assert not unnamed.ok
    assert "scripted:debate.json" in unnamed.hint


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/"])
async def test_only_a_regular_file_is_read(path: str) -> None:
    with pytest.raises(UnknownModel, match=r"it is not a regular file|Is a directory"):
        load(Path(path))


async def test_a_pipe_without_a_writer_does_not_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(UnknownModel, match="it is not a regular file"):
        load(tmp_path / "pipe")


async def test_a_file_beyond_the_bound_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "long.json").open("wb") as file:
        file.truncate(MAX_BYTES + 1)

    with pytest.raises(UnknownModel, match="it has more than 16 MiB"):
        load(tmp_path / "long.json")


async def test_a_file_is_read_in_a_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readers: list[threading.Thread] = []

    def noted(path: Path) -> Script:
        readers.append(threading.current_thread())
        return load(path)

    monkeypatch.setattr(provider_module, "load", noted)
    (tmp_path / "a.json").write_text("{}")

    assert (await ScriptedProvider().check(str(tmp_path / "a.json")))[0].ok
    assert len(readers) == 1
    assert readers[0] is not threading.main_thread()
