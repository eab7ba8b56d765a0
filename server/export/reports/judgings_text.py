"""Two judgings compared: in sentences, as a page, and as a document for the terminal."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

import web
from events.text.figures import rounded
from events.types import Coefficient, Missing, Side
from events.view.turn_view import ComponentView
from server.export import document as doc
from server.export.debate.exchange import winner_name
from server.export.document.html import tag, to_html
from server.export.labels import named
from server.export.reports.judgings import (
    ArgumentInBoth,
    ComponentPair,
    Docking,
    Flag,
    Judging,
    JudgingComparison,
    NamedFallacy,
    Overlap,
    PreferencePair,
    TurnInBoth,
)
from server.export.reports.paired import IntervalEstimate
from server.export.text import one_line
from server.export.wording import NAMES, SIGNS, STANDINGS, as_asked, interval, judge_name

PAGE: Final = "lab/compare.html"
TITLE: Final = "Two judgings of one debate"
CLAIMS, FLAWS, FALLACIES = "Suspect claims", "Flaws that cost points later", "Fallacies"
NONE: Final = "–"
_NUMBERED: Final = re.compile(r"\b[CP]\d+\.\d+\b")
PREFERRED: Final = {"earlier": "preferred the earlier", "later": "preferred the later", "draw": "preferred neither"}


def outcome(judging: Judging) -> str:
    """Who won, and by what."""
    return f"no verdict ({judging.state})" if judging.outcome is UNSET else judging.outcome.headline


def agreement_sentences(found: JudgingComparison) -> Iterator[str]:
    """How far the two judgings agree, and what limits the comparison."""
    one, two = found.first.winner, found.second.winner
    if one is not UNSET and two is not UNSET:
        says = [winner_name(each) for each in (one, two)]
        yield (
            f"Both judgings name {says[0]}."
            if one == two
            else f"The first judging names {says[0]}, the second {says[1]}."
        )
    scores, unit = found.scores, "argument" if found.arguments else "turn"
    if scores.too_few is not UNSET:
        yield f"Scores: {scores.too_few}."
    if scores.bias is not UNSET and scores.apart is not UNSET:
        more = "more" if scores.bias.value > 0 else "less"
        level = f"{rounded(abs(scores.bias.value))} points {more} than the first" if scores.bias.value else "as much"
        yield (
            f"Level: the second judge gives {'an' if found.arguments else 'a'} {unit} on average "
            f"{level}{_interval(scores.bias, 1)}. "
            f"Without regard to direction they are {rounded(scores.apart)} points apart."
        )
    if scores.alpha is not UNSET:
        yield f"Scores: Krippendorff's alpha is {_coefficient(scores.alpha)}, over {scores.turns} {unit}s."
    if scores.rank is not UNSET:
        rank = rounded(scores.rank.value, 2).replace("-", "−")
        yield f"Order of the {unit}s: Spearman's rank correlation is {rank}{_interval(scores.rank, 2)}."
    if found.preferred_of:
        yield (
            f"Preferred turn: the same in {found.preferred_alike} of {found.preferred_of} "
            f"comparisons; kappa is {_coefficient(found.preferred)}."
        )
    if found.standings_of and found.standings is not UNSET:
        yield (
            f"Standings: the same for {found.standings_alike} of {found.standings_of} arguments; "
            f"kappa is {_coefficient(found.standings)}."
        )
    if found.common_fallacies is UNSET:
        yield _overlap(CLAIMS, found.common_flags)
        yield _overlap(FLAWS, found.common_dockings)
    else:
        yield _overlap(FALLACIES, found.common_fallacies)
    if scores.too_few is UNSET:
        yield (
            f"In brackets are intervals of 95 %. They take the {unit}s of this debate as a sample of independent "
            f"{unit}s, which they are only roughly."
        )
    yield from found.notes


def judge_caveats(found: JudgingComparison) -> Iterator[str]:
    """What to know of each judge; once if it is the same of both."""
    if found.first.caveat == found.second.caveat:
        caveats = {"Both judgings": found.first.caveat}
    else:
        caveats = {"First judging": found.first.caveat, "Second judging": found.second.caveat}
    yield from (f"{name}: {caveat}" for name, caveat in caveats.items() if caveat)


def _coefficient(found: Coefficient) -> str:
    return interval(found).replace("-", "−")


def _interval(found: IntervalEstimate, places: int) -> str:
    if found.low is UNSET or found.high is UNSET:
        return ""
    low, high = (f"{value:.{places}f}".replace("-", "−") for value in (found.low, found.high))
    return f" ({low} to {high})"


def _overlap(what: str, found: Overlap) -> str:
    if not found.first and not found.second:
        return f"{what}: neither judge found any."
    return f"{what}: the first judge found {found.first}, the second {found.second}; {found.both} in the same words."


def score(value: float | Missing | UnsetType) -> str:
    """A composite, or a dash."""
    return f"{value:.4g}" if isinstance(value, int | float) else NONE


def difference(value: float | UnsetType) -> str:
    """A difference with its sign, or a dash."""
    return NONE if value is UNSET else "0" if not value else f"{value:+.4g}".replace("-", "−")


def flag_words(flag: Flag | UnsetType, first: Side, judging: str) -> str:
    """A suspect claim of the ``first`` or ``second`` judging in words; empty if there is none."""
    if flag is UNSET:
        return ""
    what = f"{flag.claim} of the {judging} judging, {flag.kind.replace('_', ' ')}, {flag.state}"
    return f"“{one_line(flag.quote)}” ({what}) {_reason(flag.reason, first, judging)}".rstrip()


def _reason(reason: str, first: Side, judging: str) -> str:
    """A judge's reason.  Each judging numbers its claims and premises itself, so they are named with their judging."""
    return _NUMBERED.sub(rf"\g<0> of the {judging} judging", one_line(named(reason, first)))


def docking_words(docking: Docking | UnsetType, first: Side, judging: str) -> str:
    """A flaw that cost points in the ``first`` or ``second`` judging, in words; empty if there is none."""
    if docking is UNSET:
        return ""
    lost = f"{docking.points:+g}".replace("-", "−")
    shows = f"turn {docking.shown_in}: “{one_line(docking.shown_by)}”"
    return f"{lost}: “{one_line(docking.quote)}”, shown by {shows}. {_reason(docking.reason, first, judging)}".rstrip()


class _Pair(NamedTuple):
    """A finding on a turn in the words of the first and of the second judge; empty if one did not make it."""

    turn: int
    first: str
    second: str
    argument: str = ""


def _claims(found: JudgingComparison, first: Side) -> list[_Pair]:
    return [
        _Pair(each.turn, flag_words(each.first, first, "first"), flag_words(each.second, first, "second"))
        for each in found.flags
    ]


def _flaws(found: JudgingComparison, first: Side) -> list[_Pair]:
    return [
        _Pair(each.turn, docking_words(each.first, first, "first"), docking_words(each.second, first, "second"))
        for each in found.dockings
    ]


def _fallacies(found: JudgingComparison) -> list[_Pair]:
    pairs = []
    for each in found.fallacies:
        words = ["" if one is UNSET else _fallacy(one) for one in (each.first, each.second)]
        of = each.first or each.second
        pairs.append(_Pair(each.turn, words[0], words[1], "" if of is UNSET else of.argument))
    return pairs


def _fallacy(named: NamedFallacy) -> str:
    return f"{named.fallacy.replace('_', ' ')}: “{one_line(named.quote)}” {one_line(named.reason)}".rstrip()


def _whole(found: JudgingComparison) -> Iterator[doc.Block]:
    """Both judgings as wholes, and what to know of their judges."""
    both = (found.first, found.second)
    rows = (
        ("Judge", *(as_asked(judge_name(each.judge), each.effort) for each in both)),
        ("Rubric", *(each.rubric for each in both)),
        ("Outcome", *(outcome(each) for each in both)),
        ("Mean score, Pro", *(score(each.mean["pro"]) for each in both)),
        ("Mean score, Con", *(score(each.mean["con"]) for each in both)),
        *(
            ()
            if found.arguments
            else (("Reading of the whole debate", *(NAMES.get(each.narrative or "", NONE) for each in both)),)
        ),
        *((("Panel", *(each.panel or NONE for each in both)),) if any(each.panel for each in both) else ()),
    )
    heads = (
        doc.Column((doc.Link(name, f"/d/{each.debate}"),))
        for name, each in zip(("First judging", "Second judging"), both, strict=True)
    )
    yield doc.Table(("", *heads), rows, kind="sides")
    yield from (doc.Paragraph(each, "caveat") for each in judge_caveats(found))


# the page


def comparison_page(found: JudgingComparison, first: Side) -> str:
    """The page of a comparison.  ``first`` is the side that spoke first."""
    preferred = {each.later: each for each in found.preferences}
    claims, flaws = _claims(found, first), _flaws(found, first)
    if found.arguments:
        title, intro = "Argument by argument", "A difference is the second judging minus the first."
        parts = [_argument(found, each) for each in found.arguments]
    else:
        title = "Turn by turn"
        intro = (
            "A difference is the second judging minus the first. A turn opens with the scores of its components, and "
            "with what only one judge found."
        )
        parts = [_turn(found, turn, claims, flaws, preferred.get(turn.turn)) for turn in found.turns]
    blocks = (
        doc.Paragraph(found.motion, "motion"),
        *_whole(found),
        doc.Section("How far they agree", (doc.Listing(tuple(agreement_sentences(found)), kind="says"),)),
        doc.Section(title, (doc.Paragraph(intro, "intro"), *parts)),
    )
    return _page(doc.Document(TITLE, blocks, found.language))


def refusal_page(message: str) -> str:
    """The page of a comparison that cannot be made."""
    return _page(doc.Document(TITLE, (doc.Paragraph(message, "error"),)))


def _page(document: doc.Document) -> str:
    page = web.text_of(PAGE)
    return page.replace('<main id="compare"></main>', tag("main", to_html(document)))


def _turn(
    found: JudgingComparison,
    turn: TurnInBoth,
    claims: Sequence[_Pair],
    flaws: Sequence[_Pair],
    preferred: PreferencePair | None,
) -> doc.Details:
    own = [[each for each in pairs if each.turn == turn.turn] for pairs in (claims, flaws)]
    apart = "" if turn.difference is UNSET else f", difference {difference(turn.difference)}"
    alone = sum(not each.first or not each.second for pairs in own for each in pairs)
    summary = (
        doc.Marked(SIGNS[turn.side], turn.side),
        f", turn {turn.turn}: {score(turn.first)} and {score(turn.second)}{apart}",
        *((doc.Marked(f" · {alone} found by one judge only", "quiet"),) if alone else ()),
    )
    places = [f"/d/{each.debate}?turn={turn.turn}" for each in (found.first, found.second)]
    links = ("Read it in the ", doc.Link("first", places[0]), " · ", doc.Link("second", places[1]), " judging.")
    missing = (
        doc.Paragraph(f"The {name} judging has no score: {value.missing.reason}.")
        for name, value in (("first", turn.first), ("second", turn.second))
        if isinstance(value, Missing)
    )
    blocks: list[doc.Block] = [doc.Paragraph(links, "quiet"), *missing]
    if preferred is not None:
        said = [
            PREFERRED[each] if isinstance(each, str) else "gave none" for each in (preferred.first, preferred.second)
        ]
        pair = f"turns {preferred.earlier} and {turn.turn}"
        blocks.append(doc.Paragraph(f"Of {pair} the first judge {said[0]}, the second {said[1]}."))
    if turn.components:
        columns = ("Component", "First", "Second", "Difference")
        blocks.append(doc.Table(columns, tuple(map(_component, turn.components)), region="Components"))
    return doc.Details(summary, (*blocks, *_findings(CLAIMS, own[0]), *_findings(FLAWS, own[1])), "compared")


def _argument(found: JudgingComparison, each: ArgumentInBoth) -> doc.Details:
    apart = "" if each.difference is UNSET else f", difference {difference(each.difference)}"
    stands = [*map(standing_words, each.standings)]
    stood = f"both {stands[0]}" if len({*stands}) == 1 else f"first {stands[0]}, second {stands[1]}"
    summary = (
        doc.Marked(SIGNS[each.side], each.side),
        f", {each.argument}: {score(each.first)} and {score(each.second)}{apart}",
        doc.Marked(f" · {stood}", "quiet"),
    )
    opening = 1 if each.side == "pro" else 2
    places = [f"/d/{one.debate}?turn={opening}" for one in (found.first, found.second)]
    links = ("Read it in the ", doc.Link("first", places[0]), " · ", doc.Link("second", places[1]), " judging.")
    blocks: list[doc.Block] = [doc.Paragraph(links, "quiet")]
    for name, value, standing, reason in zip(
        ("first", "second"), (each.first, each.second), stands, each.reasons, strict=True
    ):
        none = f" No score: {value.missing.reason}." if isinstance(value, Missing) else ""
        blocks.append(doc.Paragraph(f"The {name} judge, {standing}: {one_line(named(reason, 'pro'))}{none}"))
    if each.criteria:
        rows = (
            (one.criterion, points(one.first), points(one.second), difference(one.difference)) for one in each.criteria
        )
        blocks.append(doc.Table(("Criterion", "First", "Second", "Difference"), tuple(rows), kind="criteria"))
    fallacies = [pair for pair in _fallacies(found) if pair.argument == each.argument]
    return doc.Details(summary, (*blocks, *_findings(FALLACIES, fallacies)), "compared")


def standing_words(standing: str) -> str:
    """A standing in words."""
    return STANDINGS.get(standing, "no standing")


def points(value: float | UnsetType) -> str:
    """Points on a criterion, or a dash."""
    return NONE if value is UNSET else f"{value:g}"


def _component(pair: ComponentPair) -> tuple[doc.Sentence, ...]:
    name = f"{pair.dimension}, {pair.component}" if pair.dimension != pair.component else pair.dimension
    alike = "They quote the same words." if pair.shares_words else "They quote other words."
    said = () if pair.shares_words is UNSET else (doc.Marked(alike, "small"),)
    head = (name.replace("_", " "), *said)
    return head, _points(pair.first), _points(pair.second), difference(pair.difference)


def _points(component: ComponentView | UnsetType) -> doc.Sentence:
    if component is UNSET:
        return NONE
    quote = (doc.QuotedWords(component.quote),) if component.quote else ()
    doubt = "" if component.verified or not component.quote else " (these words are not in the turn)"
    return doc.Strong(f"{component.admitted:g}"), f" of {component.maximum} ", *quote, doubt


def _findings(title: str, pairs: Iterable[_Pair]) -> Iterator[doc.Section]:
    found = [*pairs]
    for heading, items in (
        (f"{title}, both judges", [f"The first judge: {a} The second: {b}" for _, a, b, _ in found if a and b]),
        (f"{title}, first judge only", [a for _, a, b, _ in found if not b]),
        (f"{title}, second judge only", [b for _, a, b, _ in found if not a]),
    ):
        if items:
            yield doc.Section(heading, (doc.Listing(tuple(items)),), 3)


# the terminal


def comparison_document(found: JudgingComparison, first: Side, *, with_components: bool) -> doc.Document:
    """A comparison in short.  ``first`` is the side that spoke first."""
    what = "argument" if found.arguments else "turn"
    columns: tuple[str, ...] = (what, "side", "component") if with_components else (what, "side")
    rows = [row for turn in found.turns for row in _scores(turn, with_components=with_components)]
    if found.arguments:
        columns = (what, "side", *(("criterion",) if with_components else ("first standing", "second standing")))
        rows = [row for each in found.arguments for row in _argument_rows(each, with_criteria=with_components)]
    findings = (
        doc.Section(title, (doc.Listing(tuple(map(_finding, pairs))),))
        for title, pairs in (
            (CLAIMS, _claims(found, first)),
            (FLAWS, _flaws(found, first)),
            (FALLACIES, _fallacies(found)),
        )
        if pairs
    )
    blocks = (
        *_whole(found),
        doc.Facts((("Debate of the first judging", found.first.debate), ("Of the second", found.second.debate))),
        doc.Table((*columns, *(doc.Column(each, "n") for each in ("first", "second", "difference"))), tuple(rows)),
        *findings,
        doc.Section("How far they agree", (doc.Listing(tuple(agreement_sentences(found))),)),
    )
    return doc.Document(found.motion, blocks, found.language)


def _scores(turn: TurnInBoth, *, with_components: bool) -> Iterator[tuple[doc.Sentence, ...]]:
    """The row of a turn, and those of its components."""
    name, figures = (f"{turn.turn}", SIGNS[turn.side]), (score(turn.first), score(turn.second))
    if not with_components:
        yield *name, *figures, difference(turn.difference)
        return
    yield *name, "composite", *figures, difference(turn.difference)
    for each in turn.components:
        points = (NONE if part is UNSET else f"{part.admitted:g}/{part.maximum}" for part in (each.first, each.second))
        yield *name, each.component.replace("_", " "), *points, difference(each.difference)


def _argument_rows(each: ArgumentInBoth, *, with_criteria: bool) -> Iterator[tuple[doc.Sentence, ...]]:
    """The row of an argument, and those of its criteria."""
    name, figures = (each.argument, SIGNS[each.side]), (score(each.first), score(each.second))
    if not with_criteria:
        yield (*name, *map(standing_words, each.standings), *figures, difference(each.difference))
        return
    yield *name, "total", *figures, difference(each.difference)
    for one in each.criteria:
        yield *name, one.criterion, points(one.first), points(one.second), difference(one.difference)


def _finding(pair: _Pair) -> doc.Sentence | doc.Item:
    where = f"turn {pair.turn}{f', {pair.argument}' if pair.argument else ''}"
    if pair.first and pair.second:
        return doc.Item(f"{where}, both judgings", (f"first: {pair.first}", f"second: {pair.second}"))
    return f"{where}, {'first' if pair.first else 'second'} judging only: {pair.first or pair.second}"
