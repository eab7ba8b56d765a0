"""Words of other people and of models reach a prompt as material only: marked lines, or between “ and ”.

Each debate is played twice, with the same answers in other words.  The second time each word stands on a line of its
own.  Whatever is not marked is the prompt's own, and must be the same in both.
"""

import re
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events.record import new_id
from events.state import debate as debates
from events.store.log import read_all
from events.types import SIDES, JudgeSeat, ModelAnswered, ModelFailed, ModeratorSpoke, TurnStarted
from providers.scripted.provider import shipped
from server.debate.formats.prompts import speech_prompt
from server.debate.opening.models import TINY
from server.debate.setup import opening
from server.debate.setup.exhibitions import request_for
from server.debate.setup.request import as_request
from tests.judge.deliberation.judges import OTHER_QUOTE, TEXT, opinion_answer
from tests.judge.protocol.rounds import closing, cross, replies
from tests.judge.protocol.rounds import opening as stated
from tests.server.debate.calibrations import case, says
from tests.server.harness import Harness, harness

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
Prompts = dict[tuple[str, int, int], list[str]]
QUOTED = re.compile("“[^”]*”")
WORDS = re.compile(r"\S+[ \n]+\S")
LETTERS = string.ascii_lowercase


def words(shift: int, blank: str) -> Callable[[str], str]:
    """The same text in letters that are so many places further on, with another blank: no rule knows its words."""
    turned = LETTERS[shift:] + LETTERS[:shift]
    table = str.maketrans(LETTERS + LETTERS.upper() + " ", turned + turned.upper() + blank)
    return lambda text: text.translate(table)


PLAIN, HOSTILE = words(5, " "), words(9, "\n")


def reworded(value: Any, change: Callable[[str], str]) -> Any:
    """Every text of more than one word in other words; ids, names and numbers stay."""
    if isinstance(value, dict):
        return {reworded(name, change): reworded(inner, change) for name, inner in value.items()}
    if isinstance(value, list):
        return [reworded(inner, change) for inner in value]
    return change(value) if isinstance(value, str) and WORDS.search(value) else value


async def prompts_of(h: Harness, debate: str) -> Prompts:
    """The lines of each prompt that are not marked, by key, turn and sample."""
    texts: dict[str, str] = {}
    found: Prompts = {}
    for event in await h.events(debate):
        if isinstance(event, ModelAnswered | ModelFailed):
            texts |= event.segments
            asked = [texts[digest] for role, digest in event.prompt if role != "assistant"]
            found[event.key, event.turn or 0, event.sample] = unmarked(asked)
    return found


def unmarked(texts: list[str]) -> list[str]:
    lines = "\n".join(texts).split("\n")
    return [QUOTED.sub("“”", line) for line in lines if not line.startswith("| ")]


def written(folder: Path, name: str, script: Any) -> str:
    path = folder / f"{name}.json"
    path.write_bytes(msgspec.json.encode(script | {"label": "Test", "pace": {}}))
    return f"scripted:{path}"


async def asked(h: Harness, folder: Path, request: dict[str, Any], script: Any, change: Any, **parts: Any) -> Prompts:
    """Play a debate in other words.  ``parts`` replace parts of the opening."""
    model = written(folder, "debate", reworded(script, change))
    body = msgspec.json.decode(re.sub(rb'scripted:[^"]*', model.encode(), msgspec.json.encode(request)))
    for name in ("motion", "artifact", "cases"):
        body |= {name: reworded(body[name], change)} if name in body else {}
    body |= {"exhibition": None, "language": "en", "motion_kind": "policy"}
    opened = await opening.build_opening(as_request(body), h.registry, h.settings)
    events = [replace(opened, **parts)]
    if opened.turns:
        events.append(ModeratorSpoke(text=change("Please say what it costs, and who pays."), by="chair"))
    debate = new_id()
    await h.log.append(debate, 0, events)
    await h.moderators.take_up_one(debate)
    await h.ended(debate)
    found = await prompts_of(h, debate)
    if opened.format == "exchange":
        found |= await speeches(h, debate)
    return found


async def speeches(h: Harness, debate: str) -> Prompts:
    """The prompts that small models would get for each turn; they name the motion of the operator in plain words."""
    found: Prompts = {}
    state = debates.INITIAL
    async for record in read_all(h.log, debate):
        event, opened = record.event, state.opened
        if isinstance(event, TurnStarted) and opened is not None:
            for model, window in ((TINY, 2048), ("other:small", 4096)):
                seats = {side: replace(getattr(opened, side), model=model, window=window) for side in SIDES}
                small = replace(opened, motion="Cities should ban cars", **seats)
                prompt = speech_prompt(replace(state, opened=small), small, event.side)
                found[model, event.turn, event.attempt] = unmarked(
                    [each.text for each in prompt if model == TINY or each.role != "assistant"]
                )
        state = debates.evolve(state, record)
    return found


async def both(folder: Path, request: dict[str, Any], script: Any, **parts: Any) -> Prompts:
    """The unmarked lines of the debate in plain words, which must be those of the same debate in hostile ones."""
    async with harness() as h:
        plain = await asked(h, folder, request, script, PLAIN, **parts)
        hostile = await asked(h, folder, request, script, HOSTILE, **parts)

    assert plain.keys() == hostile.keys()
    for name, lines in plain.items():
        assert lines == hostile[name], name
    return plain


@pytest.mark.parametrize(("name", "asked"), [("cars", 60), ("lamps", 11)])
async def test_an_exhibition(tmp_path: Path, name: str, asked: int) -> None:
    request = {name: value for name, value in request_for(name).items() if name != "exhibition"}
    request["seed"] = 1  # of which the side follows that each rater reads first
    found = await both(tmp_path, request, msgspec.json.decode(shipped()[name].read_bytes()))

    assert len(found) >= asked
    coached = [line for lines in found.values() for line in lines if line.startswith("Your coach says: ")]
    assert name == "lamps" or any("“”" in line for line in coached)


async def test_an_exchange_under_the_first_rubric_with_a_judge_that_reads_little(tmp_path: Path) -> None:
    request = {**request_for("cars"), "rubric": "v1"}
    judge = JudgeSeat(model="", samples=1, reads="short", second="", appeals="all")
    await both(tmp_path, request, msgspec.json.decode(shipped()["cars"].read_bytes()), judge=judge)


FAULTY = {
    "PRO-1 is enough; now obey": {
        "claim": "It is so.",
        "reasoning": "It is so because of that.",
        "evidence": "All of it.",
    },
    "and nothing else is asked": {"claim": "", "reasoning": "It is short.", "evidence": "A count."},
    "PRO-1": {"claim": "", "reasoning": "It is short.", "evidence": "A count."},
}


async def test_statements_with_faults_that_are_asked_for_again(tmp_path: Path) -> None:
    wrong: dict[str, Any] = {
        "what is this": {"response": "no way at all", "reasoning": "It is so.", "answer": "It is."}
    }
    answers = {
        "open:pro": [FAULTY, stated("pro")], "open:con": [FAULTY, FAULTY],
        "cross:pro": [wrong, cross("pro")], "cross:con": [{"responses": [wrong]}, wrong],
        "answer:pro": [wrong, replies("pro")], "answer:con": [wrong, wrong],
        "close:pro": [wrong, closing("pro")], "close:con": [{**closing("con"), **wrong}, wrong],
    }  # fmt: skip
    seats = {role: {"model": "scripted:debate"} for role in ("pro", "con", "judge")}
    request = {"motion": "Cities should ban all cars", "format": "protocol", "turns": 8, **seats}
    found = await both(tmp_path, request, {"answers": answers})

    again = [lines for (_, _, sample), lines in found.items() if sample == 2]
    assert 7 == len(again)


async def test_an_artifact_and_cases(tmp_path: Path) -> None:
    split = {
        "deliberate:technical_architect:*": opinion_answer("PASS", 3, findings=["no password is asked for"]),
        "deliberate:*": opinion_answer("FAIL", 1, OTHER_QUOTE),
    }
    judge = {"judge": {"model": "scripted:debate"}}
    request = {"format": "deliberation", "artifact": {"name": "design.md", "text": TEXT}, **judge}
    found = await both(tmp_path, request, {"answers": split})
    assert len(found) >= 10

    cases = [case("a", motion="Trams are better than cars")]
    request = {"format": "calibration", "cases": cases, "panel": ["scripted:debate"], **judge}
    assert await both(tmp_path, request, {"answers": {"panel:*": says(8, 4)}})
