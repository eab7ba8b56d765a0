"""``moot label``: the title and tags of a debate, and who sees it."""

from typing import Any

import click

from server.cli.client import act_on, show_act
from server.cli.options import with_json, with_settings
from server.cli.output import run_async
from server.errors import BadField
from server.settings import Settings


@click.command()
@click.argument("debate", metavar="ID")
@click.option("--title", metavar="TEXT", help="A name to show in place of the motion; '' removes it.")
@click.option("--tag", "tags", multiple=True, metavar="TEXT", help="A tag, in place of the old ones; repeatable.")
@click.option("--no-tags", is_flag=True, help="Remove all tags.")
@click.option("--hide/--show", "hidden", default=None, help="Leave it out of lists and searches, or show it again.")
@click.option(
    "--archive/--restore",
    "archived",
    default=None,
    help="Leave it out of lists that do not ask for archived debates, or restore it.",
)
@click.option(
    "--unlisted/--listed",
    "unlisted",
    default=None,
    help="Show it only to readers who have its new link, which is printed; or list it again.",
)
@with_settings
@with_json
def label(settings: Settings, /, debate: str, *, as_json: bool, no_tags: bool, **said: Any) -> None:
    r"""Set a debate's title and tags, and who sees it.

    The log of the debate records each change, so exports keep it.

    \b
      moot label ID --title "The jury question" --tag law --tag demo
      moot label ID --unlisted
    """
    tags = [] if no_tags else said.pop("tags") or None
    fields = {**{name: value for name, value in said.items() if name != "tags"}, "tags": tags}
    fields = {name: value for name, value in fields.items() if value is not None}
    if not fields:
        raise BadField("labels", "say what to change: --title, --tag, --hide, --archive, --unlisted or an opposite")
    show_act(run_async(lambda: act_on(settings, debate, "labels", fields)), as_json=as_json)
