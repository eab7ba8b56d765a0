"""Rubric v1 has the figures of the design, and an invalid rubric is refused with its field."""

from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from events.types.rubric import Rubric, name_of_rubric
from judge.errors import RubricError
from judge.rubrics.rubric import (
    SHIPPED,
    as_rubric,
    checked,
    digest,
    load_rubric,
    parse_rubric,
    rubric_v1,
    rubric_v3,
    shipped_rubric,
    with_evidence,
)


def changed(path: str, value: object) -> bytes:
    """Rubric v1 as JSON with one field replaced; ``path`` is dotted."""
    tree = msgspec.to_builtins(rubric_v1())
    *parents, last = path.split(".")
    node = tree
    for parent in parents:
        node = node[parent]
    node[last] = value
    return msgspec.json.encode(tree)


@pytest.mark.parametrize(
    ("dimension", "maximum", "components"),
    [
        ("logic", 40, {"cause": 10, "process": 10, "consequence": 10, "weakest_premise": 10}),
        ("rhetoric", 30, {"framing": 8, "structure": 7, "delivery": 8, "resonance": 7}),
        ("tactics", 30, {"responsiveness": 10, "targeting": 10, "positioning": 10}),
        ("frame_control", 10, {"frame_control": 10}),
        ("credibility", 10, {"credibility": 10}),
    ],
)
def test_points_are_the_designs(dimension: str, maximum: int, components: dict[str, int]) -> None:
    found = rubric_v1().dimensions[dimension]

    assert (maximum, components) == (found.maximum, {n: c.maximum for n, c in found.components.items()})
    assert (maximum > 10) == found.in_composite
    assert all(c.needs_quote == found.in_composite for c in found.components.values())


def test_rules_are_the_designs() -> None:
    rubric = rubric_v1()
    logic, rhetoric = rubric.dimensions["logic"], rubric.dimensions["rhetoric"]

    assert logic.chain is not None
    assert (("cause", "process", "consequence"), (28, 18, 8)) == (logic.chain.links, logic.chain.caps)
    assert logic.excellence is not None
    assert (35, 8) == (logic.excellence.above, logic.excellence.each_at_least)
    assert rhetoric.leash is not None
    assert ("framing", 4, "delivery", 1) == msgspec.structs.astuple(rhetoric.leash)
    assert {"weakest_premise", "responsiveness"} == {
        name for d in rubric.dimensions.values() for name, c in d.components.items() if c.applies_from == 2
    }
    assert {
        "logic": ((22, 40), (0, 21)),
        "rhetoric": ((17, 30), (0, 16)),
        "tactics": ((17, 30), (0, 16)),
    } == {name: msgspec.structs.astuple(band) for name, band in rubric.bands.items()}
    assert (1, 8, "logic") == (rubric.gaps.least, rubric.gaps.most, rubric.gaps.dimension)
    assert {
        "dropped_premise": (1, "credibility"),
        "contradiction": (2, "credibility"),
        "injection": (2, "credibility"),
    } == {name: msgspec.structs.astuple(cost) for name, cost in rubric.conduct.items()}
    assert (4, 10) == (rubric.full_pressure, rubric.convergence_from)
    assert (2, 8, 0.5) == (rubric.tie_within, rubric.quote_minimum, rubric.unquoted_share)


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("dimensions.logic.maximum", 41, "dimensions.logic.components"),
        ("dimensions.logic.maximum", "forty", "dimensions.logic.maximum"),
        ("dimensions.logic.components.cause.maximum", 0, "dimensions.logic.components.cause.maximum"),
        ("dimensions.logic.components.cause.asks", " ", "dimensions.logic.components.cause.asks"),
        ("dimensions.logic.components.cause.applies_from", 0, "dimensions.logic.components.cause.applies_from"),
        ("dimensions.logic.chain.links", ["cause", "process", "luck"], "dimensions.logic.chain.links"),
        ("dimensions.logic.chain.links", ["cause", "cause", "process"], "dimensions.logic.chain.links"),
        ("dimensions.logic.chain.caps", [28, 18], "dimensions.logic.chain.caps"),
        ("dimensions.logic.chain.caps", [18, 28, 8], "dimensions.logic.chain.caps"),
        ("dimensions.logic.excellence.above", 40, "dimensions.logic.excellence.above"),
        ("dimensions.logic.excellence.each_at_least", 11, "dimensions.logic.excellence.each_at_least"),
        ("dimensions.rhetoric.leash.leader", "luck", "dimensions.rhetoric.leash.leader"),
        ("dimensions.rhetoric.leash.follower", "framing", "dimensions.rhetoric.leash.follower"),
        ("dimensions.Logic", {"maximum": 1, "components": {"a": {"maximum": 1, "asks": "a"}}}, "dimensions.Logic"),
        (
            "dimensions.luck",
            {"maximum": 1, "components": {"class": {"maximum": 1, "asks": "a"}}},
            "dimensions.luck.components.class",
        ),
        (
            "dimensions.luck",
            {"maximum": 10, "components": {"cause": {"maximum": 10, "asks": "a"}}},
            "dimensions.logic.components.cause",
        ),
        ("dimensions.frame_control.components.frame_control.applies_from", 2, "dimensions.frame_control.components"),
        ("bands.luck", {"winner": [1, 2], "loser": [0, 1]}, "bands.luck"),
        ("bands.logic.winner", [30, 20], "bands.logic.winner"),
        ("bands.logic.loser", [0, 41], "bands.logic.loser"),
        ("claims.no_mechanism.dimension", "luck", "claims.no_mechanism.dimension"),
        ("claims.no_mechanism.asks", " ", "claims.no_mechanism.asks"),
        ("gaps.dimension", "luck", "gaps.dimension"),
        ("gaps.least", 0, "gaps"),
        ("gaps.most", 9, "gaps"),
        ("gaps", {"least": 5, "most": 4}, "gaps"),
        ("conduct.injection.dimension", "luck", "conduct.injection.dimension"),
        ("quote_minimum", 0, "quote_minimum"),
        ("unquoted_share", 1.5, "unquoted_share"),
        ("dimensions", {}, "dimensions"),
        ("colour", "red", "colour"),
        ("dimensions.luck", {"maximum": 1}, "dimensions.luck"),
        ("dimensions.logic.components.cause", {"maximum": 10}, "dimensions.logic.components.cause"),
        ("dimensions.logic.leash", {"lead": "cause"}, "dimensions.logic.leash.lead"),
        ("dimensions.logic.chain.links", ["cause", 7], "dimensions.logic.chain.links.1"),
        ("bands.tactics.loser", [0, "many"], "bands.tactics.loser.1"),
        ("claims.rumour", {"points": 1, "asks": "who says so"}, "claims.rumour"),
        ("protocol.fallacies.tu_quoque", "you too", "protocol.fallacies.tu_quoque"),
        ("protocol.claim_minimum", -1, "protocol.claim_minimum"),
        ("protocol.reasoning_minimum", 10**9, "protocol.reasoning_minimum"),
        ("protocol.evidence_minimum", 2**64, "protocol.evidence_minimum"),
        ("protocol.closing_words", 0, "protocol.closing_words"),
        ("panel.prior_of", 0, "panel.prior_of"),
        ("panel.prior_right", -1, "panel.prior_right"),
        ("panel.least_items", 0, "panel.least_items"),
        ("panel.topics.security.weights.risk", 4, "panel.topics.security.weights.risk"),
        ("version", 10**7, "version"),
        ("criteria.low", -(10**7), "criteria.low"),
        ("panel.high", 1e300, "panel.high"),
    ],
)
def test_a_fault_names_its_field(path: str, value: object, field: str) -> None:
    with pytest.raises(RubricError) as caught:
        parse_rubric(changed(path, value))

    assert field == caught.value.field
    assert "`$" not in str(caught.value)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\xff\xfe", b'"\xff"', b"[" * 100_000, b'{"name": NaN}'])
def test_what_is_no_rubric_is_refused(raw: bytes) -> None:
    with pytest.raises(RubricError):
        parse_rubric(raw)


def test_another_file_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_bytes(changed("tie_within", 5))

    mine = load_rubric(file)

    assert 5 == mine.tie_within
    assert digest(rubric_v1()) != digest(mine)
    with pytest.raises(RubricError, match="cannot be read"):
        load_rubric(tmp_path / "none.json")


@pytest.mark.parametrize("name", SHIPPED)
def test_a_rubric_is_shown_by_the_name_that_selects_it(name: Any) -> None:
    rubric = shipped_rubric(name)
    own = msgspec.structs.replace(rubric, tie_within=9.5)

    assert [name, name] == [name_of_rubric(each) for each in (rubric, with_evidence(rubric))]
    assert f"{rubric.name} {rubric.version}" == name_of_rubric(own)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_digest_depends_on_the_figures_alone(name: Any) -> None:
    """A debate that is read from its log has the same digest, and so the same name of its rubric."""
    for rubric in (shipped_rubric(name), with_evidence(shipped_rubric(name))):
        again = msgspec.json.decode(msgspec.json.encode(rubric), type=Rubric)

        assert digest(rubric) == digest(checked(again))
        assert 64 == len(digest(again))


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("v1", {"logic": 0.30, "evidence": 0.30, "responsiveness": 0.25, "honesty": 0.15}),
        ("v2", {"logic": 0.30, "evidence": 0.30, "responsiveness": 0.25, "honesty": 0.15}),
        ("v2-evidence", {"evidence": 0.40, "logic": 0.30, "responsiveness": 0.20, "clarity": 0.10}),
        ("v3", {"logic": 0.30, "evidence": 0.30, "responsiveness": 0.25, "honesty": 0.15}),
        ("v3-evidence", {"evidence": 0.40, "logic": 0.30, "responsiveness": 0.20, "clarity": 0.10}),
    ],
)
def test_the_criteria_of_arguments_are_those_of_the_sources(name: Any, weights: dict[str, float]) -> None:
    criteria = shipped_rubric(name).criteria

    assert criteria is not None
    assert weights == {criterion: each.weight for criterion, each in criteria.dimensions.items()}


@pytest.mark.parametrize("name", ["v2", "v3"])
def test_a_rubric_for_evidence_is_the_other_one_but_for_its_criteria(name: Any) -> None:
    rubric, other = shipped_rubric(name), cast("Any", shipped_rubric)(f"{name}-evidence")

    assert rubric == msgspec.structs.replace(other, name="moot", criteria=rubric.criteria)
    assert ("v1", "v2", "v2-evidence", "v3", "v3-evidence") == SHIPPED


def without(rubric: Rubric, *parts: str) -> dict[str, Any]:
    return {name: each for name, each in msgspec.to_builtins(rubric).items() if name not in parts}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"base": "turns"}, "ring"),
        ({"ring": {"per_degree": 0.09, "weight": 0.45}}, "ring.weight"),
        ({"ring": {"per_degree": 0.0, "weight": 0.3}}, "ring.per_degree"),
        ({"bands": {}}, "ring"),
        ({"harmonization": "graded"}, "harmonization"),
        ({"band_reach": 2}, "band_reach"),
        ({"tie_within": 2}, "tie_within"),
        ({"decided_by": {"credibility": 0.5}}, "decided_by"),
        ({"lead_beyond_noise": True}, "lead_beyond_noise"),
        ({"docking": {"at_most": 5, "longer": 1.5, "shorter": 2}}, "docking.longer"),
        ({"certainty": {"name_at": 0.4}}, "certainty.name_at"),
        ({"rescore_above": 0}, "rescore_above"),
    ],
)
def test_parts_of_version_3_that_do_not_go_together_are_refused(change: dict[str, Any], field: str) -> None:
    with pytest.raises(RubricError) as caught:
        as_rubric(without(rubric_v3()) | change)

    assert field == caught.value.field


@pytest.mark.parametrize(
    "left_out",
    [("certainty",), ("docking",), ("rescore_above",), ("witnesses",), ("ring", "certainty", "rescore_above")],
)
def test_a_rubric_may_leave_out_parts_of_version_3(left_out: tuple[str, ...]) -> None:
    assert as_rubric(without(rubric_v3(), *left_out))


def test_a_certainty_needs_comparisons() -> None:
    with pytest.raises(RubricError) as caught:
        as_rubric(without(rubric_v3(), "ring"))

    assert "certainty" == caught.value.field


@pytest.mark.parametrize("name", ["v2", "v2-evidence"])
def test_every_criterion_has_anchors_for_the_ends_of_the_scale(name: Any) -> None:
    criteria = shipped_rubric(name).criteria

    assert criteria is not None
    assert all(each.anchors and {"1", "10"} == each.anchors.keys() for each in criteria.dimensions.values())
