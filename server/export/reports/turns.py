"""A report for a debater in format ``exchange``: the sections about its turns."""

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET, Struct

from events.state.claims import BY_EVIDENCE
from events.state.debate import Debate
from events.state.ledger import TurnCard
from events.state.spine import Premise, PremiseChange
from events.types import CitationChecked, ClaimUpheld, ComponentScore, FindingRefused, Side, Span, TurnRescored, other
from events.types.rubric import Rubric, rule_of
from events.view.summary import DOCKING
from events.view.turn_view import TurnView
from events.view.view import Fold, View
from judge.guard.quotes import find
from judge.live.answers import overlaps
from server.errors import NotNow
from server.export.debate.exchange import first_side
from server.export.document import CitedTurn, Part, Parts, QuotedWords, Strong
from server.export.labels import named
from server.export.reports.document import MIN_LOSS, ReportSection, count, quote_of, ranked_advice
from server.export.reports.losses import Loss, losses_of
from server.export.reports.sentences import Entry, ReportLog, ReportSentence
from server.export.wording import NAMES, listed

MAX_OPEN: Final = 3
MAX_DROPPED: Final = 2
MAX_LOST: Final = 3
MAX_FLAGGED: Final = 3
MAX_MISCITED: Final = 4
"""Entries of a section: the report is to stay on one page."""
WRONGLY: Final = {
    "misquoted": "these words do not stand in that passage",
    "unknown_passage": "the documents have no such passage",
}
"""By finding: what is wrong with a citation."""
CONDUCT: Final = {
    "dropped_premise": "When you give a premise up, say so.",
    "contradiction": "Say nothing that contradicts your own earlier turns.",
    "injection": "Speak to the audience, and never tell the judge what to do.",
}
"""By rule of conduct: the advice."""
TAKERS: Final = {
    "gap": "flaws",
    "claim": "flagged claims",
    "conduct": "rules of conduct",
    "band": "comparisons",
    "cap": "limits of a score",
    "rescore": "a second reading",
    DOCKING: "weighing all findings again",
}
"""By what moved a score after it was given: its name."""
REASONS: Final = {"judge_wrote", "second_opinion", "checked"}
"""Kinds of sentences that repeat a reason."""


class _SideOfExchange(Struct, frozen=True):
    """The side's turns in an exchange."""

    log: ReportLog
    debate: Debate
    side: Side
    rubric: Rubric
    turns: dict[int, TurnView]
    """The side's turns."""
    cards: dict[int, TurnCard]
    """Its judged turns."""
    composites: dict[int, float]
    first: Side
    """The side that spoke first."""
    losses: tuple[Loss, ...]
    when: str
    """When its scores are those of the report."""

    def words(self, turn: int, quote: str) -> QuotedWords:
        """Words of a debater."""
        return quote_of(self.debate.transcript.turns[turn].text, quote)

    def scored(self, turn: int) -> CitedTurn:
        """A turn, with the event that scored it."""
        return CitedTurn(turn, self.debate.ledger.cards[turn].position)

    def read(self, turn: int) -> int:
        """The event that has the points of a turn's components: its score, or the second reading of it."""
        again = [*self.log.of(TurnRescored, turn=turn)] if self.cards[turn].first_components else []
        return again[-1] if again else self.cards[turn].position

    def most(self, turn: int) -> float:
        """The most that the composite of a turn could have."""
        balances = self.debate.ledger.cards[turn].balances
        return sum(balances[name].maximum for name in self.debate.ledger.dimensions)

    def share(self, turn: int) -> float:
        """The composite of a turn as a share of what it could have."""
        return self.composites[turn] / self.most(turn)

    def reason(self, text: str, position: int) -> Entry:
        """The judge's words in an event, with the names of the sides; nothing if there are none."""
        words = QuotedWords(named(text, self.first))
        return (self.log.say("judge_wrote", position, words=words),) if text else ()


def turn_sections(log: ReportLog, fold: Fold, view: View, side: Side) -> tuple[ReportSection, ...]:
    """The sections for one side.  Raises ``NotNow`` before a turn of it is judged."""
    debate, rubric = fold.debate, fold.debate.ledger.rubric
    cards = {number: card for number, card in sorted(debate.ledger.cards.items()) if card.side == side}
    if not cards or rubric is None:
        raise NotNow(f"no turn of {NAMES[side]} is judged yet, so there is nothing to report")
    case = _SideOfExchange(
        log=log,
        debate=debate,
        side=side,
        rubric=rubric,
        turns={int(number): turn for number, turn in view.turns.items() if turn.side == side},
        cards=cards,
        composites={
            number: whole
            for number, card in cards.items()
            if card.missing is None and (whole := card.composite(debate.ledger.dimensions)) is not None
        },
        first=first_side(view.turns),
        losses=tuple(losses_of(debate, cards.values())),
        when="in the end" if view.state == "concluded" else "so far",
    )
    sections = [*_moments(case)]
    for title, found in (
        ("Where you lost points afterwards, and why", _lost_later(case)),
        ("What you dropped or left unanswered, as the judge says", _unanswered(case)),
        ("What the other side cited wrongly", _miscited(case)),
    ):
        if entries := tuple(found):
            sections.append(ReportSection(title=title, entries=entries))
    sections += ranked_advice((*_by_component(case), *_by_rule(case)))
    if unscored := tuple(_unscored(case)):
        sections.append(ReportSection(title="Not scored", entries=unscored))
    return tuple(sections)


class _Point(Struct, frozen=True):
    """A component of a turn with the judge's points."""

    turn: int
    name: str
    asks: str
    maximum: int
    score: ComponentScore
    needs_quote: bool

    @property
    def is_supported(self) -> bool:
        """Whether its points rest on words of the turn: without them a rule caps what the judge gave."""
        return self.score.verified or not self.needs_quote

    @property
    def share(self) -> float:
        return self.score.admitted / self.maximum


def _points(case: _SideOfExchange, number: int) -> Iterator[_Point]:
    """The components of a turn's composite."""
    card = case.debate.ledger.cards[number]
    for dimension in case.debate.ledger.dimensions:
        for name, component in case.rubric.dimensions[dimension].components.items():
            is_given = dimension in card.balances and dimension not in card.inferred and name in card.components
            if is_given and number >= component.applies_from:
                score, asks = card.components[name], component.asks
                yield _Point(number, name, asks, component.maximum, score, component.needs_quote)


def _moments(case: _SideOfExchange) -> Iterator[ReportSection]:
    if not case.composites:
        none = (case.log.say("no_scores", case.cards),)
        yield ReportSection(title="Your strongest and weakest moment", entries=(none,))
        return
    best = max(case.composites, key=case.share)
    worst = min(case.composites, key=case.share)
    quoted = [each for each in _points(case, best) if each.score.verified and each.score.quote]
    point = max(quoted, key=lambda each: (each.share, each.maximum), default=None)
    entry = (_moment(case, best, "best_turn", "no_better_turn"), *_component(case, point))
    yield ReportSection(title="Your strongest moment", entries=(entry,))
    explained = [each for each in _points(case, worst) if each.score.reason]
    point = max(explained, key=lambda each: (each.maximum - each.score.admitted, each.maximum), default=None)
    entry = (_moment(case, worst, "worst_turn", "no_lower_turn"), *_changed(case, worst), *_component(case, point))
    yield ReportSection(title="Your weakest moment", entries=(entry,))


def _moment(case: _SideOfExchange, number: int, alone: str, among: str) -> ReportSentence:
    """A turn with its points: the kind of sentence depends on whether it is the only one with as many."""
    kind = alone if [*map(case.share, case.composites)].count(case.share(number)) == 1 else among
    kind = "only_turn" if len(case.composites) == 1 else kind
    is_by_share = len({case.most(each) for each in case.composites}) > 1
    words: dict[str, Part] = {"points": f"{case.composites[number]:g}", "most": f"{case.most(number):g}"}
    words["by"] = ", by the share of what a turn could have" if is_by_share else ""
    return case.log.say(kind, case.cards, turn=case.scored(number), when=case.when, **words)


def _component(case: _SideOfExchange, point: _Point | None) -> Entry:
    """What the judge gave for a component of a turn, with its quote and its reason."""
    if point is None:
        return ()
    score = point.score
    given = f"{score.raw:g} of {point.maximum}"
    if score.admitted != score.raw:
        given += f", of which the rules admit {score.admitted:g},"
    words: dict[str, Part] = {"given": given, "component": Strong(point.name.replace("_", " ")), "asks": point.asks}
    if score.verified and score.quote:
        said = case.log.say("component_quoted", point.turn, **words, quote=case.words(point.turn, score.quote))
    else:
        said = case.log.say("component", point.turn, **words)
    return (said, *case.reason(score.reason, case.read(point.turn)))


def _changed(case: _SideOfExchange, number: int) -> Entry:
    """What a turn was given at first, and what each kind of change took from it or gave it."""
    card, moved = case.cards[number], dict[str, float]()
    claims = {each.flagged for each in case.debate.claims.values()}
    dimensions = case.debate.ledger.dimensions
    entries = [each for each in card.entries if each.kind != "score" and each.dimension in dimensions]
    if card.inferred:
        return ()
    for each in entries:
        of_claim = "claim" if each.kind == "reversal" or each.cause in claims else "conduct"
        taker = next((name for name in (each.rule, each.kind) if name in TAKERS), of_claim)
        moved[taker] = moved.get(taker, 0.0) + each.applied
    changes = [
        f"{name} {'took' if points < 0 else 'gave'} {count(abs(points), 'point')}"
        for kind, name in TAKERS.items()
        if (points := round(moved.get(kind, 0.0), 2))
    ]
    if not changes:
        return ()
    now = case.composites[number]
    first = round(now - sum(moved.values()), 2)
    events = (card.position, *(each.position for each in entries))
    return (case.log.say("changed", *events, first=count(first, "point"), changes=listed(changes), points=f"{now:g}"),)


# what was lost after the score


def _lost_later(case: _SideOfExchange) -> Iterator[Entry]:
    largest = _largest(case)
    yield from (_loss(case, each) for each in largest)
    flagged = sorted((each for each in case.losses if each.claim and each not in largest), key=_by_size)[:MAX_FLAGGED]
    if flagged:
        yield tuple(_flagged(case, sorted(flagged, key=lambda each: each.turn)))
    yield from [*_at_no_cost(case)][:MAX_FLAGGED]
    told = {name for name, _ in _let_go(case)[:MAX_DROPPED]}
    rest = [each for each in case.losses if each not in largest and each not in flagged and each.premise not in told]
    if entry := tuple(_further(case, rest)):
        yield entry
    yield from _moved(case)


def _flagged(case: _SideOfExchange, losses: list[Loss]) -> Iterator[ReportSentence]:
    """Flagged claims by name; what a flag means is said once."""
    told = set[str]()
    for loss in losses:
        words: dict[str, Part] = {"flag": loss.kind.replace("_", " "), "quote": case.words(loss.turn, loss.quote)}
        if loss.kind in told:
            yield case.log.say("flagged_too", loss, **_head(loss), **words)
        else:
            yield case.log.say("lost_claim", loss, **_head(loss), asks=loss.asks, **words)
        told.add(loss.kind)


def _at_no_cost(case: _SideOfExchange) -> Iterator[Entry]:
    """Claims of a kind for which the rubric takes no points, such as a source that nobody can check from here."""
    for name, claim in case.debate.claims.items():
        rule = rule_of(case.rubric, claim.kind)
        if claim.turn in case.turns and claim.state != "cleared" and rule is not None and not rule.points:
            words: dict[str, Part] = {"flag": claim.kind.replace("_", " "), "asks": rule.asks}
            words |= {"turn": CitedTurn(claim.turn, claim.flagged), "quote": case.words(claim.turn, claim.quote)}
            yield (case.log.say("flagged_at_no_cost", name, **words),)


def _further(case: _SideOfExchange, rest: list[Loss]) -> Iterator[ReportSentence]:
    """The losses that the report does not name, added up by dimension."""
    for scale in dict.fromkeys(each.scale for each in rest):
        losses = [each for each in rest if each.scale == scale]
        points = count(-round(sum(each.points for each in losses), 2), "point")
        number = count(len(losses), "further loss", "further losses")
        yield case.log.say("further_losses", losses, losses=number, points=points, dimension=scale)


def _moved(case: _SideOfExchange) -> Iterator[Entry]:
    """What comparisons took from the side's turns, if it is a loss together."""
    bands = {number: [each for each in card.entries if each.kind == "band"] for number, card in case.cards.items()}
    moved = {number: round(sum(each.applied for each in entries), 2) for number, entries in bands.items()}
    total = round(-sum(moved.values()), 2)
    if total < MIN_LOSS:
        return
    parts: list[Part] = []
    for number, points in moved.items():
        if points:
            verb = "down" if points < 0 else "up"
            parts += [", "] if parts else []
            parts += [
                CitedTurn(number, max(bands[number], key=lambda each: abs(each.applied)).position),
                f" {verb} by {count(abs(points), 'point')}",
            ]
    events = [each.position for entries in bands.values() for each in entries]
    kind = "bands" if case.rubric.ring is UNSET else "compared"
    yield (
        case.log.say(kind, *events, turns=tuple(parts)),
        case.log.say("bands_total", *events, points=count(total, "point")),
    )


def _largest(case: _SideOfExchange) -> list[Loss]:
    """The losses that the report tells one by one."""
    return sorted(case.losses, key=_by_size)[:MAX_LOST]


def _by_size(loss: Loss) -> tuple[float, int]:
    return loss.points, loss.position


def _head(loss: Loss) -> dict[str, Part]:
    return {
        "turn": CitedTurn(loss.turn, loss.position),
        "points": count(-loss.points, "point"),
        "dimension": loss.scale,
    }


def _loss(case: _SideOfExchange, loss: Loss) -> Entry:
    log, head = case.log, _head(loss)
    if loss.kind == "gap":
        told = log.say("lost_gap", loss, **head, quote=case.words(loss.turn, loss.quote))
        return (told, _shown(case, loss), *case.reason(loss.reason, loss.position), *_withdrawals(case, loss))
    if loss.kind == "contradiction":
        told = log.say("lost_contradiction", loss, **head)
        return (told, *_contradicted(case, loss), *case.reason(loss.reason, loss.cause or 0))
    if loss.kind == "injection":
        return (log.say("lost_injection", loss, **head, quote=case.words(loss.turn, loss.quote)),)
    if loss.kind == "dropped_premise":
        premise = case.debate.spine.premises[loss.premise]
        told = log.say("lost_dropped", loss, **head, quote=case.words(premise.turn, premise.quote))
        return (told, *case.reason(loss.reason, loss.cause or 0), *_withdrawal(case, loss.premise, premise))
    flag: dict[str, Part] = {"flag": loss.kind.replace("_", " "), "asks": loss.asks}
    told = log.say("lost_claim", loss, **head, **flag, quote=case.words(loss.turn, loss.quote))
    return (told, *_why_suspect(case, loss))


def _why_suspect(case: _SideOfExchange, loss: Loss) -> Iterator[ReportSentence]:
    """The reason of a flag in the words of whoever decided it."""
    claim = case.debate.claims[loss.claim]
    upheld = [*case.log.of(ClaimUpheld, claim=loss.claim)]
    if claim.answer and upheld:
        kind = "checked" if claim.decided_by is not UNSET else "second_opinion"
        yield case.log.say(kind, *upheld, words=QuotedWords(named(claim.answer, case.first)))
    elif claim.by == BY_EVIDENCE:
        yield case.log.say("checked", claim.flagged, words=QuotedWords(claim.reason))
    else:
        yield from case.reason(claim.reason, claim.flagged)


def _shown(case: _SideOfExchange, loss: Loss) -> ReportSentence:
    """The words that show a flaw."""
    quote = case.words(loss.shown_in, loss.shown_by)
    if loss.shown_in == loss.turn:
        return case.log.say("shown_by_itself", loss, quote=quote)
    by, turn = case.debate.ledger.sides[loss.shown_in], CitedTurn(loss.shown_in, loss.position)
    if by != case.side and loss.shown_in > loss.turn:
        return case.log.say("shown_by", loss, who=NAMES[by], turn=turn, quote=quote)
    whose = "Your own" if by == case.side else f"{NAMES[by]}’s"
    return case.log.say("shown_before", loss, whose=whose, turn=turn, quote=quote)


def _contradicted(case: _SideOfExchange, loss: Loss) -> Iterator[ReportSentence]:
    """The premise that a turn contradicts."""
    premise = case.debate.spine.premises.get(loss.contradicts)
    if premise is not None and loss.cause is not None:
        cited, quote = CitedTurn(premise.turn, premise.stated), case.words(premise.turn, premise.quote)
        yield case.log.say("contradicted", loss.cause, loss.contradicts, turn=cited, quote=quote)


def _withdrawals(case: _SideOfExchange, loss: Loss) -> Iterator[ReportSentence]:
    """Where the side gave up a premise with the words of a flaw."""
    for name, premise in case.debate.spine.premises.items():
        if premise.turn == loss.turn and _meet(premise.span, loss.span):
            yield from _withdrawal(case, name, premise)


def _withdrawal(case: _SideOfExchange, name: str, premise: Premise) -> Iterator[ReportSentence]:
    for change in premise.changes:
        if change.what == "withdrawn":
            cited = CitedTurn(change.turn, change.position)
            yield case.log.say("withdrawn", name, turn=cited, quote=case.words(change.turn, change.text))


# what was left open


def _unanswered(case: _SideOfExchange) -> Iterator[Entry]:
    """Premises that the side let go, and premises of the opponent that it did not answer."""
    own, open_ = _let_go(case), [*_not_answered(case)]
    for name, premise in own[:MAX_DROPPED]:
        yield tuple(_dropped(case, name, premise))
    if rest := [name for name, _ in own[MAX_DROPPED:]]:
        yield (case.log.say("dropped_too", rest, premises=count(len(rest), "further premise")),)
    rival, most = NAMES[other(case.side)], max(1, MAX_OPEN - len(own))
    for name, premise, later in open_[:most]:
        cited, words = CitedTurn(premise.turn, premise.stated), case.words(premise.turn, premise.quote)
        yield (
            case.log.say("premise", name, rival=rival, turn=cited, quote=words),
            case.log.say("not_answered", later),
        )
    if left := open_[most:]:
        names, turns = [name for name, _, _ in left], {turn for _, _, later in left for turn in later}
        premises = count(len(left), "further premise")
        yield (case.log.say("not_answered_too", names, turns, premises=premises, rival=rival),)


def _let_go(case: _SideOfExchange) -> list[tuple[str, Premise]]:
    """Premises that the side dropped and has not taken up since, but for those that the report has told already."""
    told = {each.premise for each in _largest(case)}
    refused = [event for event in _refused(case) if event.purpose == "premises"]
    found = list[tuple[str, Premise]]()
    for name, premise in case.debate.spine.premises.items():
        dropped = _drop(premise)
        if premise.side != case.side or premise.state not in {"dropped", "withdrawn"} or dropped is None:
            continue
        denied = any(event.turn > dropped.turn and name in event.quote.split(", ") for event in refused)
        if name not in told and not denied:
            found.append((name, premise))
    return found


def _drop(premise: Premise) -> PremiseChange | None:
    """The last time that a premise was dropped in silence."""
    return next((each for each in reversed(premise.changes) if each.what == "dropped"), None)


def _dropped(case: _SideOfExchange, name: str, premise: Premise) -> Iterator[ReportSentence]:
    """A premise that was dropped in silence, what that cost, and where it was given up openly afterwards."""
    if (dropped := _drop(premise)) is not None:
        cited, words = CitedTurn(dropped.turn, dropped.position), case.words(premise.turn, premise.quote)
        yield case.log.say("dropped", name, turn=cited, quote=words)
    for loss in case.losses:
        if loss.premise == name:
            points = count(-loss.points, "point")
            yield case.log.say("charged", loss, points=points, dimension=loss.scale)
    yield from _withdrawal(case, name, premise)


def _not_answered(case: _SideOfExchange) -> Iterator[tuple[str, Premise, list[int]]]:
    """Premises of the opponent that the judge does not name among what the side's later turns answer; those turns.

    Only where it was asked that of each of them, and nothing that it said besides is against the premise's words.
    """
    rival, answered = other(case.side), case.debate.spine.answered
    met = [*_met(case)]
    for name, premise in case.debate.spine.premises.items():
        later = [turn for turn in case.turns if turn > premise.turn and turn in case.debate.transcript.turns]
        if premise.side != rival or premise.state not in {"kept", "revised"} or not later:
            continue
        if any(turn not in answered or name in answered[turn] for turn in later):
            continue
        if not any(turn == premise.turn and _meet(span, premise.span) for turn, span in met):
            yield name, premise, later


def _met(case: _SideOfExchange) -> Iterator[tuple[int, Span | None]]:
    """The words against which something is recorded: flaws, also refused ones, flags, citations.

    Words that show a flaw of a turn are not among them: that flaw is no answer to them.
    """
    turns = case.debate.transcript.turns
    for card in case.debate.ledger.cards.values():
        yield from ((card.turn, entry.evidence[0].span) for entry in card.entries if entry.kind == "gap")
    yield from ((each.turn, each.span) for each in case.debate.claims.values())
    yield from ((each.turn, each.claim) for each in _wrong_citations(case))
    for event in _refused(case):
        if event.purpose != "premises":
            yield from ((turn, find(event.quote, turns[turn].text, 1)) for turn in turns)


def _refused(case: _SideOfExchange) -> Iterator[FindingRefused]:
    return (each.event for each in case.log.records if isinstance(each.event, FindingRefused))


def _meet(one: Span | None, other_span: Span | None) -> bool:
    return one is not None and other_span is not None and overlaps(one, other_span)


def _wrong_citations(case: _SideOfExchange) -> Iterator[CitationChecked]:
    """The citations of the opponent whose words or passage do not stand in the documents."""
    for each in case.debate.citations.checked.values():
        if each.finding in WRONGLY and case.debate.ledger.sides.get(each.turn) == other(case.side):
            yield each


def _miscited(case: _SideOfExchange) -> Iterator[Entry]:
    listed, rival = [*_wrong_citations(case)], NAMES[other(case.side)]
    for each in listed[:MAX_MISCITED]:
        text = case.debate.transcript.turns[each.turn].text
        yield (
            case.log.say(
                "miscited",
                (each.citation,),
                rival=rival,
                passage=each.passage,
                turn=CitedTurn(each.turn, case.debate.citations.positions[each.citation]),
                fault=WRONGLY[each.finding],
                quote=case.words(each.turn, each.quote or text[each.claim[0] : each.claim[1]]),
            ),
        )
    if rest := [each.citation for each in listed[MAX_MISCITED:]]:
        yield (case.log.say("miscited_too", rest, citations=count(len(rest), "further citation"), rival=rival),)


# what to do next time


def _by_component(case: _SideOfExchange) -> Iterator[tuple[float, Entry]]:
    """Of each component: the points below its best turn in this debate, over the side's turns.

    What was capped since the judge's quote does not hold says nothing about the speech, so no advice rests on it.
    """
    everywhere = [each for number in case.debate.ledger.cards for each in _points(case, number)]
    best: dict[str, float] = {}
    for each in everywhere:
        best[each.name] = max(best.get(each.name, 0.0), each.score.admitted)
    for name, top in best.items():
        scored = [each for each in everywhere if each.name == name]
        mine = [each for each in scored if each.turn in case.cards and each.is_supported]
        lost = round(sum(top - each.score.admitted for each in mine), 2)
        given = [each for each in mine if each.score.reason and each.score.admitted < top]
        if not given or lost < MIN_LOSS:
            continue
        worst = min(given, key=lambda each: each.score.admitted)
        of_all = "" if len(mine) == len(case.cards) else " with a score for it that rests on a quote"
        below = case.log.say(
            "below_best",
            [each.turn for each in scored],
            [*(each.turn for each in mine), next(each.turn for each in scored if each.score.admitted == top)],
            component=name.replace("_", " "),
            best=f"{top:g} of {worst.maximum}",
            turns=f"{count(len(mine), 'turn')}{of_all} {'is' if len(mine) == 1 else 'are'} {count(lost, 'point')}",
            together=", added up" if len(mine) > 1 else "",
        )
        advice = Strong(f"See that each turn {worst.asks}.")
        points = count(worst.score.admitted, "point")
        yield (
            lost,
            (
                case.log.say("advice", *below.because_of, advice=advice),
                below,
                case.log.say("lowest", worst.turn, turn=case.scored(worst.turn), points=points),
                *case.reason(worst.score.reason, case.read(worst.turn)),
            ),
        )


def _by_rule(case: _SideOfExchange) -> Iterator[tuple[float, Entry]]:
    """The points taken for flaws, for each kind of suspect claim, and for each rule of conduct."""
    told = _largest(case)
    for kind in dict.fromkeys(each.kind for each in case.losses):
        losses = [each for each in case.losses if each.kind == kind]
        lost = -round(sum(each.points for each in losses), 2)
        if lost < MIN_LOSS:
            continue
        worst = min(losses, key=lambda each: each.points)
        if kind == "gap":
            what = "Before you speak, look for the step that the other side can attack, and close it."
            how = count(len(losses), "flaw in your turns", "flaws in your turns")
        elif kind in CONDUCT:
            what, how = CONDUCT[kind], count(len(losses), kind.replace("_", " "))
        else:
            what, how = f"Make no claim that {worst.asks}.", count(len(losses), "such claim")
        cost = case.log.say(
            "cost",
            losses,
            losses=how,
            points=count(lost, "point"),
            dimension=listed([*dict.fromkeys(each.scale for each in losses)]),
            most=_most(losses),
        )
        why = () if worst in told else [each for each in _loss(case, worst) if each.kind in REASONS]
        yield lost, (case.log.say("advice", *cost.because_of, advice=Strong(what)), cost, *why)


def _most(losses: list[Loss]) -> Parts:
    """The turns that lost most together, with their points."""
    sums = dict[int, float]()
    for each in losses:
        sums[each.turn] = round(sums.get(each.turn, 0.0) - each.points, 2)
    most, parts = max(sums.values()), list[Part]()
    for turn in (turn for turn, points in sums.items() if points == most):
        largest = min((each for each in losses if each.turn == turn), key=_by_size)
        share = "all in " if len(sums) == 1 else f" and {most:g} in " if parts else f"{most:g} of them in "
        parts += [share, CitedTurn(turn, largest.position)]
    return tuple(parts)


# what has no score


def _unscored(case: _SideOfExchange) -> Iterator[Entry]:
    for number, turn in case.turns.items():
        card = case.cards.get(number)
        if card is None:
            if turn.spoken is not UNSET:
                yield (case.log.say("not_judged", number, turn=CitedTurn(number, turn.spoken)),)
        elif card.missing is not None:
            yield (case.log.say("unscored", number, turn=case.scored(number), reason=card.missing.reason),)
        else:
            if card.inferred:
                reason = next(each.reason for each in card.entries if each.kind == "inferred")
                dimensions = listed([name.replace("_", " ") for name in sorted(card.inferred)])
                said: dict[str, Part] = {"turn": case.scored(number), "reason": reason, "dimensions": dimensions}
                yield (case.log.say("inferred", number, **said),)
            for name, why in card.absent.items():
                words: dict[str, Part] = {
                    "turn": case.scored(number),
                    "dimension": name.replace("_", " "),
                    "reason": why.reason,
                }
                yield (case.log.say("unscored_part", number, **words),)
