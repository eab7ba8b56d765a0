"""``moot decide``: a person decides a debate whose panel names no winner."""

import click

from server.cli.client import act_on
from server.cli.options import with_json, with_store
from server.cli.output import emit, run_async, settings_of


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
@with_store
@with_json
@click.pass_context
def decide(
    context: click.Context, debate: str, decision: str, reason: str, by: str, store: str | None, *, as_json: bool
) -> None:
    r"""Record your decision on a debate whose panel names no winner.

    DECISION is pro, con, neither, or a sentence.  There is one decision; the panel's conclusion does not change.

    \b
      moot decide ID pro --reason "Dunkirk's figures settle it"
      moot decide ID "We try two lines first" --reason "It is cheap to undo" --by "Ada"
    """
    settings = settings_of(context, store=store)
    fields = {"decision": decision, "reason": reason, "by": by}
    answer = run_async(lambda: act_on(settings, debate, "decision", fields))
    if as_json:
        emit(answer)
    else:
        click.echo(f"recorded at position {answer['position']}", err=True)
        click.echo(answer["id"])
