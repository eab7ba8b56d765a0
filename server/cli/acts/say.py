"""``moot say``: a message of the moderator to both debaters."""

import click

from server.cli.client import act_on, show_act
from server.cli.options import with_json, with_settings
from server.cli.output import run_async
from server.settings import Settings


@click.command()
@click.argument("debate", metavar="ID")
@click.argument("text", metavar="TEXT")
@click.option(
    "--by", default="operator", show_default=True, metavar="NAME", help="Your name, which is recorded with the message."
)
@with_settings
@with_json
def say(settings: Settings, debate: str, text: str, by: str, *, as_json: bool) -> None:
    r"""Send a message to both debaters: it is recorded, and added to their next prompts.

    TEXT has 1 to 1,000 characters.  Spectators see it too.  The judge reads it as context, never as an instruction.

    \b
      moot say ID "Please speak to what it costs"
      moot say ID "Name one city where this was tried" --by "Ada"
    """
    show_act(
        run_async(lambda: act_on(settings, debate, "say", {"text": text, "by": by})),
        as_json=as_json,
        more="; both debaters get it with their next prompts",
    )
