"""Keys never appear: in no log line, event, error, page, metric, export, or output of the doctor.

The vendors repeat in every error the key that they were sent, as careless servers do.
"""

import io
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio.from_thread
import pytest

from providers.anthropic import AnthropicProvider
from providers.environment import redacted
from server import service
from server.cli.measure.doctor import examine
from server.debate.moderator import Moderator
from server.process import observe
from server.settings import Settings
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.running import Vendors, running_vendors
from tests.server.children import Cli
from tests.server.harness import shipped_registry
from tests.server.site import Site, serving

MARK = "mark-9f3c7e"
TOKEN = f"{MARK}-token"
OPERATOR = {"authorization": f"Bearer {TOKEN}"}
MODELS = {
    "anthropic": "claude-haiku-4-5",
    "gemini": "gemini-2.5-flash",
    "ollama": "qwen3:latest",
    "openai": "gpt-4.1",
}
FAULTS = ("401", "403", "429", "500", "400")
OUTAGE = "500"  # passes after a few calls; waiting for it would take a minute


@pytest.fixture
def vendors(monkeypatch: pytest.MonkeyPatch) -> Iterator[Vendors]:
    """The vendors in an event loop of their own."""
    monkeypatch.setenv("MOOT_TOKEN", TOKEN)
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(running_vendors(monkeypatch, key=MARK + "-{}")) as made,
    ):
        for vendor in made.values():
            vendor.echo = True
        yield made


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The log lines so far."""
    stream = io.StringIO()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        observe.configure_logging("debug", json_lines=True)
    return stream.getvalue


@pytest.fixture
def operated(monkeypatch: pytest.MonkeyPatch, vendors: Vendors) -> Iterator[Site]:
    monkeypatch.setattr(service, "Registry", shipped_registry)
    for site in serving(host="0.0.0.0", token=TOKEN, attempts=2):
        site.client.headers.update(OPERATOR)
        yield site


def read(site: Site, debate: str) -> dict[str, str]:
    """Everything that a director can read of a debate and of the server."""
    one = f"/api/debates/{debate}"
    events = site.get(f"{one}/events?limit=1000&director=1")["events"]
    calls = [each["event"]["call"] for each in events if each["event"]["type"] in {"model_answered", "model_failed"}]
    paths = [
        "/",
        f"/d/{debate}",
        "/api/debates",
        "/api/models",
        "/metrics",
        "/healthz",
        f"{one}?director=1",
        f"{one}/events?limit=1000&director=1",
        f"{one}/events.ndjson?director=1",
        f"{one}/frames?limit=1000&director=1",
        f"{one}/audit/turns/1",
        *(f"{one}/calls/{call}?director=1" for call in calls),
    ]
    return {path: site.client.get(path).text for path in paths}


def silent(texts: dict[str, str]) -> None:
    assert {} == {
        name: text[max(0, text.find(MARK) - 200) : text.find(MARK) + 40] for name, text in texts.items() if MARK in text
    }


@pytest.mark.slow
def test_debates_that_succeed_or_fail_show_no_key(
    operated: Site, vendors: Vendors, logged: Any, moot: Cli, tmp_path: Path
) -> None:
    texts: dict[str, str] = {}
    exports: dict[str, Path] = {}
    numbers = itertools.count()
    for place, (name, vendor) in enumerate(vendors.items()):
        for kind in ("", FAULTS[place], FAULTS[place + 1]):
            model = f"d{next(numbers)}"
            passes = kind in {"", OUTAGE}
            vendor.models[f"{model}:latest" if name == "ollama" else model] = vendor.models[MODELS[name]]
            if kind:
                vendor.faults.append(Fault(kind, model=model, times=3 if passes else 99))
            debate = operated.open(f"{name}:{model}", turns=1)
            end = operated.ended(debate)

            assert ("debate_concluded" if passes else "debate_halted") == end["type"]
            texts |= {f"{model} {path}": text for path, text in read(operated, debate).items()}
            export = tmp_path / f"{model}.ndjson"
            export.write_text(operated.client.get(f"/api/debates/{debate}/events.ndjson?director=1").text)
            exports[debate] = export
    texts["log"] = logged()
    for debate, export in exports.items():
        texts |= {f"{export.name} {each}": text for each, text in printed(moot, export, debate).items()}

    assert "turn_failed" in texts["log"]
    assert any("it went wrong …" in text for text in texts.values())  # the vendor repeated the key, and it was removed
    silent(texts)


def printed(moot: Cli, export: Path, debate: str) -> dict[str, str]:
    moot.here("import", str(export))
    commands = (
        ("show", debate),
        ("list",),
        ("verify", debate),
        ("audit", debate),
        *(("export", debate, "--as", form) for form in ("ndjson", "json", "md", "html")),
    )
    done = {" ".join(command): moot.here(*command) for command in commands}
    return {name: (each.stdout + each.stderr).decode() for name, each in done.items()}


def test_the_error_for_a_wrong_key_does_not_show_it(operated: Site, vendors: Vendors, logged: Any) -> None:
    texts: dict[str, str] = {}
    for name, vendor in vendors.items():
        vendor.faults.append(Fault("401", times=99, of="listing"))
        seat = {"model": f"{name}:d1"}
        response = operated.client.post("/api/debates", json={"motion": "m", "pro": seat, "con": seat, "judge": seat})

        assert response.status_code == 422
        assert "it went wrong" in response.text
        texts[name] = response.text
    texts["models"] = operated.client.get("/api/models").text
    texts["log"] = logged()

    assert texts["models"].count("it went wrong …") == len(vendors)
    silent(texts)


async def ask_doctor() -> str:
    return repr(await examine(Settings(store="memory:"), shipped_registry()))


def test_the_doctor_repeats_no_key(vendors: Vendors) -> None:
    for vendor in vendors.values():
        vendor.faults.append(Fault("401", times=99, of="listing"))

    texts = anyio.run(ask_doctor)

    assert "it went wrong …" in texts
    silent({"doctor": texts})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ((AnthropicProvider, "stream"), "anthropic sent something that Moot did not expect (RuntimeError)"),
        ((Moderator, "_seed"), "an error inside Moot (RuntimeError)"),
    ],
)
def test_the_log_of_a_bug_holds_no_key(
    operated: Site, vendors: Vendors, logged: Any, monkeypatch: pytest.MonkeyPatch, place: Any, reason: str
) -> None:
    """A bug of a provider fails its calls, a bug of Moot halts the debate; both have their tracebacks in the log."""

    def fail(*_: Any) -> Any:
        key = os.environ["ANTHROPIC_API_KEY"]
        raise RuntimeError(f"a bug with {key}")

    monkeypatch.setattr(*place, fail)
    debate = operated.open("anthropic:claude-haiku-5-5", turns=1)
    end = operated.ended(debate)
    log = logged()

    assert reason in end["reason"]
    assert "a bug with …" in log
    silent({"log": log} | read(operated, debate))


def test_ordinary_words_are_not_taken_for_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")

    assert "none of them" == redacted("none of them")
