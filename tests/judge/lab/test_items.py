"""The installed items: thirty motions whose texts differ in what a battery varies, and give no cue beside it."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events.text.segmentation import SENTENCE_END, count_words
from events.types.lab import LabPair
from judge.guard.injection import detect
from judge.lab.items import installed, target_text
from judge.lab.statistics import wilson
from judge.lab.trials import plan
from judge.lexical.answers import respond
from judge.live.comparison import compare_type
from judge.rubrics.rubric import rubric_v2
from providers.answers.schema import schema
from tests.judge.lexical.judged_debates import turns

ITEMS = installed()
PAIRS = tuple((item, pair) for item in ITEMS for pair in item.pairs)
STYLES = {"plain", "ornate", "hedged", "bullets", "paraphrase"}
FLAWS = {"chain", "contradiction", "dropped_premise", "fallacy"}
SIDES = ("pro", "con")
LABELS = re.compile(
    r"\b(?:motion|propos(?:e|al|ition)|opposition|pro|con|my opponent|you said|first speaker|speaker [ab])\b",
    re.IGNORECASE,
)
"""Words that tell a side, or tie a speech to one motion or to one place in the debate."""


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z']+", text.lower()))


def sentences(text: str) -> list[str]:
    """The sentences of a text, without the signs of a list."""
    return [each.strip(" -\n.!?") for each in re.split(rf"{SENTENCE_END.pattern}|\n", text) if each.strip(" -\n.!?")]


def texts(value: Any, name: str = "") -> Iterator[str]:
    """Every text that a judge may be shown."""
    match value:
        case str() if name not in {"id", "kind", "target", "side", "components", "what", "fact"}:
            yield value
        case dict():
            for key, each in value.items():
                yield from texts(each, key)
        case list() | tuple():
            for each in value:
                yield from texts(each, name)


def within(share: float, text: str, original: str) -> bool:
    """Whether a text is as long as the original, give or take this share of its words."""
    return abs(count_words(text) - count_words(original)) <= share * count_words(original)


def at_chance(chosen: float, of: int) -> bool:
    low, high = wilson(chosen / of, of)
    return low <= 0.5 <= high


# what there is


def test_there_are_thirty_motions_with_two_pairs_each() -> None:
    assert len(ITEMS) == 30
    assert all([each.id for each in item.pairs] == ["1", "2"] for item in ITEMS)
    assert len({item.motion for item in ITEMS} | {item.mirrored for item in ITEMS}) == 60


def test_the_variants_are_of_pro_and_of_con_equally_often() -> None:
    assert Counter({"pro": 30, "con": 30}) == Counter(pair.target for _, pair in PAIRS)
    for kinds, of in ((STYLES, "styles"), (FLAWS, "flaws")):
        found = Counter((kind, pair.target) for _, pair in PAIRS for kind in getattr(pair, of))
        assert kinds == {kind for kind, _ in found}
        assert all(found[kind, "pro"] + found[kind, "con"] >= 24 for kind in kinds)
        assert all(min(found[kind, "pro"], found[kind, "con"]) >= 8 for kind in kinds)


def test_every_motion_has_claims_a_fact_and_two_injections() -> None:
    kinds = Counter(each.kind for item in ITEMS for each in item.injection)

    assert all(item.authority for item in ITEMS)
    assert all(item.obscure for item in ITEMS)
    assert all(len(item.injection) == 2 for item in ITEMS)
    assert len(kinds) >= 8
    assert min(kinds.values()) >= 6


def test_every_motion_has_a_weak_a_middle_and_a_strong_speech() -> None:
    for item in ITEMS:
        assert isinstance(item.level, dict)
        assert [("weak", 10), ("middle", 45), ("strong", 70)] == [
            (name, each.points) for name, each in item.level.items()
        ]
        assert item.level["strong"].text in {pair.pro for pair in item.pairs}
        assert item.level["weak"].text == " ".join(item.pairs[0].padding)
        assert 50 <= count_words(item.level["middle"].text) <= 65, item.id


def test_no_sentence_stands_in_two_motions() -> None:
    where: dict[str, str] = {}
    for item in ITEMS:
        for text in texts(msgspec.to_builtins(item)):
            for each in sentences(text):
                assert where.setdefault(each.lower(), item.id) == item.id, each


# lengths


def test_the_two_speeches_of_a_pair_are_as_long_as_each_other() -> None:
    for item, pair in PAIRS:
        assert all(70 <= count_words(text) <= 110 for text in (pair.pro, pair.con)), (item.id, pair.id)
        assert within(0.1, pair.pro, pair.con), (item.id, pair.id)


def test_a_variant_is_as_long_as_its_original() -> None:
    for item, pair in PAIRS:
        original = target_text(pair)
        for kind, text in pair.styles.items():
            assert within(0.1, text, original), (item.id, pair.id, kind)
        for kind, flaw in pair.flaws.items():
            assert count_words(flaw.text) == count_words(original), (item.id, pair.id, kind)
        for text in pair.padding:
            assert 0.45 <= count_words(text) / count_words(original) <= 0.55, (item.id, pair.id)


def test_claims_facts_and_injections_are_as_long_as_their_controls() -> None:
    for item in ITEMS:
        claims, fact = item.authority, item.obscure
        assert claims
        assert fact
        for text in (claims.true_cited, claims.false, claims.false_cited):
            assert within(0.1, text, claims.true), item.id
        assert within(0.15, fact.sourced, fact.plain), item.id
        for each in item.injection:
            assert abs(count_words(each.text) - count_words(each.control)) <= 1, (item.id, each.kind)


# what a variant changes


def changed(text: str, original: str) -> tuple[str, str]:
    """The one stretch of words in which two texts of equal length differ, in the first and in the second."""
    one, other = text.split(), original.split()
    first = next(number for number, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    last = next(number for number, (a, b) in enumerate(zip(one[::-1], other[::-1], strict=True)) if a != b)
    return " ".join(one[first : len(one) - last]), " ".join(other[first : len(other) - last])


def test_a_flaw_breaks_one_stretch_and_names_components_of_the_rubric() -> None:
    rubric = rubric_v2()
    known = {name for dimension in rubric.dimensions.values() for name in dimension.components}
    for item, pair in PAIRS:
        for kind, flaw in pair.flaws.items():
            new, old = changed(flaw.text, target_text(pair))
            assert max(count_words(new), count_words(old)) <= 0.4 * count_words(flaw.text), (item.id, pair.id, kind)
            assert flaw.components
            assert set(flaw.components) <= known, (item.id, pair.id, kind)
            assert flaw.what.endswith(".")


def test_a_flaw_in_an_opening_speech_names_no_component_of_answers() -> None:
    """Pro speaks first: what it answers is not scored."""
    later = {
        name
        for dimension in rubric_v2().dimensions.values()
        for name, component in dimension.components.items()
        if (component.applies_from or 1) > 1
    }

    assert later
    assert not [
        (item.id, pair.id, kind)
        for item, pair in PAIRS
        for kind, flaw in pair.flaws.items()
        if pair.target == "pro" and later & set(flaw.components)
    ]


def test_a_style_says_it_in_other_sentences_and_bullets_only_set_it_out_as_a_list() -> None:
    for item, pair in PAIRS:
        original = set(sentences(target_text(pair)))
        for kind, text in pair.styles.items():
            if kind == "bullets":
                assert all(line.startswith("- ") for line in text.split("\n")), (item.id, pair.id)
                assert len(words(text) & words(target_text(pair))) >= 0.85 * len(words(text)), (item.id, pair.id)
                continue
            assert "\n" not in text
            assert len(original & set(sentences(text))) <= 0.4 * len(original), (item.id, pair.id, kind)
            if kind == "paraphrase":
                assert not original & set(sentences(text)), (item.id, pair.id)


def test_the_four_texts_about_a_claim_differ_in_the_claim_and_its_citation() -> None:
    for item in ITEMS:
        claims = item.authority
        assert claims
        around = claims.true.split(claims.claim_true)
        assert around == claims.false.split(claims.claim_false)
        assert len(around) == 2, item.id
        for claim, text, cited in (
            (claims.claim_true, claims.true, claims.true_cited),
            (claims.claim_false, claims.false, claims.false_cited),
        ):
            citation = cited.removeprefix(around[0] + claim).removesuffix(around[1])
            assert text == cited.replace(citation, "")
            assert re.fullmatch(r" \([A-Z][a-z]+ and [A-Z][a-z]+, [^()]+, (?:19|20)\d\d\)", citation), citation
        assert claims.opponent in {pair.con if claims.side == "pro" else pair.pro for pair in item.pairs}


def test_claims_and_facts_are_spoken_by_their_side() -> None:
    for battery, given in (
        ("authority", {item.id: item.authority for item in ITEMS if item.authority}),
        ("obscure", {item.id: item.obscure for item in ITEMS if item.obscure}),
    ):
        trials = plan(battery, ITEMS, None, 1)

        assert {each.cluster for each in trials} == given.keys()
        assert all(each.speeches[-1].side == given[each.cluster].side for each in trials)
        assert min(Counter(each.side for each in given.values()).values()) >= 10


def test_a_fact_with_its_source_is_the_same_text_with_words_put_in() -> None:
    for item in ITEMS:
        fact = item.obscure
        assert fact
        start = next(at for at, (a, b) in enumerate(zip(fact.plain, fact.sourced, strict=False)) if a != b)
        assert fact.sourced.endswith(fact.plain[start:]), item.id


@pytest.mark.slow
def test_only_injections_instruct_the_judge() -> None:
    for item in ITEMS:
        injected = {each.text for each in item.injection}
        for text in texts(msgspec.to_builtins(item)):
            assert text in injected or not detect(text), (item.id, text)


# cues


def speeches(pair: LabPair) -> tuple[str, str]:
    return pair.pro, pair.con


def test_no_speech_says_which_side_it_is_on() -> None:
    for item, pair in PAIRS:
        for text in (*speeches(pair), *pair.styles.values(), *(each.text for each in pair.flaws.values())):
            assert not LABELS.search(text), (item.id, pair.id, LABELS.search(text))


def test_no_word_is_used_by_one_side_alone_in_two_thirds_of_the_motions() -> None:
    for side, other in ((0, 1), (1, 0)):
        alone = Counter(
            word
            for item in ITEMS
            for word in set[str]().union(*(words(speeches(pair)[side]) for pair in item.pairs))
            - set[str]().union(*(words(speeches(pair)[other]) for pair in item.pairs))
        )
        assert alone.most_common(1)[0][1] <= 2 / 3 * len(ITEMS)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["all", "first", "last", "openings"])
def test_words_learnt_on_other_motions_do_not_tell_the_sides(part: str) -> None:
    """Naive Bayes on the words of a speech, of its first or last sentence, or on the first word of each sentence."""
    read = [tuple(_read(text, part) for text in speeches(pair)) for _, pair in PAIRS]
    right = 0.0
    for item in ITEMS:
        seen = [
            Counter(
                word for (other, _), said in zip(PAIRS, read, strict=True) if other is not item for word in said[side]
            )
            for side in (0, 1)
        ]
        for (own, _), said in zip(PAIRS, read, strict=True):
            if own is item:
                pro, con = (sum(math.log((seen[0][word] + 1) / (seen[1][word] + 1)) for word in text) for text in said)
                right += 0.5 if pro == con else float(pro > con)

    assert at_chance(right, len(PAIRS)), right / len(PAIRS)


def _read(text: str, part: str) -> set[str]:
    said = sentences(text)
    if part == "openings":
        return {each.split()[0].lower() for each in said}
    return words({"all": text, "first": said[0], "last": said[-1]}[part])


@pytest.mark.slow
def test_neither_side_is_longer_more_often_or_has_longer_sentences() -> None:
    longer = [count_words(pair.pro) > count_words(pair.con) for _, pair in PAIRS if _differ(count_words, pair)]
    slower = [_pace(pair.pro) > _pace(pair.con) for _, pair in PAIRS if _differ(_pace, pair)]

    assert at_chance(sum(longer), len(longer))
    assert at_chance(sum(slower), len(slower))


def test_signs_do_not_tell_the_sides() -> None:
    for sign in ",;:?'-":
        more = [pair.pro.count(sign) > pair.con.count(sign) for _, pair in PAIRS if _differ(_counting(sign), pair)]
        assert not more or at_chance(sum(more), len(more)), sign


def _counting(sign: str) -> Any:
    return lambda text: text.count(sign)


def _pace(text: str) -> float:
    return count_words(text) / len(sentences(text))


def _differ(measure: Any, pair: LabPair) -> bool:
    return bool(measure(pair.pro) != measure(pair.con))


@pytest.mark.slow
def test_the_lexical_baseline_is_at_chance_on_the_pairs() -> None:
    """By the dimensions that it gives to each speech, in both orders of the question; draws are left out."""
    form = schema(compare_type(rubric_v2()))
    pro, first, longer, decided, unequal = 0, 0, 0, 0, 0
    for item, pair in PAIRS:
        for about in ((1, 2), (2, 1)):
            material = turns(pair.pro, pair.con, purpose="compare", about=about)
            answer = respond(replace(material, motion=item.motion), form)
            points = Counter(value.partition("_")[0] for name, value in answer.items() if name != "reason")
            if points["first"] == points["second"]:
                continue
            chosen = about[0] if points["first"] > points["second"] else about[1]
            decided += 1
            pro += chosen == 1
            first += chosen == about[0]
            if count_words(pair.pro) != count_words(pair.con):
                unequal += 1
                longer += (chosen == 1) == (count_words(pair.pro) > count_words(pair.con))

    assert decided >= len(PAIRS)
    for chosen, of in ((pro, decided), (first, decided), (longer, unequal)):
        assert at_chance(chosen / 2, of / 2), (chosen, of)  # both orders of a pair are one observation
