"""``moot judge``: a transcript is split, shown and judged."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.server.children import MOOT, Cli, as_json, environment, said
from tests.server.transcripts import samples

BASELINE = ("--judge", "baseline:lexical")


@pytest.fixture
def talk(moot: Cli) -> str:
    path = moot.home / "talk.vtt"
    path.write_text(samples.WEBVTT, encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_a_transcript_is_judged_and_the_id_is_the_last_line(moot: Cli, talk: str) -> None:
    done = moot(
        "judge", talk, "--motion", "Ban cars", "--licence", "CC0", "--con", "ann lee", "--pro", "Ben", *BASELINE
    )
    lines = done.stdout.decode().splitlines()

    assert 0 == done.returncode, done.stderr.decode()
    assert "webvtt: 4 turns in 4 entries" in done.stderr.decode()
    view = moot.json("show", lines[-1])
    assert ("concluded", "Ban cars") == (view["state"], view["motion"])
    assert {"source": "talk.vtt", "licence": "CC0", "kind": "webvtt"}.items() <= view["transcript"].items()
    assert ["con", "pro", "con", "pro"] == [turn["side"] for turn in view["turns"].values()]
    assert "Ann Lee" == view["con"]["speaker"]


@pytest.mark.slow
def test_a_preview_shows_all_and_opens_nothing(moot: Cli, talk: str) -> None:
    said(moot("judge", talk, "--preview", "--leave-out", "Nurse"), 2, "'Nurse' is none of the speakers: Ann Lee, Ben")
    done = moot("judge", talk, "--preview", "--context", "Ben")
    out = done.stdout.decode()

    assert 0 == done.returncode
    assert out.startswith("motion: not named in the file; --motion is needed\n")
    assert moot("judge", talk, "--preview", "--motion", "Ban cars").stdout.startswith(b"motion: Ban cars\n")
    assert "  ▲ Pro, guessed Ann Lee: 12 words" in out
    assert "note: Only a guess, from who talks most: Ann Lee is Pro. --pro and --con say otherwise." in out
    assert "     2 context      Ben: Yes & no." in out
    out = moot("judge", talk, "--preview", "--pro", "Ann Lee", "--con", "Ben").stdout.decode()
    assert "  ▲ Pro        Ann Lee: 12 words" in out
    assert "note:" not in out
    found = moot.json("judge", talk, "--preview")
    assert ("webvtt", 4) == (found["kind"], found["turns"])
    assert not moot.store.exists()


@pytest.mark.slow
def test_one_of_several_debates_is_chosen(moot: Cli) -> None:
    path = moot.home / "nyu.jsonl"
    path.write_text(samples.NYU, encoding="utf-8")
    why = "the file has 2 debates: choose one by id or number, such as --id story-1"

    said(moot("judge", str(path), *BASELINE), 2, why)
    assert "story-2" == moot.json("judge", str(path), "--id", "2", "--preview")["chosen"]
    done = moot("judge", "-", "--id", "story-2", *BASELINE, "--source", "a file", stdin=samples.NYU.encode())
    view = moot.json("show", done.stdout.decode().splitlines()[-1])
    assert ("a file", "nyu", "concluded") == (view["transcript"]["source"], view["transcript"]["kind"], view["state"])


@pytest.mark.slow
def test_a_judge_who_is_partly_context_and_partly_left_out_is_not_asked_about(moot: Cli) -> None:
    path = moot.home / "nyu.json"
    path.write_text(samples.ASKED, encoding="utf-8")

    done = moot("judge", str(path), "--yes", *BASELINE)

    assert 0 == done.returncode, done.stderr.decode()
    assert "  context      Judge: 7 words" in done.stderr.decode()
    turns = moot.json("show", done.stdout.decode().splitlines()[-1])["turns"]
    assert ["pro", "con", "pro"] == [turn["side"] for turn in turns.values()]
    assert "I believe A" not in moot("export", done.stdout.split()[-1].decode()).stdout.decode()


@pytest.mark.slow
def test_a_preview_says_what_helps_if_there_are_too_many_turns(moot: Cli) -> None:
    long = "HOST: go on\nAnn: a word or two\nBen: no\n" * 120
    out = moot("judge", "-", "--preview", stdin=long.encode()).stdout.decode()

    assert "note: A debate has at most 200 turns: --shortest leaves out short entries." in out
    assert "note: 120 entries are context, and at most 100 are read: --shortest or --leave-out helps." in out
    out = moot("judge", "-", "--preview", "--shortest", "3", stdin=long.encode()).stdout.decode()
    assert "at most" not in out
    assert "text: 1 turn in 360 entries" in out


THREE = b"Ann: a b\n\nBen: c d\n\nCleo: e\n\nAnn: a b\n\nBen: c d\n\nCleo: e"
UNSURE = b"Pro: a b\n\nCost: c d\n\nCon: e\n\nPro: f"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "more", "why"),
    [
        (b"", (), "the file is empty"),
        (b"Ann: a", (), "only one person speaks in the file (Ann): a debate has two sides"),
        (
            UNSURE,
            ("--motion", "m", "--others", "leave-out"),
            "is partly a guess (“Cost” comes once and is taken for a speaker): look at --preview, then add --yes",
        ),
        (samples.SCRIPT.encode(), ("--yes",), "the file names no motion: say with --motion what is debated"),
        (
            THREE,
            ("--motion", "m", "--yes"),
            "say with --pro, --con, --context, --leave-out or --others where they stand: Cleo",
        ),
        (
            THREE,
            (),
            (
                "the file names no motion: say with --motion what is debated; and "
                "say with --pro, --con, --context, --leave-out or --others where they stand: Cleo; and "
                "only a guess, from who talks most: Ann is Pro, Ben is Con: name the sides with --pro and --con, or "
                "add --yes. For example: moot judge - --motion 'What is debated' --pro=Ann --con=Ben --others context"
            ),
        ),
        (
            THREE,
            ("--motion", "m", "--con", "Ann", "--con", "Cleo", "--con", "Ben"),
            "pro says nothing in it: a debate has two sides",
        ),
        (
            THREE,
            ("--motion", "m", "--others", "context"),
            "from who talks most: Ann is Pro, Ben is Con: name the sides with --pro and --con, or add --yes",
        ),
        (THREE, ("--same", "Ann"), "'Ann' is not two names with = between them, such as --same 'Anne Lee=Ann Lee'"),
    ],
    ids=range(9),
)
def test_what_cannot_be_judged_is_refused_in_one_line(
    moot: Cli, content: bytes, more: tuple[str, ...], why: str
) -> None:
    assert said(moot("judge", "-", *more, *BASELINE, stdin=content), 2, why).endswith(f"{why}\n")
    assert not moot.store.exists() or [] == moot.json("list")["debates"]


@pytest.mark.slow
def test_two_names_of_one_person_are_hinted_at_and_joined(moot: Cli) -> None:
    talk = b"Ann Lee: a b c\n\nAnne Lee: d e f\n\nBen: g\n\nAnn Lee: h"
    out = moot("judge", "-", "--preview", stdin=talk).stdout.decode()

    assert 'note: Ann Lee and Anne Lee may be the same person: --same "Ann Lee=Anne Lee" makes them one.' in out
    found = moot.json("judge", "-", "--preview", "--same", "anne lee=Ann Lee", stdin=talk)
    assert [("Ann Lee", "pro"), ("Ben", "con")] == [(each["name"], each["side"]) for each in found["speakers"]]


def test_a_file_that_is_not_there(moot: Cli, tmp_path: Path) -> None:
    as_json(moot("judge", str(tmp_path / "none.txt"), "--json"), 2, "file")


def answered(moot: Cli, answer: bytes, *args: str, asked: bytes = b"[Y/n]") -> tuple[int, str]:
    """Exit code and output of a command on a terminal, where a person gives one answer."""
    outer, inner = pty.openpty()
    env = environment(moot.home, {"MOOT_STORE": f"sqlite:{moot.store}"})
    child = subprocess.Popen([*MOOT, *args], stdin=inner, stdout=inner, stderr=inner, cwd=moot.home, env=env)
    os.close(inner)
    output = b""
    while True:
        try:
            piece = os.read(outer, 65536)
        except OSError:  # the child has ended, and its terminal is closed
            break
        if not piece:
            break
        output += piece
        if asked in piece:
            os.write(outer, answer)
    os.close(outer)
    return child.wait(30), output.decode()


@pytest.mark.slow
def test_on_a_terminal_it_asks_before_it_begins(moot: Cli, talk: str) -> None:
    code, output = answered(moot, b"n\n", "judge", talk, "--motion", "Ban cars", *BASELINE)

    assert 130 == code
    assert "only a guess, from who talks most: Ann Lee is Pro, Ben is Con. Judge it so? [Y/n]" in output
    assert [] == moot.json("list")["debates"]
    code, output = answered(moot, b"", "judge", talk, "--motion", "Ban cars", "--yes", *BASELINE)
    assert 0 == code
    assert "Judge it so?" not in output


def test_what_the_judge_lacks_is_said_before_what_the_split_lacks(moot: Cli, talk: str) -> None:
    done = moot("judge", talk, "--judge", "anthropic:claude-opus-5", ANTHROPIC_API_KEY="", ANTHROPIC_AUTH_TOKEN="")

    said(done, 2, "judge.model: anthropic:claude-opus-5: no key · set ANTHROPIC_API_KEY")
    assert b"names no motion" not in done.stderr
