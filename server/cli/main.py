"""The commands, gathered."""

import click

from server import VERSION
from server.cli.bench import bench
from server.cli.doctor import doctor
from server.cli.output import Group
from server.cli.reading import list_, replay, show
from server.cli.run import run
from server.cli.serve import serve
from server.cli.transfer import export, import_, verify

EXAMPLES = """\b
  moot serve                                   the page, on http://127.0.0.1:8484
  moot run "Cities should ban private cars"    a debate here in the terminal
  moot list                                    the debates in the store
  moot replay ID --speed 4                     one of them again, four times as fast
  moot export ID > d.ndjson                    take it away; moot import d.ndjson brings it back
  moot verify ID                               whether its log was altered
"""


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help=f"Debates between language models, with a judge that shows its work.\n\n{EXAMPLES}",
)
@click.version_option(VERSION, prog_name="moot")
@click.option("--store", metavar="URL", help="sqlite:PATH; the default is in your data folder.  [MOOT_STORE]")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), help="What is logged to stderr.")
def main(store: str | None, log_level: str | None) -> None:
    """See ``help``: the text that a person reads is composed above."""
    del store, log_level  # read by settings_of from the context


for command in (serve, run, list_, show, replay, verify, export, import_, doctor, bench):
    main.add_command(command)
