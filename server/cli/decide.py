"""``moot decide``: a person's decision where a panel names no winner, here or by the server that holds the store."""

import click

from server.cli.holding import post
from server.cli.options import reading, server_of, whole_id, with_json, with_store
from server.cli.output import emit, run_async, settings_of
from server.debate.acts import Decision, check_decision
from server.service import running
from server.settings import Settings


@click.command()
@click.argument("debate", metavar="ID")
@click.argument("decision", metavar="DECISION")
@click.option("--reason", required=True, metavar="TEXT", help="Why: it is recorded with the decision.")
@click.option("--by", default="operator", show_default=True, metavar="NAME", help="Who decides.")
@with_store
@with_json
@click.pass_context
def decide(
    context: click.Context, debate: str, decision: str, reason: str, by: str, store: str | None, *, as_json: bool
) -> None:
    r"""Record what you decide where a panel names no winner: once, and with a reason.

    DECISION is pro, con, neither, or a sentence.  The panel's own words stay as they are.

    \b
      moot decide ID pro --reason "Dunkirk's figures settle it"
      moot decide ID "We try two lines first" --reason "It is cheap to undo" --by "Ada"
    """
    settings = settings_of(context, store=store)
    said = check_decision({"decision": decision, "reason": reason, "by": by})
    found, position = run_async(lambda: _decide(settings, debate, said))
    if as_json:
        emit({"id": found, "position": position})
    else:
        click.echo(f"recorded at position {position}", err=True)
        click.echo(found)


async def _decide(settings: Settings, debate: str, said: Decision) -> tuple[str, int]:
    async with reading(settings) as log:
        found = await whole_id(log, debate)
    if server := server_of(settings):
        click.echo(f"a server holds this store: asking {server}", err=True)
        body = {"decision": said.decision, "reason": said.reason, "by": said.by}
        answer = await post(settings, server, f"/api/debates/{found}/decision", body)
        return found, int(answer["position"])
    async with running(settings) as service:
        return found, await service.moderators.decide(found, said.decision, said.reason, said.by)
