"""``moot run``: a debate in the terminal, run here or by the server that holds the store."""

from pathlib import Path
from typing import Any

import click

from server.cli.debates.debate_runner import Resumption, run_debate
from server.cli.debates.transcript import DebatePrinter
from server.cli.options import (
    chosen,
    evidence_body,
    rubric_of,
    say_unused_rubric,
    with_effort,
    with_elasticity,
    with_evidence,
    with_json,
    with_settings,
    with_think,
)
from server.cli.output import run_async
from server.cli.seats import panel_request
from server.errors import BadField
from server.settings import Settings


@click.command()
@click.argument("motion", required=False)
@click.option("--turns", type=int, default=6, show_default=True)
@click.option("--pro", "pro_model", metavar="MODEL", help="Debater for the motion, as provider:model.")
@click.option("--con", "con_model", metavar="MODEL", help="Debater against the motion.")
@click.option("--judge", "judge_model", metavar="MODEL", help="The judge.")
@click.option("--second", "second", metavar="MODEL", help="Another judge for second opinions on suspect claims.")
@click.option(
    "--appeals",
    type=click.Choice(["none", "serious", "all"]),
    default="serious",
    show_default=True,
    help="Flags that get a second opinion automatically.",
)
@click.option(
    "--rubric", metavar="NAME|FILE", help="v1, v2, v3, v2-evidence, v3-evidence or the file of a rubric; v3 without it."
)
@click.option("--exhibition", metavar="NAME", help="Play a scripted debate; moot exhibitions lists them.")
@click.option("--samples", type=int, default=1, show_default=True, help="Times a question is asked; the median counts.")
@click.option(
    "--pro-as",
    "pro_as",
    metavar="ARCHETYPE",
    help="Character of the debater for the motion.  [default: engineer; in format protocol none]",
)
@click.option(
    "--con-as",
    "con_as",
    metavar="ARCHETYPE",
    help="Character of the debater against the motion.  [default: provocateur; in format protocol none]",
)
@with_elasticity("pro", "the debater for the motion")
@with_elasticity("con", "the debater against the motion")
@click.option("--max-words", type=int, help="Most words of a turn.  [default: 180, or 70 if SmolLM2 debates]")
@click.option("--language", metavar="TAG", help="Language of the debate, such as de; without it, that of the motion.")
@click.option(
    "--motion-kind",
    type=click.Choice(["policy", "fact", "value"]),
    help="What the motion asks for; without it, its words decide.",
)
@click.option("--format", "form", type=click.Choice(["exchange", "protocol"]), default="exchange", show_default=True)
@click.option(
    "--panel",
    "panel",
    metavar="MODEL,…",
    help="Add a panel: one model for every seat, several in turn, or names of raters.",
)
@click.option(
    "--raters",
    "raters",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of rater profiles to use instead of the four of Moot.",
)
@click.option(
    "--topic-type",
    "topic_type",
    metavar="TYPE",
    help="Topic of the motion, for the raters' weights; without it the words of the motion decide.",
)
@with_think("pro", "the debater for the motion is asked", "low")
@with_think("con", "the debater against it is asked", "low")
@with_think("judge", "the judge is asked", "medium")
@with_effort("--judge-effort")
@with_think("panel", "the panel's raters are asked", "medium")
@with_evidence
@click.option("--max-cost", type=float, metavar="USD", help="Halt the debate at this cost.")
@click.option("--seed", type=int, help="For models that accept a seed.")
@click.option("--blind", is_flag=True, help="Hide the names of the models until the debate has concluded.")
@click.option(
    "--ignore-noise", is_flag=True, help="Leave out what a lab run measured of this judge when the lead is judged."
)
@click.option("--resume", metavar="ID", help="Resume a debate that was interrupted, paused or halted.")
@with_settings
@with_json
def run(
    settings: Settings,
    /,
    motion: str | None,
    resume: str | None,
    *,
    as_json: bool,
    **options: Any,
) -> None:
    r"""Run a debate in the terminal.  The last line of the output is its id.

    \b
      moot run "Cities should ban private cars from their centres" --turns 4
      moot run "Zoos should close" --pro ollama:qwen3 --con embedded:smollm2 --pro-as philosopher
      moot run "Should we move to microservices?" --format protocol --panel ollama:qwen3,embedded:smollm2
      moot run --exhibition juries
      moot run --resume ID
    """
    if sum(each is not None for each in (motion, resume, options["exhibition"])) != 1:
        raise click.UsageError("give a motion, or --exhibition NAME, or --resume ID")
    resumed = None if resume is None else Resumption(debate=resume, max_cost_usd=options["max_cost"])
    wish = resumed or _body(motion or "", options)
    run_async(lambda: run_debate(settings, wish, DebatePrinter(as_json=as_json)))


def _body(motion: str, options: dict[str, Any]) -> dict[str, Any]:
    """The body that the page would post for the same debate."""
    if options["exhibition"] is not None:
        rubric = {} if options["rubric"] is None else {"rubric": rubric_of(options["rubric"])}
        return {"exhibition": options["exhibition"], "blind": options["blind"], **rubric}
    body: dict[str, Any] = {
        "motion": motion,
        "turns": options["turns"],
        "max_words": options["max_words"],
        "format": options["form"],
        "blind": options["blind"],
        "pro": chosen(options, archetype="pro_as"),
        "con": chosen(options, archetype="con_as"),
        "judge": {"samples": options["samples"], "appeals": options["appeals"]},
    }
    for role in ("pro", "con", "judge"):
        body[role] |= chosen(options, **{name: f"{role}_{name}" for name in ("model", "elasticity", "think", "effort")})
    body["judge"] |= chosen(options, second="second")
    if options["rubric"] is not None:
        body["rubric"] = rubric_of(options["rubric"])
    if (panel := _panel(options)) is not None:
        body["panel"] = panel
    body |= evidence_body(options["evidence"])
    plain = {name: name for name in ("topic_type", "seed", "language", "motion_kind", "ignore_noise")}
    body |= chosen(options, max_cost_usd="max_cost", **plain)
    say_unused_rubric(body)
    return body


def _panel(options: dict[str, Any]) -> list[Any] | None:
    panel = panel_request(options["panel"], options["raters"], options["samples"], options["panel_think"])
    if panel is None and options["panel_think"] is not None:
        raise BadField("panel_think", "there is no panel: add one with --panel")
    return panel
