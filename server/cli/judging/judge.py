"""``moot judge``: the live judge over a debate that people or other systems held, read from a file."""

import shlex
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from server.cli.debates.debate_runner import must_answer, run_debate
from server.cli.debates.transcript import DebatePrinter
from server.cli.judging.gate import gate_of, run_gated, with_gate
from server.cli.options import (
    chosen,
    evidence_body,
    name_of_file,
    read_bytes,
    rubric_of,
    say_unused_rubric,
    with_effort,
    with_evidence,
    with_json,
    with_settings,
    with_think,
)
from server.cli.output import emit, run_async
from server.cli.seats import panel_request
from server.debate.formats.exchange.transcripts import MAX_CONTEXT, MAX_TURNS
from server.errors import BadField, BadTranscript
from server.export.document.terminal import say
from server.export.gate.places import JudgedFile, text_of
from server.export.gate.report import GateReport
from server.export.gate.transcript import FAIL_ON, transcript_report
from server.export.text import escape_controls, one_line, shortened
from server.export.wording import NAMES, SIGNS
from server.settings import Settings
from server.transcripts.child import read_split
from server.transcripts.entries import EntrySide
from server.transcripts.files import MAX_BYTES
from server.transcripts.sides import TranscriptSplit, supplied_body, with_others, with_same, with_sides, without_short

SHOWN: Final = 12
"""Entries in the preview before a debate begins; ``--preview`` shows all."""
MAX_DOUBTS: Final = 3
"""Doubts in a refusal; ``--preview`` shows all."""
WIDTH: Final = 64
"""Characters of an entry in the preview."""
TITLES: Final[dict[EntrySide | None, str]] = {
    "pro": SIGNS["pro"],
    "con": SIGNS["con"],
    "context": "context",
    "out": "left out",
    None: "no side yet",
}
SEVERAL: Final = "several sides"
SIDE_OPTIONS: Final[dict[str, EntrySide]] = {"pro": "pro", "con": "con", "context": "context", "leave_out": "out"}


@click.command()
@click.argument("file")
@click.option("--motion", metavar="TEXT", help="The motion; without it, what the file says.")
@click.option("--judge", "judge_model", metavar="MODEL", help="The judge, as provider:model.")
@click.option(
    "--rubric", metavar="NAME|FILE", help="v1, v2, v3, v2-evidence, v3-evidence or the file of a rubric; v3 without it."
)
@click.option("--pro", multiple=True, metavar="NAME", help="This speaker is Pro; may be given several times.")
@click.option("--con", multiple=True, metavar="NAME", help="This speaker is Con.")
@click.option(
    "--context", multiple=True, metavar="NAME", help="A moderator: the judge reads the words, no side has them."
)
@click.option("--leave-out", multiple=True, metavar="NAME", help="Leave out what this speaker says.")
@click.option("--same", multiple=True, metavar="NAME=NAME", help="The first name is the same person as the second.")
@click.option("--others", type=click.Choice(["context", "leave-out"]), help="What all speakers without a side are.")
@click.option("--shortest", type=int, metavar="WORDS", help="Leave out entries with fewer words: interruptions.")
@click.option("--id", "debate", metavar="ID|NUMBER", help="Which debate of a file that has several.")
@click.option("--source", metavar="TEXT", help="Where the transcript comes from; without it, the file's name.")
@click.option("--licence", metavar="TEXT", help="Under which terms the text may be used.")
@click.option("--preview", is_flag=True, help="Only show how the file is split; no model is called.")
@click.option("--yes", is_flag=True, help="Begin without asking.")
@click.option("--samples", type=int, default=1, show_default=True, help="Times a question is asked; the median counts.")
@click.option("--panel", metavar="MODEL,…", help="Add a panel: one model for every seat, several in turn, or raters.")
@with_think("judge", "the judge is asked", "medium")
@with_effort("--judge-effort")
@with_evidence
@click.option("--max-cost", type=float, metavar="USD", help="Halt the debate at this cost.")
@click.option("--language", metavar="TAG", help="Language of the debate, such as de; without it, that of the motion.")
@click.option("--blind", is_flag=True, help="Hide the names of speakers and models until the debate has concluded.")
@with_gate("pro,con,claims,flaws", "con")
@with_settings
@with_json
def judge(settings: Settings, /, file: str, *, as_json: bool, **options: Any) -> None:
    r"""Judge a debate that was held elsewhere.  FILE is its transcript; - is standard input.

    It reads plain text and Markdown with names (“Ann: …”), HTML, DOCX, ODT and PDF, tables with the columns speaker and
    text, WebVTT and SRT subtitles with names, JSON of chats and of programs that transcribe, XML of parliaments, NYU
    debates, and Moot's own logs.  The two people who talk most are Pro and Con unless names or options say otherwise.

    On a terminal it shows the split and asks before it begins.  Without a terminal it does not guess: name the sides
    with --pro and --con, or accept the guess with --yes.

    With --fail-on it is a gate for pipelines: pro or con if this side is named, claims if a suspect claim was not
    cleared, flaws if a flaw was exposed.  The exit code is 0 if it passes, 1 if it fails, 2 for wrong usage, 3 if it is
    unclear: no side is named, or something was not checked.

    \b
      moot judge townhall.vtt --motion "Cities should ban private cars" --judge ollama:qwen3
      moot judge townhall.vtt --preview
      moot judge debates.jsonl --id 7 --judge baseline:lexical
      moot judge debate.txt --pro "Ann Lee" --con Ben --con Cleo --leave-out Announcer
      moot judge debate.txt --same "Anne Lee=Ann Lee" --preview
      moot judge debate.txt --yes --fail-on con,claims --as junit=moot.xml
    """
    gate = gate_of(options, FAIL_ON, "con", as_json=as_json)
    data = read_bytes(file, MAX_BYTES)
    split = _split(file, data, options)
    if options["preview"]:
        if as_json:
            emit(split)
        else:
            for line in preview_lines(split, is_chosen=options["debate"] is not None):
                say(line)
        return
    if options["judge_model"]:
        run_async(partial(must_answer, settings, "judge.model", options["judge_model"]))
    guess = guess_words(split)
    guess = "; ".join(filter(None, (guess, "what else is a guess stands above" if split.doubts else "")))
    is_asked = sys.stdin.isatty() and not options["yes"]
    is_told = any(options[option] for option in SIDE_OPTIONS)
    lacks = lacking(split, is_guess_enough=is_asked or options["yes"], is_told=is_told)
    if len(lacks) > 1:
        command = example(file, split, is_motion_given=bool(options["motion"]))
        raise BadTranscript(f"{'; and '.join(lacks)}. For example: {command}")
    if lacks:
        raise BadTranscript(lacks[0]) if split.motion else BadField("motion", lacks[0])
    body = _body(file, split, options)
    if not as_json:
        click.echo("\n".join(preview_lines(split, most=SHOWN)), err=True)
    asks = partial(_begin, guess) if is_asked else None
    printer = DebatePrinter(as_json=as_json, is_quiet=gate.takes_stdout)

    def made(link: str, stopped: str) -> GateReport:
        return transcript_report(
            printer.view,
            JudgedFile(file, text_of(data)),
            judge=printer.view["judge"]["model"],
            flaws=printer.flaws,
            audit_missing=printer.audit_missing,
            fail_on=gate.fail_on,
            unclear_is=gate.unclear_is,
            link=link,
            stopped=stopped,
        )

    run_gated(gate, settings, printer, lambda: run_async(partial(run_debate, settings, body, printer, asks)), made)


def _begin(guess: str, cost: float) -> None:
    """Ask whether the split is right, and the ``guess`` in it.  Raises ``click.Abort``."""
    del cost  # the estimate stands above the question
    click.confirm(f"{guess}. Judge it so?" if guess else "Judge it so?", default=True, abort=True, err=True)


def guess_words(split: TranscriptSplit) -> str:
    """Which sides are only guessed; empty if none is."""
    guessed = [
        f"{_shown(each.name) or '(no name)'} is {NAMES.get(each.side, 'context')}"
        for each in split.speakers
        if each.guessed and each.side is not None
    ]
    return f"only a guess, from who talks most: {', '.join(guessed)}" if guessed else ""


def lacking(split: TranscriptSplit, *, is_guess_enough: bool, is_told: bool = False) -> list[str]:
    """What must still be said before the transcript can be judged, each in words.

    ``is_told``: the person has named speakers, and so has seen how the file is split.
    """
    lacks = []
    if not split.motion:
        lacks.append("the file names no motion: say with --motion what is debated")
    if unsettled := [each.name for each in split.speakers if each.is_open]:
        names = ", ".join(unsettled[:8])
        lacks.append(f"say with --pro, --con, --context, --leave-out or --others where they stand: {names}")
    if (guess := guess_words(split)) and not is_guess_enough:
        lacks.append(f"{guess}: name the sides with --pro and --con, or add --yes")
    if split.doubts and not (is_guess_enough or is_told):
        doubts = " ".join(map(_shown, split.doubts[:MAX_DOUBTS]))
        lacks.append(
            f"how the file is split is partly a guess ({doubts.rstrip('.')}): look at --preview, then add --yes"
        )
    return lacks


def example(file: str, split: TranscriptSplit, *, is_motion_given: bool) -> str:
    """A command that says everything that is lacking; the motion is to be replaced."""
    words = ["moot", "judge", file]
    if is_motion_given or not split.motion:
        words += ["--motion", split.motion or "What is debated"]
    for each in split.speakers:
        if each.guessed and each.side in NAMES and each.name:
            words += [f"--{each.side}={each.name}"]
    if any(each.is_open for each in split.speakers):
        words += ["--others", "context"]
    if any(each.guessed and not each.name for each in split.speakers):
        words += ["--yes"]
    return shlex.join(words)


def _split(file: str, data: bytes, options: dict[str, Any]) -> TranscriptSplit:
    """The split of the file, with the motion and the sides of the options.  Raises ``BadField``, ``BadTranscript``."""
    split: TranscriptSplit = run_async(partial(read_split, Path(file).name, data, options["debate"] or ""))
    if split.debates and options["debate"] is None and not options["preview"]:
        why = f"the file has {len(split.debates)} debates: choose one by id or number, such as --id {split.chosen}"
        raise BadField("id", why)
    if options["motion"]:
        split = msgspec.structs.replace(split, motion=options["motion"])
    if options["same"]:
        split = with_same(split, dict(_pair(split, each) for each in options["same"]))
    sides: dict[str, EntrySide] = {}
    for option, side in SIDE_OPTIONS.items():
        for name in options[option]:
            sides[_speaker(split, name, option)] = side
    split = with_sides(split, sides)
    if options["others"] is not None:
        split = with_others(split, "context" if options["others"] == "context" else "out")
    return split if options["shortest"] is None else without_short(split, options["shortest"])


def _speaker(split: TranscriptSplit, name: str, option: str) -> str:
    """The speaker of this name, whatever its capitals.  Raises ``BadField``."""
    known = [each.name for each in split.speakers]
    if name in known:
        return name
    found = next((each for each in known if each.casefold() == name.casefold()), None)
    if found is None:
        raise BadField(option, f"{name!r} is none of the speakers: {', '.join(known)}")
    return found


def _pair(split: TranscriptSplit, given: str) -> tuple[str, str]:
    """A name and the name of the same person.  Raises ``BadField``."""
    name, sign, other = given.partition("=")
    if not sign:
        raise BadField("same", f"{given!r} is not two names with = between them, such as --same 'Anne Lee=Ann Lee'")
    return _speaker(split, name.strip(), "same"), _speaker(split, other.strip(), "same")


def _body(file: str, split: TranscriptSplit, options: dict[str, Any]) -> dict[str, Any]:
    """The body that the page would post for the same transcript.  Raises ``BadField``, ``BadTranscript``."""
    body: dict[str, Any] = {"motion": split.motion}
    source = options["source"] or split.source or name_of_file(file)
    body["transcript"] = supplied_body(split, source, options["licence"] or split.licence)
    body |= evidence_body(options["evidence"])
    body["judge"] = chosen(options, samples="samples", model="judge_model", think="judge_think", effort="judge_effort")
    if options["rubric"] is not None:
        body["rubric"] = rubric_of(options["rubric"])
    if (panel := panel_request(options["panel"], None, options["samples"])) is not None:
        body["panel"] = panel
    body |= chosen(options, max_cost_usd="max_cost")
    for name in ("language", "blind"):
        if options[name]:
            body[name] = options[name]
    say_unused_rubric(body)
    return body


def preview_lines(split: TranscriptSplit, *, most: int = sys.maxsize, is_chosen: bool = True) -> list[str]:
    """How a file is split, for a terminal: its motion, speakers and the first entries.

    The other debates of the file are listed unless one ``is_chosen`` by the person.
    """
    lines = [f"motion: {_shown(split.motion) or 'not named in the file; --motion is needed'}"]
    if split.debates:
        lines.append(f"debate {_shown(split.chosen)}, one of {len(split.debates)} in the file")
        listed = () if is_chosen else split.debates
        lines += [f"  {number:>4}  {_shown(each.id)}  {_short(each.title)}" for number, each in enumerate(listed, 1)]
    turns = "1 turn" if split.turns == 1 else f"{split.turns} turns"
    form = f" ({_shown(split.form)})" if split.form else ""
    lines.append(f"{split.kind}{form}: {turns} in {len(split.entries)} entries")
    for each in split.speakers:
        side = TITLES[each.side] if each.side or each.is_open else SEVERAL
        title = f"{side}, guessed" if each.guessed else side
        lines.append(f"  {title:<12} {_shown(each.name) or '(no name)'}: {each.words:,} words")
    lines += [
        f"  {number:>4} {TITLES[each.side]:<12} {_shown(each.speaker)}: {_short(each.text)}"
        for number, each in enumerate(split.entries[:most], 1)
    ]
    if (rest := len(split.entries) - most) > 0:
        lines.append(f"  … and {rest} more entries; --preview shows all")
    lines += [f"a guess: {_shown(each)}" for each in split.doubts]
    lines += [f"note: {_shown(each)}" for each in (*split.warnings, *_notes(split), *_too_many(split))]
    return lines


def _notes(split: TranscriptSplit) -> Iterator[str]:
    """What is left to the person: sides that are open or guessed, and names that may be one person's."""
    if unsettled := [each.name for each in split.speakers if each.is_open]:
        shown = ", ".join(unsettled[:5]) + (" …" if len(unsettled) > 5 else "")  # noqa: PLR2004 - enough names to see
        yield f"Say for which side they speak, or leave them out: {shown}."
    if guess := guess_words(split):
        yield f"{guess[0].upper()}{guess[1:]}. --pro and --con say otherwise."
    for one, other in split.alike:
        yield f'{one} and {other} may be the same person: --same "{one}={other}" makes them one.'


def _too_many(split: TranscriptSplit) -> Iterator[str]:
    """What makes the transcript too long to be judged as it is split, and the options that help."""
    if split.turns > MAX_TURNS:
        yield f"A debate has at most {MAX_TURNS} turns: --shortest leaves out short entries."
    contexts = sum(each.side == "context" for each in split.entries)
    if contexts > MAX_CONTEXT:
        yield f"{contexts} entries are context, and at most {MAX_CONTEXT} are read: --shortest or --leave-out helps."


def _shown(text: str) -> str:
    return escape_controls(one_line(text))


def _short(text: str) -> str:
    return escape_controls(shortened(text[: 2 * WIDTH], WIDTH))
