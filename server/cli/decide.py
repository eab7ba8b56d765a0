"""``moot decide``: a person decides a debate whose panel names no winner."""

import click
import msgspec

from server.cli.client import ServerClient
from server.cli.options import find_debate, open_store, server_address, with_json, with_store
from server.cli.output import emit, run_async, settings_of
from server.debate.acts import Decision, check_decision
from server.service import running
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
    checked = check_decision({"decision": decision, "reason": reason, "by": by})
    found, position = run_async(lambda: _decide(settings, debate, checked))
    if as_json:
        emit({"id": found, "position": position})
    else:
        click.echo(f"recorded at position {position}", err=True)
        click.echo(found)


async def _decide(settings: Settings, debate: str, decision: Decision) -> tuple[str, int]:
    async with open_store(settings) as log:
        found = await find_debate(log, debate)
    if address := server_address(settings):
        click.echo(f"a server holds this store: asking {address}", err=True)
        async with ServerClient(settings, address) as client:
            answer = await client.post(f"/api/debates/{found}/decision", msgspec.structs.asdict(decision))
        return found, int(answer["position"])
    async with running(settings) as service:
        return found, await service.moderators.decide(found, decision.decision, decision.reason, decision.by)
