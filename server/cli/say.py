"""``moot say``: a message of the moderator to both debaters."""

import click

from events.types import ModeratorSpoke
from server.cli.client import ServerClient
from server.cli.options import find_debate, open_store, server_address, with_json, with_store
from server.cli.output import emit, run_async, settings_of
from server.debate.acts import check_word
from server.service import running
from server.settings import Settings


@click.command()
@click.argument("debate", metavar="ID")
@click.argument("text", metavar="TEXT")
@click.option(
    "--by", default="operator", show_default=True, metavar="NAME", help="Your name, which is recorded with the message."
)
@with_store
@with_json
@click.pass_context
def say(context: click.Context, debate: str, text: str, by: str, store: str | None, *, as_json: bool) -> None:
    r"""Send a message to both debaters: it is recorded, and added to their next prompts.

    TEXT has 1 to 1,000 characters.  Spectators see it too.  The judge reads it as context, never as an instruction.

    \b
      moot say ID "Please speak to what it costs"
      moot say ID "Name one city where this was tried" --by "Ada"
    """
    settings = settings_of(context, store=store)
    word = check_word(text, by)
    found, position = run_async(lambda: _say(settings, debate, word))
    if as_json:
        emit({"id": found, "position": position})
    else:
        click.echo(f"recorded at position {position}; both debaters get it with their next prompts", err=True)
        click.echo(found)


async def _say(settings: Settings, debate: str, word: ModeratorSpoke) -> tuple[str, int]:
    async with open_store(settings) as log:
        found = await find_debate(log, debate)
    if address := server_address(settings):
        click.echo(f"a server holds this store: asking {address}", err=True)
        async with ServerClient(settings, address) as client:
            answer = await client.post(f"/api/debates/{found}/say", {"text": word.text, "by": word.by})
        return found, int(answer["position"])
    async with running(settings) as service:
        return found, await service.moderators.say(found, word)
