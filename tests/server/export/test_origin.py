"""Every export of every kind of debate says of each speech and each judgement where its words come from."""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from typing import Any, Final

import anyio
import pyarrow.parquet as pq
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events import codec
from events.clock import Clock
from events.record import Draft, now, stamp
from events.store.memory import MemoryLog
from events.transfer import export, parse_lines
from events.types import Debater, Event
from events.types.opening import DebateOpened
from events.types.turns import TurnSpoken
from server.export.preview.picture import draw
from server.http.access import IMPORT
from server.http.exports import MEDIA_TYPES
from tests.docs.pages import ROOT
from tests.measuring.receipt_mutations import GOLDEN
from tests.server.debate.test_supplied import TOWN_HALL, body
from tests.server.site import Site, serving

MODELS: Final = ROOT / "tests/server/debate/logs"


def anns(event: Event) -> Event:
    """The event of a debate in which Ann, a person, speaks for Pro."""
    match event:
        case DebateOpened():
            ann = Debater(model="", archetype="", elasticity=0.0, speaker="Ann", time_s=300.0)
            return replace(event, pro=ann)
        case TurnSpoken(side="pro"):
            return replace(event, model="", by="person")
    return event


async def rewritten(lines: bytes, change: Callable[[Event], Event]) -> bytes:
    """A recorded log with other events, as another debate."""
    records = parse_lines(lines.splitlines(keepends=True))
    drafts = [Draft(event=change(each.event), cause=each.cause) for each in records]
    name = Clock().new_id()
    payloads = [codec.encode(each.event) for each in drafts]
    async with MemoryLog() as log:
        await log.adopt(stamp(name, 0, hashlib.sha256(name.encode()).digest(), drafts, now(), payloads))
        return b"".join([line async for line in export(log, name)])


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    yield from serving()


@pytest.fixture(scope="module")
def debates(site: Site) -> dict[str, str]:
    """By what kind they are, the ids of debates."""
    logs = {
        "script": (GOLDEN / "0.1-juries.ndjson").read_bytes(),
        "models": (MODELS / "free_transport_v2.ndjson").read_bytes(),
        "panel": (MODELS / "library_fines_v2.ndjson").read_bytes(),
        "deliberation": (MODELS / "loan_register_reasons.ndjson").read_bytes(),
        "person": anyio.run(rewritten, (MODELS / "under_sixteen_v2.ndjson").read_bytes(), anns),
    }
    found = {}
    for kind, log in logs.items():
        answer = site.client.post(IMPORT, content=log)
        assert answer.is_success, answer.text
        found[kind] = answer.json()["debate"]
    found["transcript"] = site.client.post("/api/debates", json=body(*TOWN_HALL)).json()["id"]
    site.ended(found["transcript"])
    return found


KINDS: Final = {
    "script": ({"script"}, {"script"}),
    "models": ({"model"}, {"model"}),
    "panel": ({"model"}, {"model"}),
    "deliberation": (set[str](), {"model"}),
    "person": ({"model", "person"}, {"model"}),
    "transcript": ({"transcript"}, {"baseline"}),
}
"""Of speeches and of judgements."""


def marks(page: str, view: Any) -> None:
    """The marks for machines in the head of a page."""
    assert f'<meta name="moot:origin" content="{view["mark"]["text"]}">' in page
    known = re.findall(r'content="http://cv\.iptc\.org/newscodes/digitalsourcetype/(\w+)">', page)
    assert [each for each in [view["mark"].get("source_type")] if each] == known
    named = re.findall(r'"schema:digitalSourceType" content="https://schema\.org/(\w+)DigitalSource">', page)
    assert [f"{each[0].upper()}{each[1:]}" for each in known] == named


def in_json(content: str, view: Any) -> None:
    assert view == json.loads(content)


def in_markdown(content: str, view: Any) -> None:
    plain = content.replace("\\", "")
    assert view["mark"]["text"] in plain
    told = [turn["origin"]["text"] for turn in view["turns"].values()]
    for text in set(told):
        assert told.count(text) <= plain.count(f"{text[0].upper()}{text[1:]}"), text
    for each in (view["mark"].get("judge"), *view["mark"].get("panel", {}).values()):
        assert each is None or each["text"] in plain


def in_html(content: str, view: Any) -> None:
    marks(content, view)
    held = re.findall(r'<script type="application/json" id="archive">(.*?)</script>', content, re.DOTALL)
    archive = json.loads(held[0])
    assert view["mark"] == archive["view"]["mark"]
    assert {n: each["origin"] for n, each in view["turns"].items()} == {
        n: each["origin"] for n, each in archive["view"]["turns"].items()
    }


def in_log(content: str, view: Any) -> None:
    events = [json.loads(line)["event"] for line in content.splitlines()]
    spoken = {str(each["turn"]): each for each in events if each["type"] == "turn_spoken"}
    sources = [each["source"] for each in events if each["type"] == "transcript_supplied"]
    for number, turn in view["turns"].items():
        origin = turn["origin"]
        said = {"script": "model"}.get(origin["kind"], origin["kind"])
        assert said == spoken[number].get("by", "model")
        assert ([origin["source"]] if origin["kind"] == "transcript" else []) == sources
        assert spoken[number]["model"] or origin["kind"] in {"person", "transcript"}


def in_rows(rows: list[dict[str, Any]], view: Any) -> None:
    said = {str(row["turn"]): (row["origin"], row["origin_by"] or None) for row in rows}
    assert said == {n: (each["origin"]["kind"], each["origin"].get("by")) for n, each in view["turns"].items()}


ROWS: Final[Mapping[str, Callable[[bytes], list[dict[str, Any]]]]] = {
    "csv": lambda content: list(csv.DictReader(io.StringIO(content.decode()))),
    "jsonl": lambda content: [json.loads(line) for line in content.splitlines()],
    "parquet": lambda content: pq.read_table(io.BytesIO(content)).to_pylist(),
}
READERS: Final = {"json": in_json, "md": in_markdown, "html": in_html, "ndjson": in_log}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_speech_and_judgement_has_its_origin_in_every_export(
    site: Site, debates: dict[str, str], kind: str
) -> None:
    debate = debates[kind]
    view = site.get(f"/api/debates/{debate}")
    mark, speeches, judgements = view["mark"], *KINDS[kind]
    raters = set(view["panel"].get("raters", {}))

    assert speeches == {turn["origin"]["kind"] for turn in view["turns"].values()}
    assert judgements == {each["kind"] for each in (mark.get("judge"), *mark.get("panel", {}).values()) if each}
    assert raters == set(mark.get("panel", {}))
    assert ("generated by language models" in mark["text"]) == ("model" in speeches | judgements)
    for name, read in ROWS.items():
        in_rows(read(site.client.get(f"/api/debates/{debate}/tables/turns.{name}").content), view)
    for name in MEDIA_TYPES.keys() - ROWS.keys():
        path = "events.ndjson" if name == "ndjson" else f"export.{name}"
        READERS[name](site.client.get(f"/api/debates/{debate}/{path}").text, view)
    marks(site.client.get(f"/d/{debate}").text, view)
    for number, turn in view["turns"].items():
        card = site.client.get(f"/d/{debate}/turns/{number}/card").text
        marks(card, view)
        assert turn["origin"]["text"] in unescape(card).lower() or turn["origin"]["text"][1:] in unescape(card)
    if view["format"] in {"exchange", "protocol"}:
        for form in ("html", "md"):
            report = site.client.get(f"/api/debates/{debate}/report?side=pro&as={form}").text
            assert mark["text"] in report.replace("\\", "")


def test_the_picture_shows_the_mark(site: Site, debates: dict[str, str]) -> None:
    view = site.client.portal.call(site.service.hub.view, debates["models"])  # type: ignore[attr-defined,union-attr]

    assert draw(view) != draw(replace(view, mark=UNSET))


def test_what_is_named_is_who_spoke(site: Site, debates: dict[str, str]) -> None:
    person, models = (site.get(f"/api/debates/{debates[kind]}") for kind in ("person", "models"))
    town_hall = site.get(f"/api/debates/{debates['transcript']}")

    assert "by Ann, a person" == person["turns"]["1"]["origin"]["text"]
    assert f"generated by the model {models['turns']['1']['model']}" == models["turns"]["1"]["origin"]["text"]
    assert "compositeWithTrainedAlgorithmicMedia" == person["mark"]["source_type"]
    assert "trainedAlgorithmicMedia" == models["mark"]["source_type"]
    assert "source_type" not in town_hall["turns"]["1"]["origin"]
    assert "Town hall, 3 May 2026" == town_hall["turns"]["1"]["origin"]["source"]
