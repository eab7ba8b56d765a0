"""``moot run``: a debate in the terminal, here or by the server that holds the store."""

from pathlib import Path
from typing import Any

import click
import msgspec

from judge.rubric import load_rubric
from server import observe
from server.cli.debate_runner import Resumption, run_debate
from server.cli.options import with_json, with_store, with_think
from server.cli.output import run_async, settings_of
from server.cli.seats import panel_request
from server.cli.transcript import DebatePrinter
from server.errors import BadField


@click.command()
@click.argument("motion", required=False)
@click.option("--turns", type=int, default=6, show_default=True)
@click.option("--pro", "pro_model", metavar="MODEL", help="Who speaks for the motion, as provider:model.")
@click.option("--con", "con_model", metavar="MODEL", help="Who speaks against it.")
@click.option("--judge", "judge_model", metavar="MODEL", help="Who judges.")
@click.option("--second", "second", metavar="MODEL", help="Another judge, for second opinions on suspect claims.")
@click.option(
    "--appeals",
    type=click.Choice(["none", "serious", "all"]),
    default="serious",
    show_default=True,
    help="Flags that get a second opinion by themselves.",
)
@click.option("--rubric", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Another rubric than v1.")
@click.option("--exhibition", metavar="NAME", help="Play a scripted debate that ships with Moot: moot exhibitions.")
@click.option("--samples", type=int, default=1, show_default=True, help="Times a question is asked; the median counts.")
@click.option("--pro-as", "pro_as", metavar="ARCHETYPE", default="engineer", show_default=True)
@click.option("--con-as", "con_as", metavar="ARCHETYPE", default="provocateur", show_default=True)
@click.option("--max-words", type=int, default=180, show_default=True, help="Words that a turn may have.")
@click.option("--format", "form", type=click.Choice(["exchange", "protocol"]), default="exchange", show_default=True)
@click.option(
    "--panel",
    "panel",
    metavar="MODEL,…",
    help="Seat a panel: one model sits on every seat, several take turns; a rater's name seats that one.",
)
@click.option(
    "--raters",
    "raters",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Other rater profiles than the four that ship.",
)
@click.option(
    "--topic-type",
    "topic_type",
    metavar="TYPE",
    help="What the motion is about, for the raters' weights; without it its words tell.",
)
@with_think("pro", "the debater for the motion is asked", "low")
@with_think("con", "the debater against it is asked", "low")
@with_think("judge", "the judge is asked", "medium")
@with_think("panel", "the panel's raters are asked", "medium")
@click.option("--max-cost", type=float, metavar="USD", help="Halt once this much has been spent.")
@click.option("--seed", type=int, help="For models that take one.")
@click.option("--blind", is_flag=True, help="Name no model to those who watch until the debate has concluded.")
@click.option("--resume", metavar="ID", help="Go on with a debate that was interrupted, paused or halted.")
@with_store
@with_json
@click.pass_context
def run(
    context: click.Context,
    /,
    motion: str | None,
    store: str | None,
    resume: str | None,
    *,
    as_json: bool,
    **wished: Any,
) -> None:
    r"""Hold a debate in the terminal.  Its id comes last, alone on its line.

    \b
      moot run "Cities should ban private cars from their centres" --turns 4
      moot run "Zoos should close" --pro ollama:qwen3 --con embedded:smollm2 --pro-as philosopher
      moot run "Should we move to microservices?" --format protocol --panel ollama:qwen3,embedded:smollm2
      moot run --exhibition juries
      moot run --resume ID
    """
    settings = settings_of(context, store=store)
    observe.configure_logging("error" if settings.log_level == "info" else settings.log_level)
    if sum(each is not None for each in (motion, resume, wished["exhibition"])) != 1:
        raise click.UsageError("give a motion, or --exhibition NAME, or --resume ID", context)
    body = None if resume is not None else _body(motion or "", wished)
    resumed = None if resume is None else Resumption(debate=resume, max_cost_usd=wished["max_cost"])
    run_async(lambda: run_debate(settings, body, resumed, DebatePrinter(as_json=as_json), as_json=as_json))


def _body(motion: str, wished: dict[str, Any]) -> dict[str, Any]:
    """The same body that a browser would post."""
    if wished["exhibition"] is not None:
        return {"exhibition": wished["exhibition"], "blind": wished["blind"]}
    body: dict[str, Any] = {
        "motion": motion,
        "turns": wished["turns"],
        "max_words": wished["max_words"],
        "format": wished["form"],
        "blind": wished["blind"],
        "pro": {"archetype": wished["pro_as"]},
        "con": {"archetype": wished["con_as"]},
        "judge": {"samples": wished["samples"], "appeals": wished["appeals"]},
    }
    for role in ("pro", "con", "judge"):
        if (model := wished[f"{role}_model"]) is not None:
            body[role]["model"] = model
        if (think := wished[f"{role}_think"]) is not None:
            body[role]["think"] = think
    if wished["second"] is not None:
        body["judge"]["second"] = wished["second"]
    if wished["rubric"] is not None:
        body["rubric"] = msgspec.to_builtins(load_rubric(wished["rubric"]))
    if (panel := _panel(wished)) is not None:
        body["panel"] = panel
    for name, option in (("topic_type", "topic_type"), ("seed", "seed"), ("max_cost_usd", "max_cost")):
        if wished[option] is not None:
            body[name] = wished[option]
    return body


def _panel(wished: dict[str, Any]) -> list[Any] | None:
    panel = panel_request(wished["panel"], wished["raters"], wished["samples"], wished["panel_think"])
    if panel is None and wished["panel_think"] is not None:
        raise BadField("panel_think", "nobody sits on a panel: name one with --panel")
    return panel
