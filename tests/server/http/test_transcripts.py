"""A preview of a transcript over HTTP, and the debate that is opened with it."""

import base64
import time
from typing import Any

import msgspec
import pytest

from server.http.body import MAX_TRANSCRIPT
from server.transcripts import child, files
from tests.server.site import Site, refused
from tests.server.transcripts import samples

PREVIEW = "/api/transcripts/preview"


def preview(site: Site, **body: Any) -> Any:
    response = site.client.post(PREVIEW, json=body)

    assert 200 == response.status_code, response.text
    return response.json()


@pytest.mark.slow
def test_text_base64_and_a_raw_body_give_the_same_split(site: Site) -> None:
    encoded = base64.b64encode(samples.WEBVTT.encode()).decode()
    found = preview(site, name="talk.vtt", text=samples.WEBVTT)

    assert found == preview(site, name="talk.vtt", base64=encoded)
    assert found == site.client.post(f"{PREVIEW}?name=talk.vtt", content=samples.WEBVTT.encode()).json()
    assert ("webvtt", 4, ["pro", "con", "pro", "con"]) == (
        found["kind"],
        found["turns"],
        [entry["side"] for entry in found["entries"]],
    )
    ann = {"name": "Ann Lee", "side": "pro", "is_open": False, "entries": 2, "words": 12, "guessed": True}
    assert ann == found["speakers"][0]


@pytest.mark.slow
def test_one_of_several_debates_is_chosen(site: Site) -> None:
    found = preview(site, name="nyu.jsonl", text=samples.NYU, debate="story-2")

    assert ("story-2", ["story-1", "story-2"]) == (found["chosen"], [each["id"] for each in found["debates"]])


@pytest.mark.slow
def test_a_preview_opens_nothing_and_its_split_opens_a_debate(site: Site) -> None:
    found = preview(site, name="talk.txt", text=samples.TEXT)
    assert [] == site.get("/api/debates")["debates"]

    turns = [{key: entry[key] for key in ("side", "speaker", "text")} for entry in found["entries"]]
    transcript = {"turns": turns, "source": "a hall", "licence": found["licence"], "kind": found["kind"]}
    body = {"motion": found["motion"], "judge": {"model": "baseline:lexical"}, "transcript": transcript}
    opened = site.client.post("/api/debates", json=body)
    assert 201 == opened.status_code, opened.text
    debate = opened.json()["id"]
    assert "debate_concluded" == site.ended(debate)["type"]
    view = site.get(f"/api/debates/{debate}")
    assert ["Ann Lee", "Ben"] == [view[side]["speaker"] for side in ("pro", "con")]


@pytest.mark.slow
def test_what_is_no_transcript_is_refused(site: Site) -> None:
    refused(site.client.post(PREVIEW, json={"text": "words"}), 422, None, "no speaker is named in the file")
    refused(site.client.post(PREVIEW, json={"name": "a"}), 422, "text", "give the file as text or as base64")
    refused(site.client.post(PREVIEW, json={"text": "a", "base64": "YQ=="}), 422, "text")
    refused(site.client.post(PREVIEW, json={"base64": "?"}), 400)
    refused(site.client.post(PREVIEW, json={"text": 3}), 400)
    refused(site.client.post(PREVIEW, content=b"{"), 400)
    refused(site.client.post(f"{PREVIEW}?name=a", content=b""), 422, None, "the file is empty")
    refused(site.client.post(f"{PREVIEW}?name=a", content=b"\xff\xfeA\0"), 422, None, "no words are in the file")


@pytest.mark.slow
def test_a_file_that_is_too_large_is_refused_and_the_largest_one_is_read(site: Site) -> None:
    line = samples.NYU.splitlines()[0].encode() + b"\n"
    large = line * (files.MAX_BYTES // len(line))
    begun = time.perf_counter()
    response = site.client.post(f"{PREVIEW}?name=a.jsonl", content=large)

    assert 200 == response.status_code, response.text
    assert time.perf_counter() - begun < 30
    refused(site.client.post(f"{PREVIEW}?name=a.jsonl", content=large + line), 413, None, "at most 50 MiB")
    refused(site.client.post(PREVIEW, content=bytes(MAX_TRANSCRIPT + 1)), 413)


@pytest.mark.slow
def test_a_file_that_takes_too_much_memory_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pair of brackets takes 2 bytes of the file and 56 bytes of memory or more."""
    monkeypatch.setattr(child, "BOUNDS", msgspec.structs.replace(child.BOUNDS, memory=200 << 20))
    many = b"[" + b"[]," * 3_000_000 + b"[]]"
    refused(site.client.post(f"{PREVIEW}?name=a.json", content=many), 422, None, "takes more than 200 MiB of memory")
    assert 200 == site.client.get("/healthz").status_code
