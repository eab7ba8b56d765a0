"""A rubric as tables, with marks where it differs from another rubric."""

from collections.abc import Iterator

from msgspec import UNSET
from msgspec.structs import replace

from events.types.criteria import Criteria, DeliberationRules, PanelRules, ProtocolRules
from events.types.rubric import Component, Dimension, Rubric
from judge.report.figures import percent
from judge.report.table import ReportRow, ReportTable, compared
from judge.rubric import fmt


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


def _tables(rubric: Rubric) -> Iterator[ReportTable]:
    yield ReportTable(
        id="points",
        title="Points of a turn",
        caption="Dimensions and their components, with the most points of each",
        head=("Component", "Asks whether the speech", "Points", "Needs a quote", "From turn"),
        figures=(2, 4),
        rows=tuple(_points(rubric)),
    )
    yield ReportTable(
        id="caps",
        title="Caps between components",
        caption="Rules that lower a score because of another component",
        head=("Rule", "Then", "At most"),
        figures=(2,),
        rows=tuple(_caps(rubric)),
    )
    if rubric.bands:
        yield ReportTable(
            id="bands",
            title="Bands of a comparison",
            caption="Where a score may stand after a comparison; a draw moves nothing",
            head=("Dimension", "Winner from", "Winner to", "Loser from", "Loser to"),
            figures=(1, 2, 3, 4),
            rows=tuple(
                ReportRow(key=name, cells=(_name(name), *each.winner, *each.loser))
                for name, each in rubric.bands.items()
            ),
        )
    yield ReportTable(
        id="penalties",
        title="Penalties",
        caption="What is taken off, and of which dimension",
        head=("Finding", "What it is", "Points", "Of", "Second opinion at once"),
        figures=(2,),
        rows=tuple(_penalties(rubric)),
    )
    yield ReportTable(
        id="thresholds",
        title="Thresholds",
        caption="Figures that other rules turn on",
        head=("Threshold", "Value", "Meaning"),
        figures=(1,),
        rows=tuple(_thresholds(rubric)),
    )
    if rubric.criteria is not None:
        caption = "What the protocol’s judge and every rater score"
        yield _criteria("criteria", "Criteria of arguments", caption, rubric.criteria)
    if rubric.protocol is not None:
        yield from _protocol(rubric.protocol)
    if rubric.panel is not None:
        yield from _panel(rubric.panel)
    if rubric.deliberation is not None:
        yield from _deliberation(rubric.deliberation)


def _points(rubric: Rubric) -> Iterator[ReportRow]:
    for name, dimension in rubric.dimensions.items():
        if tuple(dimension.components) == (name,) and not dimension.in_composite:
            yield _part(name, name, dimension.components[name], leads=True)
            continue
        counts = "counts in the composite" if dimension.in_composite else "stands beside the composite"
        yield ReportRow(key=name, cells=(_name(name), counts, float(dimension.maximum), "", ""), leads=True)
        for part, rule in dimension.components.items():
            yield _part(f"{name}.{part}", part, rule)


def _part(key: str, name: str, rule: Component, *, leads: bool = False) -> ReportRow:
    quote, beside = "yes" if rule.needs_quote else "no", "; beside the composite" if leads else ""
    cells = (_name(name), rule.asks + beside, float(rule.maximum), quote, float(rule.applies_from))
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
    yield _threshold("tie_within", "Tie", rubric.tie_within, "points of mean composite within which no side wins")
    for name, least in (rubric.decided_by or {}).items():
        yield _threshold(f"decided_by.{name}", f"Tie by {name}", least, "least difference that decides a tie")
    if rubric.band_reach is not UNSET:
        meaning = "points by which one clear win moves a value at most"
        yield _threshold("band_reach", "Reach", rubric.band_reach, meaning)
    if rubric.supported_share is not UNSET:
        meaning = "share of its quotes that a dimension needs to have a score"
        yield _threshold("supported_share", "Support", rubric.supported_share, meaning)
    yield _threshold("convergence_from", "Convergence", rubric.convergence_from, "turns from which on it is assessed")
    meaning = "points of penalty on one turn that put credibility under full pressure"
    yield _threshold("full_pressure", "Full pressure", rubric.full_pressure, meaning)


def _criteria(key: str, title: str, caption: str, criteria: Criteria) -> ReportTable:
    return ReportTable(
        id=key,
        title=title,
        caption=f"{caption}, from {criteria.low} to {criteria.high}",
        head=("Dimension", "Asks", "Weight"),
        figures=(2,),
        rows=tuple(
            ReportRow(key=name, cells=(_name(name), each.asks, each.weight))
            for name, each in criteria.dimensions.items()
        ),
    )


def _protocol(rules: ProtocolRules) -> Iterator[ReportTable]:
    figures = (
        ("arguments", "Arguments a side", "in the openings"),
        ("claim_minimum", "Least claim", "characters"),
        ("reasoning_minimum", "Least reasoning", "characters"),
        ("evidence_minimum", "Least evidence", "characters"),
        ("answer_words", "Answer to a question", "words that are read, no more"),
        ("closing_words", "Closing", "words that are read, no more"),
        ("temperature", "Temperature", "of cross-examination, answers and closings"),
        ("even_within", "Even", "a gap of totals under this is no lead"),
        ("clear_above", "Clear", "a gap of totals over this is a clear lead"),
    )
    yield _figures("protocol", "Format protocol", "What the rounds ask for", rules, figures)
    if rules.fallacies:
        yield ReportTable(
            id="fallacies",
            title="Fallacies",
            caption="Named by the protocol’s judge, each with words that must stand there",
            head=("Fallacy", "What it is"),
            rows=tuple(ReportRow(key=name, cells=(_name(name), what)) for name, what in rules.fallacies.items()),
        )


def _panel(rules: PanelRules) -> Iterator[ReportTable]:
    domains = tuple(dict.fromkeys(domain for topic in rules.topics.values() for domain in topic.weights))
    rows = (
        ReportRow(key=name, cells=(_name(name), *(topic.weights.get(domain, 0.0) for domain in domains)))
        for name, topic in rules.topics.items()
    )
    yield ReportTable(
        id="topics",
        title="Raters’ weights by topic",
        caption="What each domain of expertise weighs, by the motion’s topic",
        head=("Topic", *map(_name, domains)),
        figures=tuple(range(1, len(domains) + 1)),
        rows=tuple(rows),
    )
    figures = (
        ("domain_share", "Share of the topic’s weight", "in a rater’s weight"),
        ("accuracy_share", "Share of accuracy", "in a rater’s weight"),
        ("prior_right", "Prior: right", "added to a rater’s right verdicts"),
        ("prior_of", "Prior: of", "added to their number"),
        ("high", "High agreement", "alpha from which it is high"),
        ("moderate", "Moderate agreement", "alpha that is enough to conclude"),
        ("low", "Low agreement", "alpha that is enough to conclude with care"),
        ("kappa_leaning", "Leaning", "kappa from which a panel leans where alpha is too low"),
        ("disputed_variance", "Disputed", "variance of an argument’s scores from which it is disputed"),
        ("decisive_variance", "Decisive", "variance from which a disputed argument decides"),
        ("strictness_from", "Strictness", "points between two raters from which the report names it"),
        ("reliable_raters", "Least raters", "with fewer the panel is for reference only"),
        ("reliable_items", "Least arguments", "or turns, with fewer the panel is for reference only"),
        ("least_gap", "Least gap", "|pro − con| ÷ (pro + con) under which nobody wins"),
        ("least_items", "Least items", "rated twice or more, below which no agreement is stated"),
        ("bootstrap", "Resamples", "behind every interval"),
        ("minmax_at", "Min–max up to", "arguments a side; beyond them z-scores"),
    )
    yield _figures("panel", "Thresholds of a panel", "How raters are weighted and when nobody wins", rules, figures)


def _deliberation(rules: DeliberationRules) -> Iterator[ReportTable]:
    figures = (
        ("rounds", "Rounds", "at most"),
        ("converged", "Converged", "agreement from which no further round follows"),
        ("verdict_share", "Share of the verdict", "in the agreement"),
        ("dimension_share", "Share of the dimensions", "in the agreement"),
        ("gap_share", "Disagreement", "share of the scale from which two scores disagree"),
        ("least_judges", "Least judges", "who must answer"),
        ("timeout_s", "Time", "seconds of model time for all rounds"),
    )
    yield _figures("deliberation", "Deliberation", "When judges read each other, and for how long", rules, figures)
    yield _criteria("artifact", "Criteria of texts", "What a text is scored on", rules.artifact)


def _figures(
    key: str,
    title: str,
    caption: str,
    rules: ProtocolRules | PanelRules | DeliberationRules,
    figures: tuple[tuple[str, str, str], ...],
) -> ReportTable:
    given = ((field, name, getattr(rules, field), meaning) for field, name, meaning in figures)
    rows = tuple(_threshold(*each) for each in given if each[2] is not UNSET)
    head = ("Threshold", "Value", "Meaning")
    return ReportTable(id=key, title=title, caption=caption, head=head, figures=(1,), rows=rows)


def _threshold(key: str, name: str, value: float, meaning: str) -> ReportRow:
    return ReportRow(key=key, cells=(name, float(value), meaning))


def _name(name: str) -> str:
    return name.replace("_", " ").capitalize()
