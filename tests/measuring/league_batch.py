"""A league over a batch that is held: five debaters of known strength, two of them equal, over 40 motions.

``python -m tests.measuring.league_batch [--motions N] [--store FILE]`` holds the batch in one process and prints the
league of its tag.  A debater's words name it; the judges read who speaks, and score and compare by the strengths, with
what the motion gives to each debater and with noise in each answer.
"""

import random
import re
import time
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from copy import deepcopy
from importlib.metadata import EntryPoint
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

import anyio
import click
import msgspec

from events.store.listing import ALL
from events.store.log import follow
from events.store.open import opened_log
from providers.answers.neutral import neutral
from providers.answers.streaming import open_stream
from providers.base import Answer, ModelStatus, Outcome, Request, TextStream, Tokens
from providers.registry import Registry
from server.cli.output import run_async
from server.debate.setup.opening import opening_for
from server.debate.setup.request import as_request
from server.export.document.terminal import show
from server.league.document import LeagueShown, league_document
from server.league.store import LeagueAsked, league_shown, read_store
from tests.measuring.league import MOTIONS, STRENGTHS
from tests.server.harness import harness, is_end

TAG: Final = "planted"
JUDGES: Final = {"steady": 3.0, "hasty": 8.0}
"""Two judges, with the standard deviation of the noise in each of their answers, in points of 100."""
MOTION_SD: Final = 2.0
SLIGHT, CLEAR = 2.0, 8.0
"""Differences in points from which a comparison names a turn."""
LEVEL: Final = 60.0
SPREAD: Final = 4.0
"""Points of a turn for each point of strength."""
COST_USD: Final = 0.001
SPEAKER: Final = re.compile(r"Speaker (\w+) gives")
T = TypeVar("T")


def name_of(player: str) -> str:
    """The model of a player."""
    return player.replace(" ", "-")


class PlantedProvider:
    """``planted:first`` … speak, ``planted:steady`` and ``planted:hasty`` judge."""

    name = "planted"

    def stream(self, model: str, request: Request) -> AbstractAsyncContextManager[TextStream]:
        """A speech that says who speaks."""
        return open_stream(self._spoken(model, request), request)

    async def _spoken(self, model: str, request: Request) -> AsyncGenerator[str | Outcome]:
        said = f"Speaker {model.replace('-', '_')} gives reason {request.turn}, and the reason is plain to everybody."
        yield said
        await anyio.lowlevel.checkpoint()
        yield _outcome(model, len(said.split()))

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Scores and comparisons by the strengths of the speakers; a neutral answer to all else."""
        value, about = deepcopy(neutral(type_)), request.material  # equal parts of a neutral value are one object
        rng = random.Random(f"{model}/{request.debate}/{request.key}/{request.attempt}")
        if about is not None and about.about:
            texts = {each.name: each.text for each in about.speeches}
            merits = [_merit(texts[name], about.motion) + rng.gauss(0, JUDGES[model]) for name in about.about]
            if "components" in value:
                _score(value["components"], texts[about.about[0]], merits[0], rng)
            elif "logic" in value:
                value |= dict.fromkeys(("logic", "rhetoric", "tactics"), _choice(merits[0] - merits[1]))
        raw = msgspec.json.encode(value).decode()
        return Answer(value=msgspec.convert(value, type_), raw=raw, outcome=_outcome(model, len(raw.split())))

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """Every name answers."""
        return (ModelStatus(name=f"planted:{model}", provider=self.name, ok=True, detail="planted"),)

    def caveat(self, model: str) -> str:
        """No caveat."""
        return ""

    async def close(self) -> None:
        """Nothing is open."""


def _outcome(model: str, words: int) -> Outcome:
    return Outcome(model=model, tokens=Tokens(input=100, output=words), latency_ms=1, cost_usd=COST_USD)


def _merit(text: str, motion: str) -> float:
    """What a turn is worth: the strength of its speaker, and what the motion gives to this speaker."""
    found = SPEAKER.search(text)
    assert found is not None, "each speech says who speaks"
    player = found[1].replace("_", " ")
    return LEVEL + SPREAD * STRENGTHS[player] + random.Random(f"{motion}/{player}").gauss(0, MOTION_SD)


def _score(components: dict[str, Any], text: str, merit: float, rng: random.Random) -> None:
    """Points for each component, which together are near the merit; a neutral answer has half of the maximum."""
    for each in components.values():
        wanted = 2 * each["points"] * min(max(merit, 0.0), 100.0) / 100
        each["points"] = int(wanted + rng.random())
        if "quote" in each:
            each["quote"] = text


def _choice(difference: float) -> str:
    if abs(difference) < SLIGHT:
        return "draw"
    return f"{'first' if difference > 0 else 'second'}_{'clear' if abs(difference) >= CLEAR else 'slight'}"


async def held(store: str, motions: int) -> tuple[str, float]:
    """Hold the batch in a store; its id and the seconds it took."""
    began = time.monotonic()
    plan = {
        "name": TAG,
        "motions": [f"Motion number {number} should be accepted" for number in range(1, motions + 1)],
        "models": [f"planted:{name_of(each)}" for each in STRENGTHS],
        "judges": ["planted:steady"],
        "characters": [{"pro": "engineer", "con": "engineer"}],
        "at_once": {"planted": 24},
        "each": {"turns": 2, "max_cost_usd": 0.1, "language": "en"},
    }
    body = {"format": "batch", "max_cost_usd": 400.0, "batch": plan}
    registry = Registry([EntryPoint("planted", "tests.measuring.league_batch:PlantedProvider", "moot.providers")])
    async with opened_log(store) as log, harness(log, registry=registry) as h:
        made = await opening_for(log, as_request(body), h.registry, h.settings)
        batch = await h.moderators.open(made.opened, made.follows)
        async for record in follow(log, batch):
            if is_end(record):
                click.echo(f"batch {batch}: {record.event}", err=True)
                break
    return batch, time.monotonic() - began


async def league_in(store: str, judges: tuple[str, ...] = ()) -> LeagueShown:
    """The league over the tag of the batch."""
    asked = LeagueAsked(limits=msgspec.structs.replace(ALL, tag=TAG), judges=judges)
    async with opened_log(store, read_only=True) as log:
        rows, read = await read_store(log, asked, ALL)
    shown: LeagueShown = league_shown(rows, read, asked, set())
    return shown


@click.command()
@click.option("--motions", type=int, default=MOTIONS, show_default=True)
@click.option("--store", type=click.Path(path_type=Path), help="A new file; without it, one that is removed.")
def main(motions: int, store: Path | None) -> None:
    """Hold the batch and print its league."""
    with TemporaryDirectory(prefix="moot-league-") as folder:
        url = f"sqlite:{store or Path(folder) / 'league.db'}"
        _, seconds = run_async(lambda: held(url, motions))
        click.echo(f"held in {seconds:.0f} s", err=True)
        show(league_document(run_async(lambda: league_in(url))))


if __name__ == "__main__":
    main()
