"""Mutated logs, rubrics and bodies: each is refused with a message, or works; the server goes on in both cases."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from events.record import EventLine, chain, digest_before_first, digest_payload
from judge.rubrics.rubric import rubric_v1, rubric_v2
from tests.server.mutations import mutated, mutated_bytes
from tests.server.site import MOTION, Site, serving

TESTS = Path(__file__).parents[1]
LOGS = ("events/view/golden/0.1-juries.ndjson", "server/debate/logs/library_fines_v2.ndjson")
MANY = pytest.mark.parametrize(
    "number", [34, pytest.param(667, marks=[pytest.mark.thorough, pytest.mark.timeout(600)])]
)
READS = (
    "", "?at=1", "/events", "/frames", "/diff?from=1", "/export.json", "/export.md", "/export.html",
    "/events.ndjson", "/audit/turns/1", "/audit/turns/2",
)  # fmt: skip
SALT = bytes(16)


@pytest.fixture
def served() -> Iterator[Site]:
    yield from serving(opens_per_minute=10_000, votes_per_minute=10_000)


def answered(response: Any) -> int:
    """The status of an answer that is not an error of the server, in the one shape of errors."""
    assert response.status_code < 500, response.text
    if response.status_code >= 400:
        error = response.json()["error"]
        assert error["message"], response.text
        assert "\n" not in error["message"], response.text
    return int(response.status_code)


def goes_on(site: Site) -> None:
    for path in ("/api/debates?limit=200", "/api/judge", "/healthz", "/readyz", "/metrics"):
        assert 200 == site.client.get(path).status_code, path


def forged(lines: list[dict[str, Any]], debate: str, random: Random) -> bytes:
    """A log with faults, whose chain holds where it can: it verifies, and its content must be looked at."""
    changed = [dict(line) for line in lines]
    for _ in range(random.randint(1, 2)):
        at, other = random.randrange(len(changed)), random.randrange(len(changed))
        match random.randrange(8):
            case 0 if at:
                del changed[at]
            case 1:
                changed.insert(at, changed[other])
            case 2:
                changed[at], changed[other] = changed[other], changed[at]
            case 3:
                changed = changed[: max(at, 1)]
            case 4:
                faulty = random.choice((None, 1, -1, "", "..", "2026-99-01T00:00:00.000000Z", 10**15, 2))
                changed[at][random.choice(("at", "id", "cause", "schema"))] = faulty
            case _:
                changed[at]["event"] = mutated(changed[at]["event"], random, random.randint(1, 2))
    return b"".join(_chained(changed, debate))


def _chained(lines: list[dict[str, Any]], debate: str) -> Iterator[bytes]:
    digest = digest_before_first(debate)
    for position, line in enumerate(lines, 1):
        payload = msgspec.json.encode(line["event"])
        envelope = {name: line[name] for name in ("id", "at", "cause", "schema")}
        digest = chain(
            digest, debate=debate, position=position, payload_digest=digest_payload(SALT, payload), **envelope
        )
        yield (
            msgspec.json.encode(
                EventLine(
                    debate=debate,
                    position=position,
                    salt=SALT.hex(),
                    digest=digest.hex(),
                    event=msgspec.Raw(payload),
                    **envelope,
                )
            )
            + b"\n"
        )


@pytest.mark.slow
@MANY
def test_a_mutated_log_is_refused_or_can_be_read_in_every_form(served: Site, number: int) -> None:
    logs = [[msgspec.json.decode(line) for line in (TESTS / name).read_bytes().splitlines()] for name in LOGS]
    found = Counter[int]()
    for seed in range(number):
        random, debate = Random(seed), f"fuzz-{seed}"
        status = answered(served.client.post("/api/import", content=forged(random.choice(logs), debate, random)))
        found[status] += 1
        if status == 201:
            for path in READS:
                answered(served.client.get(f"/api/debates/{debate}{path}"))
            answered(served.client.post(f"/api/debates/{debate}/whatif", json={"rubric": {"tie_within": 3}}))

    assert {201, 422} == found.keys()
    goes_on(served)


@pytest.mark.slow
@MANY
def test_a_mutated_rubric_is_refused_with_its_field_or_opens_a_debate(served: Site, slow: str, number: int) -> None:
    rubrics = [msgspec.to_builtins(rubric) for rubric in (rubric_v1(), rubric_v2())]
    seats = {role: {"model": slow} for role in ("pro", "con", "judge")}
    found = Counter[int]()
    for seed in range(number):
        random = Random(seed)
        body = {"motion": MOTION, "rubric": mutated(random.choice(rubrics), random, random.randint(1, 3)), **seats}
        response = served.client.post(random.choice(("/api/estimate", "/api/debates")), json=body)
        found[answered(response)] += 1
        if response.status_code >= 400:
            assert str(response.json()["error"]["field"]).startswith("rubric"), response.text

    assert 422 in found
    assert found.keys() <= {200, 201, 422}
    goes_on(served)


@pytest.mark.slow
@MANY
def test_a_mutated_body_is_refused_or_does_what_it_says(served: Site, slow: str, number: int) -> None:
    debate = served.open(slow)
    seats = {role: {"model": slow} for role in ("pro", "con", "judge")}
    one = f"/api/debates/{debate}"
    whole = {"motion": MOTION, "turns": 2, "max_words": 50, "language": "en", "seed": 1, "blind": True, **seats}
    bodies: list[tuple[str, Any]] = [
        ("/api/debates", whole | {"panel": [{"model": slow, "name": "ada"}, slow], "topic_type": "economics"}),
        ("/api/debates", {"motion": MOTION, "format": "protocol", "turns": 8, "panel": [slow], **seats}),
        ("/api/debates", {"format": "deliberation", "artifact": {"name": "a", "text": "It is."}, **seats}),
        ("/api/debates", {"exhibition": "cars", "blind": False}),
        ("/api/debates", {"format": "calibration", "panel": [slow], "cases": [{"name": "a", "winner": "pro", "pro": ["x"], "con": ["y"]}], **seats}),  # noqa: E501
        ("/api/estimate", whole),
        ("/api/session", {"token": "s3cret-0123456789"}),
        (f"{one}/votes", {"winner": "pro"}),
        (f"{one}/votes", {"turn": 1, "belief": 50}),
        (f"{one}/say", {"text": "Please keep to the motion.", "by": "chair"}),
        (f"{one}/decision", {"decision": "pro", "reason": "It is better."}),
        (f"{one}/pause", {"reason": "lunch"}),
        (f"{one}/resume", {"reason": "lunch", "max_cost_usd": 2.5}),
        (f"{one}/whatif", {"rubric": {"tie_within": 3}, "without_rater": "ada"}),
    ]  # fmt: skip
    found = Counter[int]()
    for seed in range(number):
        random = Random(seed)
        path, body = random.choice(bodies)
        found[answered(served.client.post(path, content=mutated_bytes(body, random)))] += 1

    assert {400, 422} <= found.keys()
    goes_on(served)
