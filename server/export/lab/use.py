"""May I use this judge?  What a lab run shows of the least that a judge must show before its verdicts are relied on.

Each condition is met, not met, or not yet shown, and has the figures that say so.  The first conditions are those of
Norman (2026, arXiv 2606.19544) as we read them: agreement with people beyond chance and not exact match, the effect of
the order next to the retest, and more than one kind of material.  The others say that nothing moves the verdict that
should not.  The bound for kappa is that of moderate agreement (Landis and Koch 1977).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from events.types import Battery, Effect
from server.export.lab import FREE, effect_sentence

Answer = Literal["yes", "no", "not yet shown"]
MODERATE: Final = 0.41
"""The kappa from which agreement is called moderate."""
KINDS: Final = 2
"""Kinds of material that people judged; one alone does not tell how a judge does on another."""
PEOPLE: Final = "Name a file of texts that people judged: --data PATH."
ANOTHER: Final = "Name a file of another kind too: pairs, debates, or speeches with scores."


class Condition(Struct, frozen=True, kw_only=True):
    """One condition, with the figures behind the answer."""

    asks: str
    answer: Answer
    figures: tuple[str, ...]
    """In words; what to measure where there is none."""


class Use(Struct, frozen=True, kw_only=True):
    """The answer, and every condition."""

    answer: Answer
    says: str
    """The answer as a sentence."""
    conditions: tuple[Condition, ...]


class _Row(NamedTuple):
    asks: str
    """Yes is the good answer."""
    judged: Callable[[Sequence[Effect]], tuple[Answer, Sequence[Effect]]]
    """The answer, and the effects behind it."""
    needs: tuple[Battery, ...]
    """The batteries without which there is no answer."""


def may_use(effects: Sequence[Effect]) -> Use:
    """What the effects of a run say of each condition.

    The answer is no if a condition is not met, and yes only if all are met.
    """
    conditions = tuple(_condition(row, effects) for row in ROWS)
    answers = [each.answer for each in conditions]
    answer: Answer = "no" if "no" in answers else "yes" if set(answers) == {"yes"} else "not yet shown"
    return Use(answer=answer, says=_says(answer, conditions), conditions=conditions)


def _says(answer: Answer, conditions: Sequence[Condition]) -> str:
    met = sum(each.answer == "yes" for each in conditions)
    counted = f"{met} of {len(conditions)} conditions are met"
    if answer == "yes":
        return "Yes, for texts like those of this run: every condition is met."
    failed, left = ([each.asks for each in conditions if each.answer == which] for which in ("no", "not yet shown"))
    if answer == "no":
        open_ = f", and {len(left)} {'is' if len(left) == 1 else 'are'} not yet shown" if left else ""
        return f"No: {counted}{open_}. Not met: {' '.join(failed)}"
    return f"Not yet shown: {counted}, and none is known to fail. To be shown: {' '.join(left)}"


def _condition(row: _Row, effects: Sequence[Effect]) -> Condition:
    answer, behind = row.judged(effects)
    figures = [effect_sentence(each) for each in behind if each.estimate is not None]
    measured = {each.battery for each in effects if each.estimate is not None}
    lacking = [battery for battery in row.needs if battery not in measured]
    if answer == "not yet shown":
        figures += [PEOPLE if battery == "people" else f"Run the battery {battery}." for battery in lacking]
        figures += [ANOTHER] * (row.judged is _several and not lacking)
    return Condition(asks=row.asks, answer=answer, figures=tuple(figures))


def _named(effects: Sequence[Effect], battery: Battery, *ends: str) -> list[Effect]:
    return [each for each in effects if each.battery == battery and each.name.endswith(ends)]


def _of_bias(effects: Sequence[Effect], *batteries: Battery) -> list[Effect]:
    return [each for each in effects if each.battery in batteries and each.is_of_bias]


def _decided(is_met: Sequence[bool], is_failed: Sequence[bool]) -> Answer:
    """No if one fails; yes if there is one and all are met."""
    if any(is_failed):
        return "no"
    return "yes" if is_met and all(is_met) else "not yet shown"


def _agrees(effects: Sequence[Effect]) -> tuple[Answer, Sequence[Effect]]:
    found = _named(effects, "people", "_kappa")
    ends = [(each.low, each.high) for each in found]
    met = [low is not None and low >= MODERATE for low, _ in ends]
    return _decided(met, [high is not None and high < MODERATE for _, high in ends]), found


def _beyond_length(effects: Sequence[Effect]) -> tuple[Answer, Sequence[Effect]]:
    found = _named(effects, "people", "_beyond_length")
    return _decided([each.verdict == "better" for each in found], [each.verdict == "worse" for each in found]), found


def _several(effects: Sequence[Effect]) -> tuple[Answer, Sequence[Effect]]:
    found = [each for each in _named(effects, "people", "_kappa", "scores_rank") if each.estimate is not None]
    return ("yes" if len(found) >= KINDS else "not yet shown"), found


def _in_either_order(effects: Sequence[Effect]) -> tuple[Answer, Sequence[Effect]]:
    """A judge that repeats itself can still follow the order: so the retest is shown, and the order decides."""
    again = [each for each in effects if (each.battery, each.name) == ("retest", "flips")]
    answer = _unmoved(_of_bias(effects, "position"))
    if answer == "yes" and not any(each.estimate is not None for each in again):
        answer = "not yet shown"
    return answer, (*again, *_named(effects, "position", "first_pick", "flips", "flips_beyond_retest"))


def _unmoved(effects: Sequence[Effect]) -> Answer:
    biased = [each.is_biased and each.verdict not in FREE for each in effects]
    return _decided([each.verdict in FREE for each in effects], biased)


def _sees_flaws(effects: Sequence[Effect]) -> tuple[Answer, Sequence[Effect]]:
    found = _named(effects, "flaw", "_sensitivity")
    met = [each.low is not None and each.low > 0 for each in found]
    return _decided(met, [each.high is not None and each.high < 0 for each in found]), found


def _level(effects: Sequence[Effect]) -> tuple[Answer, Sequence[Effect]]:
    found = _of_bias(effects, "level", "people")
    answer = _unmoved(found)
    anchored = any(each.battery == "level" for each in found)
    return ("not yet shown" if answer == "yes" and not anchored else answer), found


def _not_moved_by(battery: Battery, what: str) -> _Row:
    def judged(effects: Sequence[Effect]) -> tuple[Answer, Sequence[Effect]]:
        found = _of_bias(effects, battery)
        return _unmoved(found), found

    return _Row(f"Is it unmoved by {what}?", judged, (battery,))


def _rows() -> Iterator[_Row]:
    yield _Row(f"Does it agree with people beyond chance (kappa of {MODERATE} or more)?", _agrees, ("people",))
    yield _Row("Does it agree with people more than the longer speech does?", _beyond_length, ("people",))
    yield _Row("Was it compared with people on more than one kind of material?", _several, ("people",))
    order = "Does it give the same verdict in either order of the speeches?"
    yield _Row(order, _in_either_order, ("retest", "position"))
    yield _Row("Are its points at the level of the anchors?", _level, ("level",))
    yield _Row("Does it see planted flaws of every kind?", _sees_flaws, ("flaw",))
    yield _not_moved_by("side", "the side that a speech argues for")
    yield _not_moved_by("labels", "the names of the speakers")
    yield _not_moved_by("last_word", "who speaks last")
    yield _not_moved_by("length", "sentences without content")
    yield _not_moved_by("style", "style")
    yield _not_moved_by("authority", "citations that look real")
    yield _not_moved_by("injection", "instructions in a speech")
    yield _not_moved_by("pressure", "the opinions of others")


ROWS: Final = tuple(_rows())
