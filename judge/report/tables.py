"""A rubric as tables (``tables.json``), with marks where it differs from another rubric."""

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from typing import Final

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.types.criteria import Criteria, DeliberationRules, PanelRules, ProtocolRules
from events.types.rubric import Component, Dimension, Rubric
from judge.report.figures import percent
from judge.report.table import ReportRow, ReportTable, compared
from judge.rubrics.rubric import fmt


def tables(rubric: Rubric, before: Rubric | None = None) -> tuple[ReportTable, ...]:
    """Return all figures of ``rubric``, marked where they differ from ``before``."""
    shown = tuple(_tables(rubric))
    if before is None:
        return shown
    old, now = {table.id: table for table in _tables(before)}, {table.id: table for table in shown}
    return tuple(
        compared(now[name], old[name])
        if name in now and name in old
        else compared(replace(old[name], rows=()), old[name])
        if name in old
        else compared(now[name], replace(now[name], rows=()))
        for name in {**old, **now}
    )


class _TableForm(Struct, frozen=True, forbid_unknown_fields=True):
    """The words of a table in ``tables.json``; ``rows``: field of the rules, name, and meaning of each figure."""

    title: str
    caption: str
    head: tuple[str, ...]
    figures: tuple[int, ...] = ()
    rows: tuple[tuple[str, str, str], ...] = ()


@cache
def _forms() -> dict[str, _TableForm]:
    data = resources.files("judge").joinpath("report/tables.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, _TableForm])


PARTS: Final = ("ring", "docking", "certainty")
"""Parts of a rubric whose figures are thresholds."""


def _table(name: str, rows: Iterable[ReportRow]) -> ReportTable:
    form = _forms()[name]
    return ReportTable(
        id=name, title=form.title, caption=form.caption, head=form.head, figures=form.figures, rows=tuple(rows)
    )


def _tables(rubric: Rubric) -> Iterator[ReportTable]:
    yield _table("points", _points(rubric))
    yield _table("caps", _caps(rubric))
    if rubric.bands:
        bands = rubric.bands.items()
        yield _table(
            "bands", (ReportRow(key=name, cells=(_name(name), *each.winner, *each.loser)) for name, each in bands)
        )
    yield _table("penalties", _penalties(rubric))
    yield _table("thresholds", _thresholds(rubric))
    if rubric.criteria is not None:
        yield _criteria("criteria", rubric.criteria)
    if rubric.protocol is not None:
        yield _figures("protocol", rubric.protocol)
        if fallacies := rubric.protocol.fallacies:
            yield _table(
                "fallacies", (ReportRow(key=name, cells=(_name(name), what)) for name, what in fallacies.items())
            )
    if rubric.panel is not None:
        yield _topics(rubric.panel)
        yield _figures("panel", rubric.panel)
    if rubric.deliberation is not None:
        yield _figures("deliberation", rubric.deliberation)
        yield _criteria("artifact", rubric.deliberation.artifact)


def _points(rubric: Rubric) -> Iterator[ReportRow]:
    for name, dimension in rubric.dimensions.items():
        if tuple(dimension.components) == (name,) and not dimension.in_composite:
            yield _part(name, name, dimension.components[name], leads=True)
            continue
        counts = "counts in the composite" if dimension.in_composite else "does not count in the composite"
        yield ReportRow(key=name, cells=(_name(name), counts, float(dimension.maximum), "", ""), leads=True)
        for part, rule in dimension.components.items():
            yield _part(f"{name}.{part}", part, rule)


def _part(key: str, name: str, rule: Component, *, leads: bool = False) -> ReportRow:
    quote, apart = "yes" if rule.needs_quote else "no", "; not in the composite" if leads else ""
    cells = (_name(name), rule.asks + apart, float(rule.maximum), quote, float(rule.applies_from))
    return ReportRow(key=key, cells=cells, leads=leads)


def _caps(rubric: Rubric) -> Iterator[ReportRow]:
    share = percent(rubric.unquoted_share)
    yield ReportRow(
        key="unquoted", cells=("No quote that holds", "the component keeps this share of its maximum", share)
    )
    for name, dimension in rubric.dimensions.items():
        yield from _caps_of(name, dimension)


def _caps_of(name: str, dimension: Dimension) -> Iterator[ReportRow]:
    if dimension.chain is not None:
        links = ", ".join(_name(link) for link in dimension.chain.links)
        for absent, cap in enumerate(dimension.chain.caps, 1):
            rule = f"{absent} of the {len(dimension.chain.links)} links at 0 ({links})"
            yield ReportRow(key=f"{name}.chain.{absent}", cells=(rule, _name(name), cap))
    if dimension.excellence is not None:
        rule = f"A component under {fmt(dimension.excellence.each_at_least)}"
        yield ReportRow(key=f"{name}.excellence", cells=(rule, _name(name), dimension.excellence.above))
    if dimension.leash is not None:
        leash = dimension.leash
        rule = f"{_name(leash.leader)} under {fmt(leash.under)}"
        cells = (rule, _name(leash.follower), f"{_name(leash.leader)} + {fmt(leash.slack)}")
        yield ReportRow(key=f"{name}.leash", cells=cells)


def _penalties(rubric: Rubric) -> Iterator[ReportRow]:
    for kind, claim in (*rubric.claims.items(), *(rubric.evidence or {}).items()):
        second = "yes" if claim.second_opinion else "no"
        yield ReportRow(key=kind, cells=(_name(kind), claim.asks, claim.points, _name(claim.dimension), second))
    gaps = rubric.gaps
    what = "an earlier turn fails by words that a later one exposes"
    cells = (
        "Logic gap",
        what,
        f"{fmt(gaps.least)} to {fmt(gaps.most)}" + (f", {fmt(limit)} a turn" if (limit := gaps.most_per_turn) else ""),
        _name(gaps.dimension),
        "no",
    )
    yield ReportRow(key="gap", cells=cells)
    meanings = {
        "dropped_premise": "gives up a premise without a word",
        "contradiction": "contradicts what it had stated",
        "injection": "tries to instruct the judge",
    }
    for name, cost in rubric.conduct.items():
        yield ReportRow(key=name, cells=(_name(name), meanings[name], cost.points, _name(cost.dimension), "no"))


def _thresholds(rubric: Rubric) -> Iterator[ReportRow]:
    yield _threshold("quote_minimum", "Least quote", rubric.quote_minimum, "characters that a quote must have to hold")
    if rubric.certainty is UNSET:
        yield _threshold("tie_within", "Tie", rubric.tie_within, "points of mean composite within which no side wins")
    for name, least in (rubric.decided_by or {}).items():
        yield _threshold(f"decided_by.{name}", f"Tie by {name}", least, "least difference that decides a tie")
    if rubric.band_reach is not UNSET:
        meaning = "points by which one clear win moves a value at most"
        yield _threshold("band_reach", "Reach", rubric.band_reach, meaning)
    if rubric.supported_share is not UNSET:
        meaning = "share of its quotes that a dimension needs to have a score"
        yield _threshold("supported_share", "Support", rubric.supported_share, meaning)
    if rubric.rescore_above is not UNSET:
        meaning = "points of 100 between a score and its comparisons from which on a turn is scored again"
        yield _threshold("rescore_above", "Scored again", rubric.rescore_above, meaning)
    for part in PARTS:
        if (rules := getattr(rubric, part)) is not UNSET:
            for field, title, meaning in _forms()[part].rows:
                yield _threshold(f"{part}.{field}", title, getattr(rules, field), meaning)
    for name, least in (rubric.witnesses or {}).items():
        meaning = "difference from which on it says something beside a lead"
        yield _threshold(f"witnesses.{name}", _name(name), least, meaning)
    yield _threshold("convergence_from", "Convergence", rubric.convergence_from, "turns from which on it is assessed")
    meaning = "points of penalty on one turn that put credibility under full pressure"
    yield _threshold("full_pressure", "Full pressure", rubric.full_pressure, meaning)


def _criteria(name: str, criteria: Criteria) -> ReportTable:
    shown = _table(
        name, (ReportRow(key=key, cells=(_name(key), one.asks, one.weight)) for key, one in criteria.dimensions.items())
    )
    return replace(shown, caption=f"{shown.caption}, from {criteria.low} to {criteria.high}")


def _topics(rules: PanelRules) -> ReportTable:
    domains = tuple(dict.fromkeys(domain for topic in rules.topics.values() for domain in topic.weights))
    rows = (
        ReportRow(key=name, cells=(_name(name), *(topic.weights.get(domain, 0.0) for domain in domains)))
        for name, topic in rules.topics.items()
    )
    shown = _table("topics", rows)
    return replace(shown, head=(*shown.head, *map(_name, domains)), figures=tuple(range(1, len(domains) + 1)))


def _figures(name: str, rules: ProtocolRules | PanelRules | DeliberationRules) -> ReportTable:
    given = ((field, title, getattr(rules, field), meaning) for field, title, meaning in _forms()[name].rows)
    return _table(name, (_threshold(*each) for each in given if each[2] is not UNSET))


def _threshold(key: str, name: str, value: float, meaning: str) -> ReportRow:
    return ReportRow(key=key, cells=(name, float(value), meaning))


def _name(name: str) -> str:
    return name.replace("_", " ").capitalize()
