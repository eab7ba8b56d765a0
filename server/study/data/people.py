"""``nyu``: debates that people held about a story and that people judged (Michael et al. 2023, arXiv 2311.08702).

The shape of a line is that of ``judge.lab.people.JudgedStory``, with the quotes of each speech.  The speeches are
given, so a study asks a judge alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from events.types.study import ItemSpeech, PersonAnswered, StudyItem
from judge.lab.people import JudgedStory, SaidRound
from server.study.data.shapes import DataFile, StudyData, named, read_lines, whole

HELD: Final = "The debates were held by people: their speeches are given, and a judge reads them without the story."
QUOTED: Final = (
    "In place of a story stand all quotes of the debates on it, which the source compared with it: so a quote of a "
    "speech stands in the passage if the source took it from the story."
)
UNHEARD: Final = (
    "What the person who judged said between the speeches is left out, since it tells another judge whom that person "
    "believed."
)
LIVE: Final = (
    "The people's figure is that of live judges, who read the debate while it was held and could ask questions."
)
SHORTEST: Final = 16
"""Characters of a quote that is marked; shorter ones, mostly single words, cannot be compared and stay as they are."""
NOTES: Final = (HELD, QUOTED, UNHEARD, LIVE)


class QuotedRound(SaidRound):
    """A speech with the quotes that stand in it between “ and ”."""

    quotes: tuple[str, ...] = ()


class QuotedStory(JudgedStory):
    """A debate with the quotes of its speeches."""

    rounds: list[QuotedRound]  # type: ignore[assignment] # each round holds more


def read_people(files: Sequence[DataFile]) -> StudyData:
    """The questions with the speeches for both answers, and what the person who judged live believed in the end.

    Raises ``BadItem`` with the file, the line and the reason.
    """
    debates = tuple(read_lines(files, _read))
    quotes: dict[str, list[str]] = {}
    for each in debates:
        quotes.setdefault(_story(each), []).extend(quote for speech in each.rounds for quote in speech.quotes)
    passages = {story: "\n\n".join(dict.fromkeys(found)) for story, found in quotes.items() if found}
    items = tuple(_item(each, passages) for each in debates)
    people = tuple(
        PersonAnswered(item=each.id, cluster=_story(each), p_right=each.judge_final[each.correct]) for each in debates
    )
    first = f"From {named(files)}: {len(items):,} debates on {len(quotes):,} stories."
    return whole(StudyData(protocol="nyu", items=items, passages=passages, notes=(first, *NOTES), people=people))


def _story(debate: JudgedStory) -> str:
    return debate.story.strip(' "')


def _read(line: bytes) -> QuotedStory:
    debate = msgspec.json.decode(line, type=QuotedStory)
    if not {"A", "B"} <= {each.by for each in debate.rounds if each.text.strip()}:
        raise ValueError(f"{debate.id}: not both answers have a speech")
    if not all(0 <= belief <= 1 for belief in debate.judge_final):
        raise ValueError(f"{debate.id}: judge_final has a probability that is not from 0 to 1")
    return debate


def _item(debate: QuotedStory, passages: Mapping[str, str]) -> StudyItem:
    """The round of a speech is its number among those of its speaker, since the judge may end a debate at any time."""
    story = _story(debate)
    spoken = Counter[str]()
    speeches = []
    for each in debate.rounds:
        if each.by in {"A", "B"} and each.text.strip():
            spoken[each.by] += 1
            number = spoken[each.by]
            speeches.append(ItemSpeech(round=number, answer=0 if each.by == "A" else 1, text=_marked(each)))
    return StudyItem(
        id=debate.id,
        cluster=story,
        question=f"On the story “{story}”: {debate.question.strip()}",
        answers=(debate.answers[0].strip(), debate.answers[1].strip()),
        right=debate.correct,
        passage=story if story in passages else "",
        speeches=tuple(speeches),
    )


def _marked(speech: QuotedRound) -> str:
    """The text with its quotes marked as those of other debates are."""
    text = speech.text.strip()
    for quote in {each for each in speech.quotes if len(each) >= SHORTEST}:
        text = text.replace(f"“{quote}”", f"<quote>{quote}</quote>")
    return text
