"""``moot judge``: a transcript is split, shown and judged."""

from pathlib import Path

import pytest

from tests.server.children import Cli, as_json, on_a_terminal_said
from tests.server.transcripts import samples

BASELINE = ("--judge", "baseline:lexical")


@pytest.fixture
def talk(moot: Cli) -> str:
    path = moot.home / "talk.vtt"
    path.write_text(samples.WEBVTT, encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_a_transcript_is_judged_and_the_id_is_the_last_line(moot: Cli, talk: str) -> None:
    done = moot("judge", talk, "--motion", "Ban cars", "--licence", "CC0", "--con", "ann lee", "--pro", "Ben", *BASELINE)
    lines = done.stdout.decode().splitlines()

    assert done.returncode == 0, done.stderr.decode()
    assert "webvtt: 4 turns in 4 entries" in done.stderr.decode()
    view = moot.json("show", lines[-1])
    assert ("concluded", "Ban cars") == (view["state"], view["motion"])
    assert {"source": "talk.vtt", "licence": "CC0", "kind": "webvtt"}.items() <= view["transcript"].items()
    assert ["con", "pro", "con", "pro"] == [turn["side"] for turn in view["turns"].values()]
    assert "Ann Lee" == view["con"]["speaker"]


@pytest.mark.slow
def test_a_preview_shows_all_and_opens_nothing(moot: Cli, talk: str) -> None:
    done = moot("judge", talk, "--preview", "--leave-out", "Nurse")
    assert (2, "moot: leave_out: 'Nurse' is none of the speakers: Ann Lee, Ben\n") == (
        done.returncode,
        done.stderr.decode(),
    )
    done = moot("judge", talk, "--preview", "--context", "Ben")
    out = done.stdout.decode()

    assert 0 == done.returncode
    assert "motion: not named in the file" in out
    assert "  ▲ Pro        Ann Lee: 12 words" in out
    assert "     2 context      Ben: Yes & no." in out
    assert {"webvtt", 4} == {(found := moot.json("judge", talk, "--preview"))["kind"], found["turns"]}
    assert [] == moot.json("list")["debates"]


@pytest.mark.slow
def test_one_of_several_debates_is_chosen(moot: Cli) -> None:
    path = moot.home / "nyu.jsonl"
    path.write_text(samples.NYU, encoding="utf-8")
    done = moot("judge", str(path), *BASELINE)

    assert 2 == done.returncode
    why = "the file has 2 debates: choose one by id or number, such as --id story-1"
    assert f"moot: id: {why}\n" == done.stderr.decode()
    assert "story-2" == moot.json("judge", str(path), "--id", "2", "--preview")["chosen"]
    done = moot("judge", "-", "--id", "story-2", *BASELINE, "--source", "a file", input=samples.NYU.encode())
    view = moot.json("show", done.stdout.decode().splitlines()[-1])
    assert ("a file", "nyu", "concluded") == (view["transcript"]["source"], view["transcript"]["kind"], view["state"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "said", "why"),
    [
        (b"", (), "the file is empty"),
        (b"Ann: a", (), "only one person speaks in the file (Ann): a debate has two sides"),
        (samples.SCRIPT.encode("utf-16"), (), "the file is UTF-16 text: save it as UTF-8"),
        (samples.SCRIPT.encode(), (), "motion: the file names no motion: say with --motion what is debated"),
        (b"Ann: a b\n\nBen: c d\n\nCleo: e", ("--motion", "m"),
         "say with --pro, --con, --context or --leave-out whose side they are on: Cleo"),
        (samples.SCRIPT.encode(), ("--motion", "m", "--con", "ANN"), "transcript.turns: pro says nothing in it: a debate "
         "has two sides"),
    ],
    ids=range(6),
)  # fmt: skip
def test_what_cannot_be_judged_is_refused_in_one_line(
    moot: Cli, content: bytes, said: tuple[str, ...], why: str
) -> None:
    done = moot("judge", "-", *said, *BASELINE, input=content)

    assert (2, f"moot: {why}\n") == (done.returncode, done.stderr.decode().splitlines(keepends=True)[-1])
    assert [] == moot.json("list")["debates"]


def test_a_file_that_is_not_there(moot: Cli, tmp_path: Path) -> None:
    done = moot("judge", str(tmp_path / "none.txt"), "--json")

    assert 2 == done.returncode
    assert "file" == as_json(done)["error"]["field"]
