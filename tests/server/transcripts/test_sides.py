"""The side that a speaker has, as far as names and the file tell it."""

import pytest

from server.errors import BadTranscript
from server.transcripts.entries import EntrySide, ReadTranscript, TranscriptEntry
from server.transcripts.files import split_file
from server.transcripts.hints import side_of
from server.transcripts.names import alike_names
from server.transcripts.sides import (
    TranscriptSplit,
    split_of,
    supplied_body,
    with_others,
    with_same,
    with_sides,
    without_short,
)
from tests.server.transcripts import samples


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("Pro", "pro"),
        ("PRO 2", "pro"),
        ("Ann Lee (Affirmative)", "pro"),
        ("First Proposition", "pro"),
        ("Team A", "pro"),
        ("For", "pro"),
        ("Ann, for the motion", "pro"),
        ("▲ Pro · model", "pro"),
        ("Con", "con"),
        ("Ben [Opposition]", "con"),
        ("Negative Speaker 1", "con"),
        ("Team B – Ben", "con"),
        ("Against", "con"),
        ("Moderator Chris", "context"),
        ("Debate Moderator", "context"),
        ("THE CHAIR", "context"),
        ("Judge", "context"),
        ("Audience Member 1", "context"),
        ("system", "context"),
        ("tool", "out"),
        ("Ann Lee", None),
        ("Conrad", None),
        ("Judge Smith Jones", None),
        ("Fortune", None),
        ("Prof. Protter", None),
    ],
)
def test_a_name_tells_a_side(name: str, side: EntrySide | None) -> None:
    assert side == side_of(name)


def read(*speeches: tuple[str, int]) -> ReadTranscript:
    entries = tuple(TranscriptEntry(speaker=name, text="word " * count) for name, count in speeches)
    return ReadTranscript(kind="text", entries=entries)


def sides(*speeches: tuple[str, int]) -> dict[str, EntrySide | None]:
    return {each.name: each.side for each in split_of(read(*speeches)).speakers}


def test_the_two_who_talk_most_are_pro_and_con_by_first_appearance() -> None:
    assert {"Ann": "pro", "Cleo": None, "Ben": "con"} == sides(("Ann", 10), ("Cleo", 2), ("Ben", 90))


def test_a_side_that_only_the_talk_suggests_is_a_guess_until_it_is_given() -> None:
    def guessed(split: TranscriptSplit) -> list[str]:
        return [each.name for each in split.speakers if each.guessed]

    split = split_of(read(("Ann", 10), ("Cleo", 2), ("Ben", 90)))

    assert ["Ann", "Ben"] == guessed(split)
    assert ["Ben"] == guessed(with_sides(split, {"Ann": "pro", "Cleo": "out"}))
    assert [] == guessed(split_of(read(("Ann (Pro)", 9), ("Ben", 9))))


def test_two_names_of_one_person_are_joined_and_a_guess_is_made_anew() -> None:
    split = split_of(read(("Ann Lee", 10), ("Anne Lee", 9), ("Ben", 2)))
    assert ["pro", "con", None] == [each.side for each in split.speakers]
    assert (("Ann Lee", "Anne Lee"),) == split.alike

    joined = with_same(split, {"Anne Lee": "Ann Lee"})
    assert [("Ann Lee", "pro", 19), ("Ben", "con", 2)] == [
        (each.name, each.side, each.words) for each in joined.speakers
    ]
    assert ((), 2) == (joined.alike, joined.turns)
    told = with_same(split_of(read(("Ann (Pro)", 1), ("Ann", 9), ("Ben (Con)", 9))), {"Ann": "Ann (Pro)"})
    assert ["pro", "pro", "con"] == [each.side for each in told.entries]
    with pytest.raises(BadTranscript, match="only one person"):
        with_same(split_of(read(("Ann", 1), ("Anne", 9))), {"Ann": "Anne"})


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ("Anne Lee", "Ann Lee", True),
        ("Ann Lee", "ANN LEE", True),
        ("Meier", "Maier", True),
        ("Brain Smith", "Brian Smith", True),
        ("Ben", "Ken", False),
        ("Speaker A", "Speaker B", False),
        ("Speaker 1", "Speaker 2", False),
        ("Ann Lee", "Ben Lee", False),
        ("Ann Lee", "Ann", False),
        ("Annabel", "Ann", False),
    ],
)
def test_names_that_differ_in_a_letter_are_alike(one: str, other: str, *, are_alike: bool) -> None:
    assert (((one, other),) if are_alike else ()) == alike_names([one, other])


def test_a_name_that_tells_a_side_decides_and_the_last_one_has_the_other() -> None:
    assert {"Ann (Con)": "con", "Ben": "pro"} == sides(("Ann (Con)", 10), ("Ben", 5))
    assert {"Pro": "pro", "Con": "con", "Cleo": None} == sides(("Pro", 1), ("Con", 1), ("Cleo", 90))
    assert {"Team A, Ann": "pro", "Team B, Ben": "con", "Team A, Cleo": "pro"} == sides(
        ("Team A, Ann", 3), ("Team B, Ben", 1), ("Team A, Cleo", 9)
    )


def test_a_moderator_who_talks_most_is_context() -> None:
    assert {"Moderator": "context", "Ann": "pro", "Ben": "con"} == sides(("Moderator", 90), ("Ann", 2), ("Ben", 1))


def test_words_of_one_side_are_one_turn_whatever_stands_between_them() -> None:
    split = split_of(read(("Ann", 9), ("Moderator", 1), ("Ann", 9), ("Ben", 9), ("Cleo", 1), ("Ann", 2)))

    assert 3 == split.turns
    assert 3 == with_sides(split, {"Cleo": "con"}).turns
    assert 1 == with_sides(split, {"Ben": "pro"}).turns


def test_who_opens_the_debate_and_talks_little_is_a_moderator() -> None:
    assert {"Cleo": "context", "Ann": "pro", "Dan": None, "Ben": "con"} == sides(
        ("Cleo", 4), ("Ann", 9), ("Dan", 4), ("Ben", 9), ("Cleo", 0)
    )
    assert {"Cleo": None, "Ann": "pro", "Ben": "con"} == sides(("Cleo", 7), ("Ann", 9), ("Ben", 9))


def test_a_speaker_who_is_partly_context_and_partly_left_out_is_not_open() -> None:
    split = split_file("nyu.json", samples.ASKED.encode())

    def judge(of: TranscriptSplit) -> list[EntrySide | None]:
        return [each.side for each in of.entries if each.speaker == "Judge"]

    assert ("Judge", "context", False) == (split.speakers[2].name, split.speakers[2].side, split.speakers[2].is_open)
    assert ["context", "out"] == judge(split) == judge(with_others(split, "context"))
    assert ["pro", "out"] == judge(with_sides(split, {"Judge": "pro"})), "the verdict stays left out"
    assert ["context", "out"] == judge(with_same(split, {"Debater B": "Debater B"}))


def test_a_speaker_of_several_sides_is_open_only_while_an_entry_has_none() -> None:
    told: list[tuple[str, EntrySide | None]] = [("Ann", "pro"), ("Ben", "con"), ("Cleo", "pro"), ("Cleo", "con")]
    entries = [TranscriptEntry(speaker=name, text="two words", side=side) for name, side in told]
    with_open = [*entries, TranscriptEntry(speaker="Cleo", text="two words")]

    settled, still_open = (split_of(ReadTranscript(kind="json", entries=tuple(each))) for each in (entries, with_open))

    assert [(None, False), (None, True)] == [
        (each.speakers[2].side, each.speakers[2].is_open) for each in (settled, still_open)
    ]
    assert not without_short(still_open, 3).speakers[2].is_open


def test_speakers_without_a_side_and_short_entries_are_settled_at_once() -> None:
    split = split_of(read(("Ann", 9), ("Cleo", 5), ("Ben", 9), ("Ann", 2), ("Ben", 9), ("Dan", 1)))

    assert ["pro", "context", "con", "pro", "con", "context"] == [
        each.side for each in with_others(split, "context").entries
    ]
    short = without_short(split, 3)
    assert ["pro", None, "con", "out", "con", "out"] == [each.side for each in short.entries]
    assert (4, 2) == (split.turns, short.turns)


def test_what_is_left_out_is_not_supplied() -> None:
    split = with_sides(split_of(read(("Ann", 1), ("Ben", 1), ("Cleo", 1))), {"Cleo": "out"})
    body = supplied_body(split, "a hall", "CC0")

    assert ["pro", "con"] == [each["side"] for each in body["turns"]]
    assert ("a hall", "CC0", "text") == (body["source"], body["licence"], body["kind"])


def test_a_debate_needs_two() -> None:
    with pytest.raises(BadTranscript, match=r"only one person speaks in the file \(Ann\): a debate has two sides"):
        split_of(read(("Ann", 1), ("Moderator", 1)))
