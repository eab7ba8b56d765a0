"""Debates that the lexical baseline judges, step by step, without a server."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from events.types import ModelAnswered
from events.types.rubric import Rubric
from judge.lexical.answers import NAME, respond
from judge.rubrics.rubric import rubric_v2
from providers.answers.schema import schema
from providers.base import Material, Speech
from server.debate.formats.steps import Ask, Record, Speak
from tests.server.debate_events import Play, opened, reply, spoken, started

MOTION = "Cities should ban private cars from their centres"
TURNS = (
    (
        "Cities should ban private cars from their centres because cars take most of the street. A bus carries 40 "
        "people in the space of two cars, so that more people can reach the shops. As a result shops gain customers, "
        "and families can walk safely."
    ),
    (
        "You say that shops gain customers. But many customers come by car from villages without a bus, so they will "
        "go to the mall instead. The question is who pays: workers who start at five in the morning have no bus at "
        "all."
    ),
    (
        "Granted, a village without a bus needs one first. However, the ban frees the money for it: parking in the "
        "centre costs a city 2,000 euros per place each year. So buses for the villages can be paid by the streets "
        "that cars leave."
    ),
    (
        "The villages have asked for a bus for thirty years because the city never paid for one. Free streets do not "
        "pay for drivers, so the money that you promise will be gone before the first bus runs."
    ),
)
Judged = list[tuple[Ask, dict[str, Any]]]


def judged(
    texts: Sequence[str], *, rubric: Rubric | None = None, appeals: str = "none", language: str = "en"
) -> tuple[Play, Judged]:
    """A debate with these turns, and each question with the baseline's answer."""
    begun = opened(len(texts), appeals=appeals)
    seat = replace(begun.judge, model="baseline:lexical", reads="whole", window=0, baseline=NAME)
    play = Play(replace(begun, motion=MOTION, rubric=rubric or rubric_v2(), judge=seat, language=language))
    given: Judged = []
    while steps := play.steps:
        if isinstance(steps[0], Record):
            play.add(*steps[0].drafts)
            continue
        for step in steps:
            if isinstance(step, Speak):
                play.add(started(step.turn), spoken(step.turn, text=texts[step.turn - 1]))
            elif isinstance(step, Ask):
                assert step.material is not None
                given.append((step, respond(step.material, schema(step.reads))))
                play.add(reply(step, given[-1][1]))
    return play, given


def answer_to(given: Judged, key: str) -> dict[str, Any]:
    """The answer to one question."""
    [found] = [value for step, value in given if step.key == key]
    return found


def answers_of(play: Play) -> dict[str, str]:
    """The recorded answers, by key."""
    return {each.key: each.answer for each in play.of(ModelAnswered)}


def relabelled(material: Material) -> Material:
    """The same material with the labels of the speakers swapped."""
    swap = {"A": "B", "B": "A"}
    return replace(
        material,
        speeches=tuple(replace(each, speaker=swap[each.speaker]) for each in material.speeches),
        register=tuple(replace(each, speaker=swap[each.speaker]) for each in material.register),
    )


def turns(*texts: str, purpose: str = "score", about: Sequence[int] = (), language: str = "en") -> Material:
    """Material about turns of alternating speakers."""
    speeches = tuple(
        Speech(name=str(number), speaker="AB"[(number - 1) % 2], text=text) for number, text in enumerate(texts, 1)
    )
    asked = tuple(map(str, about or (len(texts),)))
    return Material(purpose=purpose, motion=MOTION, speeches=speeches, about=asked, language=language)
