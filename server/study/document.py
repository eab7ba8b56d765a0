"""The report of a study as a document, for the page, the terminal and Markdown.

Each sentence on a comparison follows from its figures: docs/study.md says when it is said.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from events.text.figures import percent, rounded, shortest, signed
from events.types import Arm
from judge.report.figures import plural
from judge.study.items import Answered
from judge.study.published import published
from judge.study.results import (
    FEW_CLUSTERS,
    ArmFigures,
    ArmGain,
    Finding,
    StudyAudit,
    StudyFigure,
    StudyPair,
    VoteTokens,
)
from server.export.document import (
    Block,
    Column,
    Details,
    Document,
    Facts,
    Item,
    Link,
    Listing,
    Paragraph,
    Section,
    Sentence,
    Strong,
    Table,
)
from server.export.wording import listed
from server.people.names import PREFIX
from server.study.report import StudyShown
from server.study.rows import NOT_HELD

ARM_NAMES: Final[Mapping[Arm, str]] = {
    "naive": "the judge alone",
    "consultancy": "consultancy",
    "debate": "debate",
    "critique": "one critique",
    "vote": "a vote at equal tokens",
}
TITLE_OF: Final[Mapping[Arm, str]] = {
    "naive": "Judge alone",
    "consultancy": "Consultancy",
    "debate": "Debate",
    "critique": "One critique",
    "vote": "Vote at equal tokens",
}
NO_VOTE_LIMIT: Final = "a vote of all samples"
SCRIPTED: Final = "scripted:"
MAX_ANSWERS: Final = 400
"""Answers of a cell that the page lists."""


def study_document(study: StudyShown) -> Document:
    """The whole report."""
    title = f"{'Audit of a study' if study.audit else 'Study'}: {study.name}"
    whole = study.result.whole
    return Document(
        title,
        (
            *overview(study),
            *_chosen(study),
            *(_audit(study.audit) if study.audit else ()),
            *(() if study.audit else (Section("Does debate help?", tuple(_gains(study)), name="gains"),)),
            Section("Arms", (_arms(study, whole), *_arm_notes(study, whole)), name="arms"),
            *_pairs(study),
            Section("How true the stated probabilities are", tuple(_calibration(whole)), name="calibration"),
            *(() if study.audit else (Section("What papers found", tuple(_papers(study)), name="papers"),)),
            Section("Where the questions come from", _sources(study), name="sources"),
        ),
    )


def points(value: float) -> str:
    """A difference of shares in percentage points, with its sign."""
    return signed(100 * value)


def interval(figure: StudyFigure | None) -> str:
    """The interval of an accuracy in percent; a dash without one."""
    if figure is None or figure.low is None or figure.high is None:
        return "–"
    return f"{rounded(100 * figure.low)} to {rounded(100 * figure.high)} %"


def span(figure: StudyFigure) -> str:
    """The interval of a difference, in points; empty without one."""
    if figure.low is None or figure.high is None:
        return ""
    return f"95 % interval {points(figure.low)} to {points(figure.high)}"


def p_words(p: float) -> str:
    """A p value with three decimals: ``p = 0.012``, ``p < 0.001``."""
    return "p < 0.001" if p < 0.001 else f"p = {rounded(p, 3)}"  # noqa: PLR2004 - what three decimals can show


# how far it is


def overview(study: StudyShown) -> Iterator[Paragraph]:
    """How large the study is, and what its reader has to know before its figures."""
    result = study.result
    judges = listed([each.removeprefix(PREFIX) for each in study.judges])
    argued = f"; {listed(list(study.debaters))} argued" if any(row.debater for row in study.rows) else ""
    orders = "in both orders of the answers" if study.swaps else "in one order of the answers"
    where = plural(result.clusters, "passage") if result.clusters > 1 else "1 passage"
    yield Paragraph(f"{plural(result.items, 'item')} on {where}, {orders}; {judges} judged{argued}.", "lead")
    if not study.is_finished:
        yield Paragraph(
            f"This study is not finished ({study.state}): {study.ended:,} of {study.planned:,} debates are over. The "
            "figures are those of the items that have all their answers so far.",
            "caveat",
        )
    if study.reason and study.state in {"halted", "paused"}:
        yield Paragraph(f"It is {study.state}: {study.reason}", "caveat")
    scripts = [each for each in (*study.judges, *study.debaters) if each.startswith(SCRIPTED)]
    if scripts:
        yield Paragraph(
            f"{listed(list(dict.fromkeys(scripts)))}: a script, not a model. These figures say nothing about a model.",
            "caveat",
        )
    if result.clusters < FEW_CLUSTERS:
        yield Paragraph(
            f"There are {result.clusters} clusters. The intervals were tried with {FEW_CLUSTERS} and more.", "caveat"
        )
    if not study.swaps:
        said = "Each item stood in one order only, so a preference for A or B is in the figures."
        if len(letters := {row.right_letter for row in study.rows}) == 1:
            said += f" The right answer is {min(letters)} in all of them: a judge that always says so is always right."
        yield Paragraph(said, "caveat")
    if study.has_people and len(study.arms) > 1:
        yield Paragraph(
            "A person who judges several arms answers the same question several times, and may remember it.", "caveat"
        )


# comparisons


def arm_name(arm: Arm, vote: VoteTokens | None) -> str:
    """The name of an arm in a sentence; a vote has equal tokens only where there were debates to compare with."""
    return NO_VOTE_LIMIT if arm == "vote" and vote is not None and not vote.debate_tokens else ARM_NAMES[arm]


def gain_sentence(gain: ArmGain, margin: float, vote: VoteTokens | None = None) -> str:
    """What one comparison shows."""
    over, found = arm_name(gain.over, vote), gain.difference
    if found is None:
        return f"Debate and {over} cannot be compared: no item has all its answers in both."
    difference = f"{points(found.value)} points"
    if gain.p is None or gain.holm is None:
        only = f"{plural(found.items, 'item')} of one cluster"
        return f"Debate and {over} cannot be compared: the difference is {difference} on {only}, which has no interval."
    family = "" if gain.family == 1 else f" by Holm's method for {gain.family} comparisons"
    tested = f"{p_words(gain.holm)}{family}"
    if gain.verdict in {"better", "worse"}:
        size = rounded(100 * abs(found.value))
        said = f"Debate is {gain.verdict} than {over} by {size} points ({span(found)}; {tested})."
    elif gain.verdict == "uncorrected":
        said = (
            f"Debate and {over} are not distinguishable as one of {gain.family} comparisons: the difference is "
            f"{difference} ({span(found)}, which leaves 0 out; {tested})."
        )
    else:
        said = f"Debate and {over} are not distinguishable: the difference is {difference} ({span(found)}; {tested})."
    if gain.is_equivalent:
        said += (
            f" They are equivalent within ±{shortest(100 * margin)} points, by two one-sided tests at 5 % for this "
            "comparison alone."
        )
    return said


def _gains(study: StudyShown) -> Iterator[Block]:
    whole = study.result.whole
    if not whole.gains:
        yield Paragraph("The study has no arm debate with another one, so nothing is compared.")
        return
    yield Listing(tuple(_gain_item(study, each) for each in whole.gains))
    if vote := whole.vote:
        yield Paragraph(vote_sentence(vote))
    missed = sorted({"naive", "consultancy", "critique", "vote"} - set(study.arms))
    if missed:
        yield Paragraph(f"Not in this study: {listed([TITLE_OF[_arm(each)].lower() for each in missed])}.", "small")


def _arm(name: str) -> Arm:
    return next(each for each in ARM_NAMES if each == name)


def _gain_item(study: StudyShown, gain: ArmGain) -> Item:
    whole = study.result.whole
    took = {each.arm: each for each in whole.arms}
    one, other = took[gain.of], took[gain.over]
    spent = f"Debate took {_took(one, whole.vote)}; {arm_name(gain.over, whole.vote)} took {_took(other, whole.vote)}."
    return Item((Strong(gain_sentence(gain, study.result.margin, whole.vote)),), (spent,))


def _took(arm: ArmFigures, vote: VoteTokens | None) -> str:
    if arm.arm == "vote" and vote is not None and vote.debate_tokens:
        return f"{vote.tokens:,} tokens in the samples that count ({arm.tokens:,} tokens, {_usd(arm)} in all)"
    return f"{arm.tokens:,} tokens, {_usd(arm)}"


def _usd(arm: ArmFigures) -> str:
    return f"{'at least ' if arm.unpriced else ''}{rounded(arm.cost_usd, 4)} USD"


def vote_sentence(vote: VoteTokens) -> str:
    """What the votes took, and the debates that they are compared with."""
    if not vote.debate_tokens:
        return f"There are no debates to compare with, so all {vote.samples:,} samples of {vote.votes:,} votes count."
    said = (
        f"A vote counts its first samples that take no more tokens than the debates of its item: {vote.samples:,} "
        f"samples in {plural(vote.votes, 'vote')}, {vote.tokens:,} tokens; the debates took {vote.debate_tokens:,}."
    )
    if vote.short:
        said += f" {plural(vote.short, 'vote')} ended before the tokens of the debates were reached."
    if vote.over:
        said += f" In {plural(vote.over, 'vote')} the first sample alone took more tokens than the debates."
    return said


# arms


def _to(study: StudyShown, text: str, **chosen: str) -> Sentence:
    given = {name: value for name, value in chosen.items() if value}
    return (Link(text, f"/study/{study.id}?{urlencode(given)}#answers"),) if study.id else text


def _arms(study: StudyShown, pair: StudyPair) -> Table:
    columns: tuple[str | Column, ...] = (
        "Arm",
        *(Column(each, "n") for each in ("Right", "95 %", "Items", "A over B", "Brier", "Answers", "Missing")),
        *(Column(each, "n") for each in ("Tokens", "USD")),
    )
    rows = tuple(
        (
            _to(study, title_of(each.arm, pair.vote), arm=each.arm, debater=pair.debater, judge=pair.judge),
            "–" if each.accuracy is None else percent(each.accuracy.value),
            interval(each.accuracy),
            "0" if each.accuracy is None else f"{each.accuracy.items:,}",
            "–" if each.position is None else points(each.position.value),
            "–" if each.calibration is None else rounded(each.calibration.brier.value, 3),
            f"{each.answers:,}",
            f"{each.missing:,}",
            f"{each.tokens:,}",
            usd(each),
        )
        for each in pair.arms
    )
    return Table(columns, rows, "How often the judge is right, and what it took", region="Arms")


def usd(arm: ArmFigures) -> str:
    """The cost of an arm in a table, which is a lower bound if a call of it has no price."""
    return f"{'≥ ' if arm.unpriced else ''}{rounded(arm.cost_usd, 4)}"


def title_of(arm: Arm, vote: VoteTokens | None) -> str:
    """The name of an arm in a table; a vote has equal tokens only where there were debates to compare with."""
    return "Vote of all samples" if arm == "vote" and vote is not None and not vote.debate_tokens else TITLE_OF[arm]


def _arm_notes(study: StudyShown, pair: StudyPair) -> Iterator[Block]:
    yield Paragraph(
        "An item counts in an arm if every planned answer is there; a probability of exactly one half counts half. “A "
        "over B” is how many points more often the judge is right where the right answer is A.",
        "small",
    )
    for each in pair.arms:
        if each.missing:
            why = listed([f"{reason} ({count:,})" for reason, count in sorted(each.why_missing.items())])
            left = f" {plural(each.left_out, 'item')} left out." if each.left_out else ""
            yield Paragraph(f"{title_of(each.arm, pair.vote)}: {plural(each.missing, 'missing answer')}: {why}.{left}")
    for each in pair.arms:
        if said := position_sentence(each, pair.vote):
            yield Paragraph(said)
    moved = pair.critique_moves
    if moved is not None and not study.audit:
        yield Paragraph(
            f"From before the critique to after it, how often the judge is right changed by {points(moved.value)} "
            f"points in the same debates ({span(moved) or 'no interval'})."
        )
    if pair.critic is not None and pair.gap is not None and not study.audit:
        yield Paragraph(
            f"The model that argues is right in {percent(pair.critic.value)} by itself, with the passage "
            f"({interval(pair.critic)}). The difference to the judge alone is {points(pair.gap.value)} points "
            f"({span(pair.gap) or 'no interval'})."
        )


def position_sentence(arm: ArmFigures, vote: VoteTokens | None = None) -> str:
    """That the judge favours a letter in an arm; empty if chance explains it."""
    found = arm.position
    if found is None or found.low is None or found.high is None or found.low <= 0 <= found.high:
        return ""
    letter, other = ("A", "B") if found.value > 0 else ("B", "A")
    return (
        f"{title_of(arm.arm, vote)}: the judge favours the letter {letter}: it is right "
        f"{rounded(100 * abs(found.value))} points more often where the right answer is {letter} than where it is "
        f"{other} ({span(found)})."
    )


def _pairs(study: StudyShown) -> Iterator[Block]:
    if not study.result.pairs:
        return
    blocks: list[Block] = []
    for pair in study.result.pairs:
        name = " with ".join(each for each in (pair.debater, pair.judge.removeprefix(PREFIX)) if each)
        said = tuple(gain_sentence(each, study.result.margin, pair.vote) for each in pair.gains)
        blocks.append(
            Section(name, (_arms(study, pair), *((Listing(said),) if said and not study.audit else ())), level=3)
        )
    rows = tuple(_strength(pair) for pair in study.result.pairs if pair.gap is not None)
    if rows:
        columns: tuple[str | Column, ...] = (
            "Debater",
            "Judge",
            *(Column(each, "n") for each in ("Debater by itself", "Less the judge alone", "Debate over the judge")),
        )
        blocks.append(Table(columns, rows, "By how much stronger the debater is", region="Strength"))
    yield Section("Each debater with each judge", tuple(blocks), name="pairs")


def _strength(pair: StudyPair) -> tuple[Sentence, ...]:
    over = next((each.difference for each in pair.gains if each.over == "naive"), None)
    return (
        pair.debater,
        pair.judge.removeprefix(PREFIX),
        "–" if pair.critic is None else percent(pair.critic.value),
        "–" if pair.gap is None else f"{points(pair.gap.value)} ({span(pair.gap) or 'no interval'})",
        "–" if over is None else f"{points(over.value)} ({span(over) or 'no interval'})",
    )


def _calibration(pair: StudyPair) -> Iterator[Block]:
    known = [each for each in pair.arms if each.calibration is not None]
    if not known:
        yield Paragraph("No answer states a probability.")
        return
    rows = []
    for arm in known:
        found = arm.calibration
        assert found is not None, "those without it are left out"
        brier = found.brier
        held = (
            "–" if brier.low is None or brier.high is None else f"{rounded(brier.low, 3)} to {rounded(brier.high, 3)}"
        )
        parts = (found.miscalibration, found.discrimination, found.uncertainty)
        rows.append(
            (
                title_of(arm.arm, pair.vote),
                rounded(brier.value, 3),
                held,
                *(rounded(each, 3) for each in parts),
                f"{found.answers:,}",
            )
        )
    heads = ("Brier", "95 %", "Miscalibration", "Discrimination", "Uncertainty", "Answers")
    yield Table(("Arm", *(Column(each, "n") for each in heads)), tuple(rows), region="Calibration")
    yield Paragraph(
        "Of the stated probability that A is right. Brier = miscalibration − discrimination + uncertainty (CORP); one "
        "half for every answer gives 0.25.",
        "small",
    )
    for arm in known:
        assert arm.calibration is not None, "those without it are left out"
        blocks = tuple(
            (
                rounded(each.low, 2) if each.low == each.high else f"{rounded(each.low, 2)} to {rounded(each.high, 2)}",
                rounded(each.stated, 2),
                rounded(each.happened, 2),
                f"{each.answers:,}",
            )
            for each in arm.calibration.blocks
        )
        names = ("Mean", "A was right", "Answers")
        stated: tuple[str | Column, ...] = ("Stated", *(Column(each, "n") for each in names))
        yield Details(f"{title_of(arm.arm, pair.vote)}: stated and what was right", (Table(stated, blocks),))


# papers, sources, one cell


def _papers(study: StudyShown) -> Iterator[Block]:
    ours = {each.arm: each for each in study.result.whole.arms}
    found = published()
    columns = list(dict.fromkeys((each.source, each.judges) for each in found.figures))
    theirs = {(each.source, each.judges, each.arm): each.accuracy for each in found.figures}
    arms = [arm for arm in ARM_NAMES if arm in ours or any(each.arm == arm for each in found.figures)]
    rows = []
    for arm in arms:
        mine = ours.get(arm)
        here = (
            "–"
            if mine is None or mine.accuracy is None
            else f"{percent(mine.accuracy.value)} ({interval(mine.accuracy)})"
        )
        cells = [theirs.get((source, judges, arm)) for source, judges in columns]
        rows.append(
            (title_of(arm, study.result.whole.vote), here, *("–" if each is None else percent(each) for each in cells))
        )
    heads = ["Here", *(f"{source}, {judges}" for source, judges in columns)]
    yield Table(("Arm", *(Column(each, "n") for each in heads)), tuple(rows), region="Papers")
    if study.people is not None:
        yield Paragraph(
            f"People who judged these {plural(study.people.items, 'debate')} live were right in "
            f"{percent(study.people.value)} ({interval(study.people)}, clustered by story). They asked "
            "back during the debates; a model that reads what was said does not."
        )
    held = [f"{plural(study.result.items, 'item')} of {study.data}"]
    if study.people is not None:
        held.append("speeches that people gave")
    else:
        held += [f"{plural(study.rounds, 'round')} of debate"] if "debate" in ours else []
        held += [f"argued by {listed(list(study.debaters))}"] if {"consultancy", "debate", "critique"} & {*ours} else []
    yield Paragraph(f"What differs. Here: {'; '.join(held)}; judged by {listed(list(study.judges))}.")
    yield Listing(tuple((Link(each.name, each.link), f": {each.setting}.") for each in found.sources))
    yield Paragraph("What other papers say in their abstracts:")
    yield Listing(tuple((Link(each.name, each.link), f": {each.says}.") for each in found.others))


def _sources(study: StudyShown) -> tuple[Block, ...]:
    seen = "the debaters alone" if study.sees == "debaters" else "the judge too"
    return (
        Facts(
            (
                ("Items", study.data),
                ("The passage is read by", seen),
                ("Rounds of a debate", f"{study.rounds}"),
                ("Batch", (Link(study.id, f"/batch/{study.id}"),)),
            )
        ),
        *((Listing(study.notes),) if study.notes else ()),
    )


def _chosen(study: StudyShown) -> Iterator[Block]:
    if not study.chosen:
        return
    rows = [row for row in study.rows if all(getattr(row, name) == value for name, value in study.chosen.items())]
    title = ", ".join(study.chosen.values())
    more = f" (the first {MAX_ANSWERS:,} of {len(rows):,})" if len(rows) > MAX_ANSWERS else ""
    yield Section(f"Answers: {title}{more}", (answers_table(rows[:MAX_ANSWERS]),), name="answers")


def answers_table(rows: Sequence[Answered]) -> Table:
    """Each answer with a link to its debate."""
    heads = ("Item", "Right is", "By", "When", "Assigned", Column("Probability of the right one", "n"), "Answer")
    cells = tuple(
        (
            (Link(row.item, f"/d/{row.debate}"),) if row.missing != NOT_HELD else row.item,
            row.right_letter,
            row.judge.removeprefix(PREFIX) if row.by == "judge" else f"critic {row.debater}",
            f"sample {row.sample}" if row.sample > 1 else "–" if row.by == "critic" else row.stage,
            row.assigned or "–",
            "–" if row.p_right is None else rounded(row.p_right, 2),
            row.missing or {1.0: "right", 0.0: "wrong"}.get(row.score if row.score is not None else 0.5, "undecided"),
        )
        for row in rows
    )
    return Table(heads, cells, region="Answers")


# the audit


def finding_sentence(audit: StudyAudit) -> tuple[str, str]:
    """Whether the critic classifies better than the judge alone, and whether the judge verifies."""
    gap, by = audit.gap, audit.verifies_by
    first = _critic_words(audit.classifies, gap)
    second = {
        "yes": "The judge verifies: a critique moves it further if it argues for the right answer",
        "no": "The judge does not verify: a critique moves it further if it argues for the wrong answer",
        "open": "Whether the judge verifies cannot be said",
    }[audit.verifies]
    if by is None:
        return first, f"{second}: no item has both critiques with stated probabilities."
    held = (
        "no interval"
        if by.low is None or by.high is None
        else f"95 % interval {signed(by.low, 2)} to {signed(by.high, 2)}"
    )
    return first, f"{second} (by {signed(by.value, 2)} log-odds; {held})."


def _critic_words(finding: Finding, gap: StudyFigure | None) -> str:
    if gap is None:
        return "Whether the critic classifies better than the judge alone cannot be said: no item has both answers."
    by = f"by {points(gap.value)} points ({span(gap) or 'no interval'})"
    return {
        "yes": f"The critic, who has the passage, is right more often than the judge alone, {by}.",
        "no": f"The critic is right less often than the judge alone, {by}.",
        "open": f"Whether the critic classifies better than the judge alone cannot be said: {by}.",
    }[finding]


def power_sentence(audit: StudyAudit) -> str:
    """What the study would find."""
    items, clusters = audit.detectable_of
    size = f"{plural(items, 'item')} in {plural(clusters, 'cluster')}"
    if audit.alone is None:
        return "What the study can find cannot be said: the judge gave no answer alone."
    if audit.detectable is None:
        return (
            f"The judge alone is right in {percent(audit.alone.value)}. With {size} the study finds no difference above"
            " that with a probability of 80 %."
        )
    return (
        f"With {size} the study finds a difference of {shortest(100 * audit.detectable)} points and more with a "
        "probability of 80 %, as one of four comparisons (simulated, with the judge's accuracy in this audit)."
    )


def conclusion(audit: StudyAudit) -> str:
    """Whether the study can find anything; that it cannot be said is an answer."""
    if "no" in {audit.classifies, audit.verifies}:
        return "By this audit debate is not expected to help this judge."
    if audit.detectable is None or audit.gap is None:
        return "Whether the study can find anything cannot be said."
    if audit.gap.high is not None and audit.gap.high < audit.detectable:
        return (
            "If a debate passes on what the critic knows, and no more, the study finds a gain with a probability below "
            f"80 %: the critic is right at most {rounded(100 * audit.gap.high)} points more often than the judge alone "
            "(upper end of the 95 % interval)."
        )
    if {audit.classifies, audit.verifies} == {"yes"}:
        if audit.gap.value >= audit.detectable:
            return "The study can find a gain, if a debate passes on what the critic knows."
        return (
            "A gain is possible. But if a debate passes on what the critic knows, and no more, the study finds it with "
            "a probability below 80 %."
        )
    return "Whether the study can find anything cannot be said with the items of this audit."


def _audit(audit: StudyAudit) -> tuple[Block, ...]:
    rows = (
        ("Judge alone", "–" if audit.alone is None else percent(audit.alone.value), interval(audit.alone)),
        (
            "Critic with the passage",
            "–" if audit.critic is None else percent(audit.critic.value),
            interval(audit.critic),
        ),
    )
    moved = (
        ("Critique for the right answer", *_log_odds(audit.moves_right)),
        ("Critique for the wrong answer", *_log_odds(audit.moves_wrong)),
    )
    figures = (Column("Right", "n"), Column("95 %", "n"))
    moves = (Column("Moves the judge towards it by", "n"), Column("95 %", "n"))
    return (
        Section(
            "Can the study find anything?",
            (
                Paragraph((Strong(conclusion(audit)),)),
                Listing((*finding_sentence(audit), power_sentence(audit))),
                Table(("Who", *figures), rows),
                Table(("What it read", *moves), moved, "In log-odds of the stated probability"),
                Paragraph(
                    f"{plural(audit.items, 'item')} audited; {plural(audit.missing, 'answer')} missing. The table of "
                    "arms leaves out the critiques for an assigned answer.",
                    "small",
                ),
            ),
            name="audit",
        ),
    )


def _log_odds(figure: StudyFigure | None) -> tuple[str, str]:
    if figure is None:
        return "–", "–"
    if figure.low is None or figure.high is None:
        return signed(figure.value, 2), "–"
    return signed(figure.value, 2), f"{signed(figure.low, 2)} to {signed(figure.high, 2)}"
