"""The commands, gathered."""

from typing import Final

import click

from server.cli.output import CommandEntry, CommandGroup

EXAMPLES: Final = """\b
  moot serve                                   the page, on http://127.0.0.1:8484
  moot run "Cities should ban private cars"    a debate here in the terminal
  moot run --exhibition juries                 a scripted one, to see everything that the judge does
  moot audit ID 5                              why turn 5 has the score that it has
  moot diff ID 40 52                           what changed between two events, and because of what
  moot whatif ID --set tie_within=10           who would have won under another rule
  moot list                                    the debates in the store
  moot replay ID --speed 4                     one of them again, four times as fast
  moot export ID > d.ndjson                    take it away; moot import d.ndjson brings it back
  moot verify ID                               whether its log was altered
"""


COMMANDS: Final = {
    "serve": CommandEntry(
        "server.cli.serve", "serve", "Serve the page and the API, and go on with debates that were open."
    ),
    "run": CommandEntry("server.cli.run", "run", "Hold a debate in the terminal."),
    "deliberate": CommandEntry("server.cli.deliberate", "deliberate", "Have a text judged: PASS, FAIL or CONDITIONAL."),
    "list": CommandEntry("server.cli.list", "list_", "The debates in the store, newest first."),
    "show": CommandEntry("server.cli.show", "show", "One debate: what was said, how it was scored, how it ended."),
    "replay": CommandEntry(
        "server.cli.replay", "replay", "Play a debate again from its log, at the pace at which it was spoken."
    ),
    "exhibitions": CommandEntry(
        "server.cli.exhibitions", "exhibitions_", "Scripted debates that ship with Moot, and what they show."
    ),
    "audit": CommandEntry("server.cli.audit", "audit", "Why a turn's score is what it is, entry by entry."),
    "diff": CommandEntry("server.cli.diff", "diff", "What changed between two positions, and because of which events."),
    "whatif": CommandEntry(
        "server.cli.whatif",
        "whatif",
        "What the same answers would come to under other rules, beside what they came to.",
    ),
    "decide": CommandEntry(
        "server.cli.decide", "decide", "Record what you decide where a panel names no winner: once, and with a reason."
    ),
    "say": CommandEntry(
        "server.cli.say", "say", "Say something to both debaters: it is recorded, and stands in their next prompts."
    ),
    "verify": CommandEntry(
        "server.cli.transfer", "verify", "Recompute a chain and name the first position that is broken."
    ),
    "export": CommandEntry(
        "server.cli.transfer",
        "export",
        "Write a debate's whole log, its view, a transcript, or a page that replays it.",
    ),
    "import": CommandEntry("server.cli.transfer", "import_", "Take in an exported debate."),
    "backup": CommandEntry("server.cli.backup", "backup", "Copy the whole store to a file, while its server goes on."),
    "calibrate": CommandEntry(
        "server.cli.calibrate", "calibrate", "Measure a panel's raters by debates whose outcome is known."
    ),
    "migrate": CommandEntry(
        "server.cli.migrate", "migrate", "Make the tables of a PostgreSQL store, or bring them to this version."
    ),
    "doctor": CommandEntry("server.cli.doctor", "doctor", "Which models answer here, and how to get the others."),
    "bench": CommandEntry("server.cli.bench", "bench", "Measure Moot against the limits of this machine."),
}


@click.group(
    cls=CommandGroup,
    entries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help=f"Debates between language models, with a judge that shows its work.\n\n{EXAMPLES}",
)
@click.version_option(package_name="moot", prog_name="moot")
@click.option("--store", metavar="URL", help="sqlite:PATH or postgres://…; by default a file of yours.  [MOOT_STORE]")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), help="What is logged to stderr.")
def main(store: str | None, log_level: str | None) -> None:
    """See ``help``: the text that a person reads is composed above."""
    del store, log_level  # read by settings_of from the context
