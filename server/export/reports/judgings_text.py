"""Two judgings compared: in sentences, and as a page."""

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Final

from msgspec import UNSET, UnsetType

import web
from events.types import Coefficient, Missing, Side
from events.view.turn_view import ComponentView
from server.export.exchange import winner_name
from server.export.labels import named
from server.export.reports.judgings import (
    ComponentPair,
    Docking,
    DockingPair,
    Flag,
    FlagPair,
    Judging,
    JudgingComparison,
    Overlap,
    PreferencePair,
    TurnInBoth,
)
from server.export.reports.paired import IntervalEstimate
from server.export.text import one_line
from server.export.wording import NAMES, SIGNS, interval, judge_name, rule_name

PAGE: Final = "compare.html"
NONE: Final = "–"
PREFERRED: Final = {"earlier": "preferred the earlier", "later": "preferred the later", "draw": "preferred neither"}


def outcome(judging: Judging) -> str:
    """The winner and what named it."""
    if judging.winner is UNSET or judging.by_rule is UNSET:
        return f"no verdict ({judging.state})"
    winner = "no winner is named" if judging.winner == "neither" else f"{NAMES[judging.winner]} wins"
    return f"{winner}, by {rule_name(judging.by_rule)}"


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
    scores = found.scores
    if scores.too_few is not UNSET:
        yield f"Scores: {scores.too_few}."
    if scores.bias is not UNSET and scores.apart is not UNSET:
        more = "more" if scores.bias.value > 0 else "less"
        level = f"{abs(scores.bias.value):.1f} points {more} than the first" if scores.bias.value else "as much"
        yield (
            f"Level: the second judge gives a turn on average {level}{_interval(scores.bias, 1)}. "
            f"Without regard to direction they are {scores.apart:.1f} points apart."
        )
    if scores.alpha is not UNSET:
        yield f"Scores: Krippendorff's alpha is {_coefficient(scores.alpha)}, over {scores.turns} turns."
    if scores.rank is not UNSET:
        rank = f"{scores.rank.value:.2f}".replace("-", "−")
        yield f"Order of the turns: Spearman's rank correlation is {rank}{_interval(scores.rank, 2)}."
    if found.preferred_of:
        yield (
            f"Preferred turn: the same in {found.preferred_alike} of {found.preferred_of} "
            f"comparisons; kappa is {_coefficient(found.preferred)}."
        )
    yield _overlap("Suspect claims", found.common_flags)
    yield _overlap("Flaws that cost points later", found.common_dockings)
    if scores.too_few is UNSET:
        yield (
            "In brackets are intervals of 95 %. They take the turns of this debate as a sample of independent turns, "
            "which they are only roughly."
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


def flag_words(flag: Flag | UnsetType, first: Side) -> str:
    """A suspect claim in words; empty if there is none."""
    if flag is UNSET:
        return ""
    kind = f"{flag.kind.replace('_', ' ')}, {flag.state}"
    return f"{flag.claim} ({kind}): “{one_line(flag.quote)}” {one_line(named(flag.reason, first))}".rstrip()


def docking_words(docking: Docking | UnsetType, first: Side) -> str:
    """A flaw that cost points, in words; empty if there is none."""
    if docking is UNSET:
        return ""
    lost = f"{docking.points:+g}".replace("-", "−")
    shows = f"turn {docking.shown_in}: “{one_line(docking.shown_by)}”"
    return f"{lost}: “{one_line(docking.quote)}”, shown by {shows}. {one_line(named(docking.reason, first))}".rstrip()


# the page


def comparison_page(found: JudgingComparison, first: Side) -> str:
    """The page of a comparison.  ``first`` is the side that spoke first."""
    return _page(_main(found, first))


def refusal_page(message: str) -> str:
    """The page of a comparison that cannot be made."""
    return _page((f'<h1>Two judgings of one debate</h1><p class="error" role="alert">{escape(message)}</p>',))


def _page(parts: Iterable[str]) -> str:
    page = (Path(web.__file__).parent / PAGE).read_text(encoding="utf-8")
    return page.replace('<main id="compare"></main>', "\n".join(("<main>", *parts, "</main>")))


def _main(found: JudgingComparison, first: Side) -> Iterator[str]:
    yield f'<h1>Two judgings of one debate</h1><p class="lead" {_spoken(found)}>{escape(found.motion)}</p>'
    yield from _judgings(found)
    yield '<section><h2>How far they agree</h2><ul class="says">'
    yield from (f"<li>{escape(each)}</li>" for each in agreement_sentences(found))
    yield '</ul></section><section><h2>Turn by turn</h2><p class="intro">A difference is the second judging less the '
    yield "first. A turn opens with the scores of its components, and with what only one judge found.</p>"
    preferred = {each.later: each for each in found.preferences}
    for turn in found.turns:
        flags = [each for each in found.flags if each.turn == turn.turn]
        docks = [each for each in found.dockings if each.turn == turn.turn]
        yield from _turn(found, turn, flags, docks, preferred.get(turn.turn), first)
    yield "</section>"


def _spoken(found: JudgingComparison) -> str:
    """The attributes of an element with words of the debate."""
    return f'lang="{escape(found.language)}" dir="auto"'


def _judgings(found: JudgingComparison) -> Iterator[str]:
    both = (found.first, found.second)
    rows = (
        ("Judge", [judge_name(each.judge) for each in both]),
        ("Rubric", [each.rubric for each in both]),
        ("Outcome", [outcome(each) for each in both]),
        ("Mean score, Pro", [score(each.mean["pro"]) for each in both]),
        ("Mean score, Con", [score(each.mean["con"]) for each in both]),
        ("Reading of the whole debate", [NAMES.get(each.narrative or "", NONE) for each in both]),
    )
    head = "".join(
        f'<th scope="col"><a href="/d/{escape(each.debate)}">{name}</a></th>'
        for name, each in (("First judging", found.first), ("Second judging", found.second))
    )
    yield f'<table class="sides"><thead><tr><td></td>{head}</tr></thead><tbody>'
    for name, words in rows:
        cells = "".join(f"<td>{escape(each)}</td>" for each in words)
        yield f'<tr><th scope="row">{name}</th>{cells}</tr>'
    yield "</tbody></table>"
    yield from (f'<p class="caveat">{escape(each)}</p>' for each in judge_caveats(found))


def _turn(
    found: JudgingComparison,
    turn: TurnInBoth,
    flags: Iterable[FlagPair],
    docks: Iterable[DockingPair],
    preferred: PreferencePair | None,
    first: Side,
) -> Iterator[str]:
    links = " · ".join(
        f'<a href="/d/{escape(each.debate)}?turn={turn.turn}">{name}</a>'
        for name, each in (("first", found.first), ("second", found.second))
    )
    head = f'<b class="{turn.side}">{SIGNS[turn.side]}</b>, turn {turn.turn}'
    figures = f"{score(turn.first)} and {score(turn.second)}"
    apart = "" if turn.difference is UNSET else f", difference {difference(turn.difference)}"
    alone = sum(UNSET in (each.first, each.second) for each in flags)
    alone += sum(UNSET in (each.first, each.second) for each in docks)
    more = f' <span class="quiet">· {alone} found by one judge only</span>' if alone else ""
    yield f'<details class="compared"><summary><span>{head}: {figures}{apart}{more}</span></summary>'
    yield f'<p class="quiet">Read it in the {links} judging.</p>'
    for name, value in (("first", turn.first), ("second", turn.second)):
        if isinstance(value, Missing):
            yield f"<p>The {name} judging has no score: {escape(value.missing.reason)}.</p>"
    if preferred is not None:
        said = [
            PREFERRED[each] if isinstance(each, str) else "gave none" for each in (preferred.first, preferred.second)
        ]
        pair = f"turns {preferred.earlier} and {turn.turn}"
        yield f"<p>Of {pair} the first judge {said[0]}, the second {said[1]}.</p>"
    if turn.components:
        yield '<div class="scroll" tabindex="0" role="region" aria-label="Components"><table><thead><tr>'
        yield '<th scope="col">Component</th><th scope="col">First</th><th scope="col">Second</th>'
        yield '<th scope="col">Difference</th></tr></thead><tbody>'
        yield from (_component(each, _spoken(found)) for each in turn.components)
        yield "</tbody></table></div>"
    yield from _findings("Suspect claims", [(flag_words(e.first, first), flag_words(e.second, first)) for e in flags])
    yield from _findings(
        "Flaws that cost points later", [(docking_words(e.first, first), docking_words(e.second, first)) for e in docks]
    )
    yield "</details>"


def _component(pair: ComponentPair, spoken: str) -> str:
    name = f"{pair.dimension}, {pair.component}" if pair.dimension != pair.component else pair.dimension
    alike = "They quote the same words." if pair.shares_words else "They quote other words."
    said = "" if pair.shares_words is UNSET else f"<small>{alike}</small>"
    return (
        f'<tr><th scope="row">{escape(name.replace("_", " "))}{said}</th><td>{_points(pair.first, spoken)}</td>'
        f"<td>{_points(pair.second, spoken)}</td><td>{difference(pair.difference)}</td></tr>"
    )


def _points(component: ComponentView | UnsetType, spoken: str) -> str:
    if component is UNSET:
        return NONE
    quote = f"<q {spoken}>{escape(one_line(component.quote))}</q>" if component.quote else ""
    doubt = "" if component.verified or not component.quote else " (these words are not in the turn)"
    return f"<b>{component.admitted:g}</b> of {component.maximum} {quote}{doubt}"


def _findings(title: str, pairs: list[tuple[str, str]]) -> Iterator[str]:
    for heading, items in (
        (f"{title}, both judges", [f"The first judge: {a} The second: {b}" for a, b in pairs if a and b]),
        (f"{title}, first judge only", [a for a, b in pairs if not b]),
        (f"{title}, second judge only", [b for a, b in pairs if not a]),
    ):
        if items:
            listed = "".join(f'<li dir="auto">{escape(each)}</li>' for each in items)
            yield f"<h3>{heading}</h3><ul>{listed}</ul>"
