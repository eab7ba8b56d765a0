"""The words of a lab run: its batteries, its effects, its summary, and what it says of a known weakness."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from events.types import Battery, Effect, LabVerdict
from events.types.lab import OF_ABILITY
from events.view.lab import LabView
from judge.lab.trials import BATTERIES
from server.export.lab.figures import in_figures

VERDICTS: Final[Mapping[LabVerdict, str]] = {
    "biased": "a difference beyond chance",
    "biased, by less than matters": "a difference beyond chance, and too small to matter",
    "no bias that matters": "a difference that would matter is excluded",
    "cannot tell": "neither a bias nor its absence is shown: more items would tell",
    "measured": "a figure without a value to compare it with",
    "better": "better, beyond chance, than what it is compared with",
    "worse": "worse, beyond chance, than what it is compared with",
    "not shown": "it could be what it is compared with",
    "within the floor": "judged by an earlier rule, which let the noise of one answer hide a bias",
    "could not have seen it": "judged by an earlier rule: too few items",
}
FREE: Final[frozenset[LabVerdict]] = frozenset(("biased, by less than matters", "no bias that matters"))
"""Verdicts that exclude a bias that matters."""
NAMED: Final = 6
"""Biases that the summary names."""
OF_WEAKNESS: Final[Mapping[str, tuple[tuple[Battery, str], ...]]] = {
    "order": (("position", "first_pick"), ("position", "flips"), ("last_word", "last_pick")),
    "length": (("length", "padded_50"), ("length", "padded_100"), ("length", "padded_100_wins")),
    "side": (("side", "pro_less_con"), ("side", "pro_pick"), ("labels", "pro_by_name")),
    "family": (("family", "own_pick"),),
    "alarms": (("authority", "false_alarms"), ("authority", "cited_false"), ("obscure", "fabricated_sourced")),
    "leniency": (("level", "points"), ("people", "scores_level"), ("retest", "sd")),
    "samples": (("retest", "sd"), ("retest", "flips")),
    "conformity": (("pressure", "belief"), ("pressure", "crowd"), ("pressure", "challenge")),
    "injection": (("injection", "points"), ("injection", "wins")),
    "truth": (
        ("people", "pairs_accuracy"),
        ("people", "pairs_kappa"),
        ("people", "debates_accuracy"),
        ("people", "debates_kappa"),
        ("pressure", "right_plain"),
    ),
}
"""The effects that a lab measures of each known weakness of ``judge/report/weaknesses.json``."""


# beside the known weaknesses


class LabFinding(Struct, frozen=True, kw_only=True):
    """What one run says of a weakness."""

    judge: str
    run: str
    says: tuple[str, ...]


def findings(runs: Iterable[tuple[str, str, Sequence[Effect]]]) -> dict[str, tuple[LabFinding, ...]]:
    """What runs, given as (id, judge, effects), say of each known weakness."""
    given = tuple(runs)
    return {weakness: found for weakness, wanted in OF_WEAKNESS.items() if (found := tuple(_findings(given, wanted)))}


def _findings(
    runs: Iterable[tuple[str, str, Sequence[Effect]]], wanted: Collection[tuple[Battery, str]]
) -> Iterator[LabFinding]:
    for run, judge, effects in runs:
        says = tuple(
            effect_sentence(each)
            for each in effects
            if (each.battery, each.name) in wanted and each.estimate is not None
        )
        if says:
            yield LabFinding(judge=judge, run=run, says=says)


def answers(effects: Sequence[Effect]) -> list[tuple[str, str]]:
    """The title of each battery with a tested figure, and what the run says of it."""
    found = []
    for battery in dict.fromkeys(each.battery for each in effects):
        tested = [each for each in effects if each.battery == battery and each.is_of_bias]
        biased = [name_of(each) + _less(each) for each in tested if each.is_biased]
        free = sum(each.verdict in FREE for each in tested)
        able = [each for each in effects if each.battery == battery and each.verdict in OF_ABILITY]
        if able and not biased:
            tested, answer = able, "; ".join(f"{name_of(each)}: {each.verdict}" for each in able)
        elif biased:
            answer = f"biased ({'; '.join(biased)})"
        elif free == len(tested):
            answer = "no bias that matters"
        elif not free:
            answer = "not known: more items are needed"
        else:
            answer = f"no bias that matters in {free} of {len(tested)} figures; the rest is not known"
        if tested:
            found.append((BATTERIES[battery].title, answer))
    return found


def _less(effect: Effect) -> str:
    return ", by less than matters" if effect.verdict in FREE else ""


def verdict_words(effect: Effect) -> str:
    """The verdict on an effect, with the number of items that would be enough."""
    return effect.verdict if effect.enough is None else f"{effect.verdict}: {effect.enough:,} items would"


def lost_trials(lab: LabView) -> str:
    """How many trials have no answer that can be used; empty if all have one."""
    if not lab.failed_trials:
        return ""
    trials = sum(each.trials for each in lab.batteries.values())
    return f"{lab.failed_trials:,} of {trials:,} trials have no answer that can be used"


def summary(effects: Sequence[Effect]) -> str:
    """The result in one or two sentences: the biases, then how many comparisons exclude one that matters."""
    tested = [each for each in effects if each.is_of_bias]
    if not tested:
        return "No figure of this run has a value to compare it with."
    biased = [each for each in tested if each.is_biased]
    others = [each for each in tested if not each.is_biased]
    rest = _without_bias(others)
    if not biased:
        return f"Of {len(tested)} {_comparisons(len(tested))}, {rest}"
    names = "; ".join(f"{full_name(each)}{_less(each)}" for each in biased[:NAMED])
    more = f"; and {len(biased) - NAMED} more" if len(biased) > NAMED else ""
    shows = "shows" if len(biased) == 1 else "show"
    found = f"{len(biased)} of {len(tested)} {_comparisons(len(tested))} {shows} a bias ({names}{more})."
    return f"{found} Of the other {len(others)}, {rest}" if others else found


def _comparisons(number: int) -> str:
    return "comparison" if number == 1 else "comparisons"


def _without_bias(effects: Sequence[Effect]) -> str:
    """How many of the comparisons that show no bias exclude one that matters."""
    free = sum(each.verdict in FREE for each in effects)
    if not free:
        return "none can tell whether there is a bias that matters."
    excluded = f"{free} {'exclude' if free > 1 else 'excludes'} a bias that matters"
    return f"{excluded}; the rest cannot tell." if free < len(effects) else f"{excluded}."


EFFECTS: Final[Mapping[str, str]] = {
    "retest.sd": "standard deviation of a repeated score",
    "retest.flips": "repeated verdicts that differ",
    "position.first_pick": "first speech chosen",
    "position.toward_first": "first chosen, of pairs judged by order",
    "position.flips": "verdicts that the order changes",
    "position.flips_beyond_retest": "verdicts changed by order, beyond retest",
    "side.pro_less_con": "score as Pro less score as Con",
    "side.pro_pick": "Pro chosen",
    "side.per_degree": "scores apart for each degree of a comparison",
    "labels.kappa": "agreement of the verdicts (kappa)",
    "labels.flips": "verdicts that other names change",
    "labels.flips_beyond_retest": "verdicts changed by names, beyond retest",
    "labels.pro_by_name": "Pro chosen more often when called Pro",
    "last_word.last_pick": "last speech chosen",
    "last_word.con_less_pro": "last speech chosen: Con's less Pro's",
    "length.padded_50": "50 % longer: change of the score",
    "length.padded_50_wins": "50 % longer: chosen more often",
    "length.padded_100": "100 % longer: change of the score",
    "length.padded_100_wins": "100 % longer: chosen more often",
    "authority.cited_true": "true claim, cited: change of the score",
    "authority.cited_false": "false claim, cited: change of the score",
    "authority.cited_true_flagged": "true claim, cited: flagged more often",
    "authority.cited_false_flagged": "false claim, cited: flagged more often",
    "authority.sensitivity": "false claims that are flagged",
    "authority.false_alarms": "flagged although the claim is true",
    "obscure.fabricated_plain": "without source: called fabricated",
    "obscure.fabricated_sourced": "with source: called fabricated",
    "obscure.sourced_flagged": "with source: flagged more often",
    "injection.points": "all kinds: change of the score",
    "injection.wins": "all kinds: chosen more often",
    "pressure.right_plain": "no pressure: speech without flaw chosen",
    "pressure.belief": "a belief: flawed speech chosen more often",
    "pressure.crowd": "a crowd: flawed speech chosen more often",
    "pressure.challenge": "a doubt: flawed speech chosen more often",
    "family.own_pick": "speech of its own family chosen",
    "people.scores_level": "scores: points more than people give",
    "people.scores_rank": "scores: rank correlation with people",
    "level.points": "points more than the anchors",
    "level.weak": "weak speeches: points more than the anchors",
    "level.middle": "middle speeches: points more than the anchors",
    "level.strong": "strong speeches: points more than the anchors",
    "level.ordered": "weak, middle and strong scored in this order",
}
"""The names of effects in words, by battery and name."""
ENDINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "flaw": {
        "_named": "broken components",
        "_sensitivity": "broken ones that fall, net",
        "_others": "all other components",
    },
    "people": {
        "_points_accuracy": "accuracy of the judge's points",
        "_accuracy": "accuracy of the judge",
        "_kappa": "agreement beyond chance (kappa)",
        "_length_alone": "accuracy of length alone",
        "_beyond_length": "judge less length alone",
        "_beyond_person": "judge less people who judged live",
        "_person": "accuracy of people who judged live",
        "_brier": "Brier score",
    },
}
"""The second part of a name whose first part is a kind of the battery."""


def effect_name(battery: str, name: str) -> str:
    """The name of an effect in words."""
    if known := EFFECTS.get(f"{battery}.{name}"):
        return known
    for ending, words in ENDINGS.get(battery, {}).items():
        if name.endswith(ending):
            return f"{name.removesuffix(ending).replace('_', ' ')}: {words}"
    plain = name.replace("_", " ")
    return f"{plain}: change of the score" if battery in {"style", "injection"} else plain


def name_of(effect: Effect) -> str:
    """The name of an effect in words."""
    return effect_name(effect.battery, effect.name)


def full_name(effect: Effect) -> str:
    """The name of an effect after that of its battery."""
    return f"{BATTERIES[effect.battery].title}, {name_of(effect)}"


def effect_sentence(effect: Effect) -> str:
    """An effect as a sentence: its name, its figures and its verdict."""
    return f"{full_name(effect)}: {in_figures(effect)}: {verdict_words(effect)}."
