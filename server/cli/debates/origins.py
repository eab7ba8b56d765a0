"""``moot rejudge`` and ``moot fork``: debates made of stored ones."""

from typing import Any

import click

from judge.rubrics.rubric import SHIPPED
from server.cli.debates.debate_runner import Derivation, run_debate
from server.cli.debates.transcript import DebatePrinter
from server.cli.options import chosen, rubric_of, say_unused_rubric, with_effort, with_json, with_settings
from server.cli.output import run_async
from server.cli.seats import panel_request
from server.errors import BadField
from server.settings import Settings


@click.command()
@click.argument("debate", metavar="ID")
@click.option("--judge", required=True, metavar="MODEL", help="The judge that reads the turns.")
@click.option(
    "--rubric", metavar="NAME|FILE", help=f"A rubric, or one of {', '.join(SHIPPED)}; that of the debate without."
)
@click.option("--samples", type=click.IntRange(1, 9), default=1, show_default=True, help="Answers to each question.")
@with_effort("--effort")
@click.option("--panel", metavar="MODEL,…", help="A panel of these models in addition to the judge.")
@click.option("--max-cost", type=float, metavar="USD", help="Halt the debate at this cost.")
@with_settings
@with_json
def rejudge(settings: Settings, /, debate: str, *, as_json: bool, **options: Any) -> None:
    r"""Let another judge read the turns of a debate.  The last line of the output is the id of the new debate.

    The turns stay as they are; no debater speaks again.  moot compare lays the two judgings side by side.  In format
    protocol the judge and the panel are asked again about the statements.

    \b
      moot rejudge ID --judge anthropic:claude-haiku-4-5
      moot rejudge ID --judge baseline:lexical --rubric v1
    """
    seat = chosen(options, model="judge", samples="samples", effort="judge_effort")
    body = {"judge": seat} | chosen(options, max_cost_usd="max_cost")
    if options["rubric"] is not None:
        body["rubric"] = rubric_of(options["rubric"])
    if (raters := panel_request(options["panel"], None, options["samples"])) is not None:
        body["panel"] = raters
    say_unused_rubric(body)
    _run(settings, Derivation(debate=debate, kind="rejudge", body=body), as_json=as_json)


@click.command()
@click.argument("debate", metavar="ID")
@click.option("--at", type=click.IntRange(min=1), metavar="POSITION", help="The last event that is copied.")
@click.option("--turn", type=click.IntRange(0, 200), metavar="N", help="Or the last turn, with all that was judged.")
@click.option("--turns", type=click.IntRange(1, 200), metavar="N", help="Turns of the fork; as many as before without.")
@click.option("--pro", "pro_model", metavar="MODEL", help="The model that speaks for the motion from there on.")
@click.option("--con", "con_model", metavar="MODEL", help="The model that speaks against it from there on.")
@click.option("--pro-as", metavar="ARCHETYPE", help="Its character.")
@click.option("--con-as", metavar="ARCHETYPE", help="Its character.")
@click.option("--judge", metavar="MODEL", help="The judge from there on.")
@click.option("--directive", multiple=True, metavar='SIDE="…"', help="An instruction for the next turn of a side.")
@click.option("--say", metavar="TEXT", help="A message of the moderator to both sides.")
@click.option("--max-cost", type=float, metavar="USD", help="Halt the fork when it has itself cost this much.")
@with_settings
@with_json
def fork(settings: Settings, /, debate: str, *, as_json: bool, **options: Any) -> None:
    r"""Go on with a debate from any of its events, as a new debate.  The last line of the output is its id.

    Everything up to that event is copied as it stands.  From there on other models may speak and judge.  A debate of
    format protocol goes on at the end of a round: after turn 0, 2, 4, 6 or 8.

    \b
      moot fork ID --turn 3 --con anthropic:claude-haiku-4-5
      moot fork ID --at 57 --directive pro="Concede the point about cost" --turns 8
    """
    body = chosen(options, at="at", turn="turn", turns="turns", say="say", max_cost_usd="max_cost")
    body |= {side: chosen(options, model=f"{side}_model", archetype=f"{side}_as") for side in ("pro", "con")}
    body["directive"] = _directives(options["directive"])
    if options["judge"] is not None:
        body["judge"] = {"model": options["judge"]}
    _run(settings, Derivation(debate=debate, kind="fork", body=body), as_json=as_json)


def _directives(given: tuple[str, ...]) -> dict[str, str]:
    """The directives by side.  Raises ``BadField``."""
    found = {}
    for each in given:
        side, sign, text = each.partition("=")
        if side not in {"pro", "con"} or not sign:
            raise BadField("directive", 'a directive is pro="…" or con="…"')
        found[side] = text
    return found


def _run(settings: Settings, asked: Derivation, *, as_json: bool) -> None:
    run_async(lambda: run_debate(settings, asked, DebatePrinter(as_json=as_json)))
