"""The group of all commands."""

from typing import Final

import click

from server.cli.output import CommandEntry, CommandGroup

EXAMPLES: Final = """\b
  moot serve                                   the page, on http://127.0.0.1:8484
  moot run "Cities should ban private cars"    a debate here in the terminal
  moot run --exhibition juries                 a scripted debate that shows everything the judge does
  moot judge debate.vtt --preview              how a transcript from elsewhere is split; without it, judge it
  moot audit latest 5                          why turn 5 of the newest debate has its score
  moot diff ID 40 52                           what changed between two events, and why
  moot whatif ID --rubric v2                   who would have been ahead under other rules
  moot list                                    the debates in the store
  moot replay ID --speed 4                     play a debate again, four times as fast
  moot export ID > d.ndjson                    write its log to a file; moot import d.ndjson reads it
  moot verify ID                               check whether its log was altered
"""


GROUPS: Final = {
    "Start": {
        "serve": CommandEntry("serve", "serve", "Serve the page and the API, and continue the debates that are open."),
        "mcp": CommandEntry(".mcp.command", "mcp", "Give the tools of Moot to another program."),
        "run": CommandEntry("debates.run", "run", "Run a debate in the terminal."),
        "batch": CommandEntry("measure.batch", "batch", "Hold many debates by one plan, within one budget."),
        "judge": CommandEntry("judging.judge", "judge", "Judge a debate that was held elsewhere."),
        "deliberate": CommandEntry(
            "judging.deliberate", "deliberate", "Have a text judged: PASS, FAIL or CONDITIONAL."
        ),
        "rejudge": CommandEntry("debates.origins", "rejudge", "Let another judge read the turns of a debate."),
        "fork": CommandEntry("debates.origins", "fork", "Go on with a debate from any of its events, as a new debate."),
    },
    "Watch": {
        "list": CommandEntry("debates.list", "list_", "List the debates in the store, newest first."),
        "search": CommandEntry("debates.search", "search", "Search in what was said, newest debate first."),
        "show": CommandEntry("debates.show", "show", "Show one debate: its turns, their scores, and its outcome."),
        "replay": CommandEntry("debates.replay", "replay", "Play a debate again from its log, at its own pace."),
        "exhibitions": CommandEntry(
            "debates.exhibitions", "exhibitions_", "List the scripted debates that come with Moot, and what they show."
        ),
    },
    "Ask why": {
        "audit": CommandEntry(
            "judging.audit", "audit", "Explain the score of a turn, entry by entry, and the verdict."
        ),
        "diff": CommandEntry("judging.diff", "diff", "Show what moved between two events, in at most 12 sentences."),
        "compare": CommandEntry(
            "judging.compare", "compare", "Compare two judgings of the same turns, and measure how far they agree."
        ),
        "whatif": CommandEntry(
            "judging.whatif",
            "whatif",
            "Compare the recorded outcome with the outcome of the same answers under other rules.",
        ),
        "report": CommandEntry("judging.report", "report", "Write a report for one debater on one page."),
    },
    "Take part": {
        "say": CommandEntry(
            "acts.say", "say", "Send a message to both debaters: it is recorded, and added to their next prompts."
        ),
        "decide": CommandEntry(
            "acts.decide", "decide", "Record your decision on a debate whose panel names no winner."
        ),
        "poll": CommandEntry(
            "acts.poll", "poll", "Show the address of a debate's vote with its QR code, or close the vote that is open."
        ),
        "seat": CommandEntry("acts.seat", "seat", "Make the link of a person's seat, or revoke it."),
        "label": CommandEntry("acts.label", "label", "Set a debate's title and tags, and who sees it."),
    },
    "Measure": {
        "lab": CommandEntry("measure.lab", "lab", "Measure how far you can trust the numbers of a judge."),
        "league": CommandEntry(
            "measure.league", "league", "Show who argues best in the debates of the store, and how sure that is."
        ),
        "study": CommandEntry(
            "measure.study", "study", "Hold a study: whether debate helps a judge to find the right one of two answers."
        ),
        "calibrate": CommandEntry(
            "measure.calibrate", "calibrate", "Measure the raters of a panel by cases whose outcome is known."
        ),
        "doctor": CommandEntry("measure.doctor", "doctor", "Show which models answer here, and how to get the others."),
        "bench": CommandEntry("measure.bench", "bench", "Measure Moot against the limits of this machine."),
    },
    "Keep": {
        "export": CommandEntry(
            "store.transfer",
            "export",
            "Write the log, the view, a transcript, a page or a recording of a debate, or tables of debates.",
        ),
        "import": CommandEntry("store.transfer", "import_", "Import an exported debate."),
        "verify": CommandEntry(
            "store.transfer", "verify", "Check the chain of a log, and name the first event that is broken."
        ),
        "receipt": CommandEntry(
            "store.receipt", "receipt", "Write a signed statement of how a debate ended, or verify one."
        ),
        "keys": CommandEntry(
            "store.receipt",
            "keys",
            "Show the public keys that sign receipts, make the first one, or rotate to a new one.",
        ),
        "delete": CommandEntry(
            "store.delete",
            "delete",
            "Delete a debate, or all that are old: the texts are gone, and tombstones are left.",
        ),
        "archive": CommandEntry("store.archive", "archive", "Write debates to one file, and delete them if asked."),
        "restore": CommandEntry("store.archive", "restore", "Bring back the debates of an archive, to the byte."),
        "backup": CommandEntry("store.backup", "backup", "Copy the whole store to a file while its server runs."),
        "hooks": CommandEntry("store.hooks", "hooks", "Show the webhooks, and what they could not deliver."),
        "log": CommandEntry("store.acts", "log", "Show what operators did, from the lines of the server's log."),
        "migrate": CommandEntry(
            "store.migrate", "migrate", "Create the tables of a PostgreSQL store, or update them to this version."
        ),
    },
}
"""The commands by what they are for, in the order of the help."""
COMMANDS: Final = {name: entry for group in GROUPS.values() for name, entry in group.items()}


@click.group(
    cls=CommandGroup,
    groups=GROUPS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help=f"Debates between language models, with a judge that shows its work.\n\n{EXAMPLES}",
)
@click.version_option(package_name="moot", prog_name="moot")
@click.option("--store", metavar="URL", help="sqlite:PATH or postgres://…; by default a file of yours.  [MOOT_STORE]")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), help="What is logged to stderr.")
def main(store: str | None, log_level: str | None) -> None:
    """See ``help``: the text that a person reads is composed above."""
    del store, log_level  # read by settings_of from the context
