"""``moot decide``: a person decides a debate whose panel names no winner."""

import click

from server.cli.client import act_on, show_act
from server.cli.options import with_json, with_settings
from server.cli.output import run_async
from server.settings import Settings


@click.command()
@click.argument("debate", metavar="ID")
@click.argument("decision", metavar="DECISION")
@click.option("--reason", required=True, metavar="TEXT", help="Your reason, which is recorded with the decision.")
@click.option(
    "--by",
    default="operator",
    show_default=True,
    metavar="NAME",
    help="Your name, which is recorded with the decision.",
)
@with_settings
@with_json
def decide(settings: Settings, debate: str, decision: str, reason: str, by: str, *, as_json: bool) -> None:
    r"""Record your decision on a debate whose panel names no winner.

    DECISION is pro, con, neither, or a sentence.  There is one decision; the panel's conclusion does not change.

    \b
      moot decide ID pro --reason "Dunkirk's figures settle it"
      moot decide ID "We try two lines first" --reason "It is cheap to undo" --by "Ada"
    """
    fields = {"decision": decision, "reason": reason, "by": by}
    show_act(run_async(lambda: act_on(settings, debate, "decision", fields)), as_json=as_json)
