"""``moot doctor``: the state of every provider, in a short time; and the settings of limits."""

import time
from pathlib import Path

import anyio
import anyio.from_thread
import httpx
import pytest

from providers.limits import DEFAULT_LIMITS, Limit
from server.cli.measure.doctor import DoctorReport, _judge_line, examine
from server.errors import BadField
from server.service import limited, running
from server.settings import Settings, load
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.running import VENDORS, running_vendors
from tests.server.children import Cli, said
from tests.server.harness import shipped_registry

pytestmark = pytest.mark.anyio
QUICKLY_S = 5
BASES = [each.base for each in VENDORS]
KEYS = {each.name: each.secret for each in VENDORS}
MEMORY = Settings(store="memory:")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without keys and addresses."""
    for name in (*BASES, *KEYS.values(), "GOOGLE_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)


async def examined() -> DoctorReport:
    """What the doctor finds, within ``QUICKLY_S``."""
    with anyio.fail_after(QUICKLY_S):
        return await examine(MEMORY, shipped_registry())


async def test_every_provider_is_listed_and_says_what_to_set(bare: None) -> None:
    report = await examined()
    hints = {each.provider: each.hint for each in report.findings}

    assert ["anthropic", "baseline", "embedded", "gemini", "ollama", "openai", "scripted"] == sorted(hints)
    for name in ("anthropic", "gemini", "openai"):
        assert KEYS[name] in hints[name]
    assert all(each.name and each.detail for each in report.findings)
    assert all(each.ok or each.hint for each in report.findings)
    assert ("embedded:smollm2", "baseline:lexical") == (report.default, report.default_judge)
    assert "understands nothing" in _judge_line(report)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["401", "silence"])
async def test_a_wrong_key_and_a_silent_vendor_are_reported_in_time(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    async with running_vendors(monkeypatch) as vendors:
        for vendor in vendors.values():
            vendor.faults.append(Fault(kind, times=99, of="listing"))
        findings = {each.provider: each for each in (await examined()).findings}

    for name in vendors:
        assert not findings[name].ok
        assert ("it went wrong" if kind == "401" else "no answer within 3.5 s") in findings[name].detail
    if kind == "401":
        assert all(KEYS[name] in findings[name].hint + findings[name].detail for name in vendors)


async def test_an_address_without_a_server_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_vendors(monkeypatch) as vendors:
        pass
    findings = {each.provider: each for each in (await examined()).findings}

    for name in vendors:
        assert "does not answer at" in findings[name].detail


async def test_a_malformed_key_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_vendors(monkeypatch, key="schlüssel-für-{}"):
        findings = {each.provider: each for each in (await examined()).findings}

    for name in ("anthropic", "gemini", "openai"):
        assert f"{KEYS[name]} contains characters that a key cannot have" == findings[name].detail


async def test_models_that_answer_are_ok_and_the_default_is_one_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_vendors(monkeypatch) as vendors:
        report = await examined()

    assert all(each.ok for each in report.findings if each.provider in vendors and each.provider == "ollama")
    assert report.default.startswith("ollama:")


def test_the_command_prints_json_in_time(moot: Cli) -> None:
    began = time.monotonic()
    lines = moot.json("doctor")

    assert all({"name", "ok", "detail", "hint"} <= line.keys() for line in lines)
    assert time.monotonic() - began < 2 * QUICKLY_S  # the machine may be busy with other tests


@pytest.mark.slow
def test_limits_are_shown_and_an_open_breaker_of_the_server_is(moot: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor asks the server that holds the store, because its own breakers are always closed."""
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(running_vendors(monkeypatch)) as vendors,
        moot.server(MOOT_ATTEMPTS="10", MOOT_LIMITS="ollama: concurrent=3") as (_, address),
    ):
        vendors["ollama"].faults.append(Fault("503", times=99))
        seat = {"model": "ollama:qwen3"}
        request = {"motion": "m", "pro": seat, "con": seat, "judge": seat}
        httpx.post(f"{address}/api/debates", json=request, trust_env=False).raise_for_status()
        until_open(address)
        (found,) = [each for each in moot.json("doctor") if each["provider"] == "ollama"][:1]
        shown = moot("doctor").stdout.decode()

    assert not found["ok"]
    assert "the server does not call it for" in found["detail"]
    assert 0 < found["load"]["rests_s"] <= 15
    assert 3 == found["load"]["limit"]["concurrent"]
    (line,) = [line for line in shown.splitlines() if line.startswith("ollama: 3 calls at once")]
    assert "not called for" in line


def until_open(address: str) -> None:
    deadline = time.monotonic() + 15
    while (
        'moot_provider_breaker_open{provider="ollama"} 1.0' not in httpx.get(f"{address}/metrics", trust_env=False).text
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)  # another process makes the calls


def test_limits_are_added_to_the_default_ones() -> None:
    settings = load(
        {}, {"MOOT_LIMITS": "embedded: concurrent=2 calls_per_minute=50;  scripted: tokens_per_minute=9000"}
    )
    limits = {each.provider: each.limit for each in limited(settings).loads()}

    assert Limit(concurrent=2, calls_per_minute=50) == limits["embedded"]
    assert Limit(tokens_per_minute=9000) == limits["scripted"]
    assert DEFAULT_LIMITS["ollama"] == limits["ollama"]


def test_limits_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "moot.toml").write_text("[limits.embedded]\nconcurrent = 2\n[limits.ollama]\ntokens_per_minute = 5\n")

    settings = load({}, {}, tmp_path)

    assert {"embedded": Limit(concurrent=2), "ollama": Limit(tokens_per_minute=5)} == settings.limits


@pytest.mark.parametrize(
    ("line", "field", "why"),
    [
        ("embedded: concurrent=0", "limits.embedded.concurrent", "at least 1"),
        ("embedded: concurrent=few", "limits.embedded.concurrent", "a whole number, not text"),
        ("embedded: calls=3", "limits.embedded.calls", "no field `calls`"),
        ("embedded concurrent=3", "limits", "provider: concurrent=4"),
        ("embedded: concurrent", "limits", "provider: concurrent=4"),
        (": concurrent=3", "limits", "provider: concurrent=4"),
    ],
)
def test_a_limit_that_is_invalid_is_refused_by_name(line: str, field: str, why: str) -> None:
    with pytest.raises(BadField, match=why) as refused:
        load({}, {"MOOT_LIMITS": line})

    assert field == refused.value.field
    assert "MOOT_LIMITS" in refused.value.message


@pytest.mark.parametrize("text", ["limits = 3", "[limits]\nembedded = 3", "[limits.embedded]\nconcurrent = true"])
def test_a_limit_in_a_file_that_is_invalid_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "moot.toml").write_text(text)

    with pytest.raises(BadField) as refused:
        load({}, {}, tmp_path)

    assert refused.value.field.split(".")[0] == "limits"


async def test_a_limit_of_an_unknown_provider_is_refused(moot: Cli) -> None:
    settings = load({}, {"MOOT_STORE": "memory:", "MOOT_LIMITS": "embeded: concurrent=2"})

    with pytest.raises(BadField, match="no provider 'embeded' to limit; there are ") as refused:
        async with running(settings):
            raise AssertionError
    said(moot("doctor", MOOT_LIMITS="embeded: concurrent=2"), 2, "limits.embeded")

    assert "limits.embeded" == refused.value.field
