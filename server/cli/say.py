"""``moot say``: a message of the moderator to both debaters."""

import click

from server.cli.client import act_on
from server.cli.options import with_json, with_store
from server.cli.output import emit, run_async, settings_of


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
    answer = run_async(lambda: act_on(settings, debate, "say", {"text": text, "by": by}))
    if as_json:
        emit(answer)
    else:
        said = f"recorded at position {answer['position']}; both debaters get it with their next prompts"
        click.echo(said, err=True)
        click.echo(answer["id"])
