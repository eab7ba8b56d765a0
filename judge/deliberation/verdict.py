"""The verdict on an artifact: the weight behind each verdict, before and after the judges read each other."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from events.text.figures import percent, rounded
from events.types import Missing, Rater, Reason
from events.types.criteria import DeliberationRules
from events.types.deliberation import ArtifactJudged, DeliberationHeld, Verdict
from judge.deliberation.agreement import DIGITS, agreement, has_converged, standing, with_verdict
from judge.deliberation.points import grouped, listed_points
from judge.deliberation.subject import Opinions, Subject, titles_of
from judge.guard.quotes import comparable


def judge_weights(seats: Iterable[Rater]) -> dict[str, float]:
    """Return the weight of each judge by name; a judge without a share of its own has an equal share."""
    seated = tuple(seats)
    return {seat.name: 1 / len(seated) if seat.share is UNSET else seat.share for seat in seated}


def shares(opinions: Opinions, weight: Mapping[str, float]) -> dict[str, float]:
    """Return the weight behind each verdict; it sums to 1 over the judges that have a verdict."""
    answered = with_verdict(opinions)
    total = math.fsum(weight[rater] for rater in answered)
    behind: dict[str, list[float]] = {}
    for rater, opinion in answered.items():
        part = weight[rater] / total if total else 1 / len(answered)
        behind.setdefault(str(opinion.verdict), []).append(part)
    return {verdict: round(math.fsum(parts), DIGITS) for verdict, parts in behind.items()}


def leading(behind: Mapping[str, float], verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the verdict with the largest share; of equal ones the more severe, which ``verdicts`` names first."""
    known = [verdict for verdict in verdicts if verdict in behind]
    return max(known, key=behind.__getitem__, default=None)


def judge_artifact(
    seats: Iterable[Rater],
    rounds: Sequence[Opinions],
    held: Sequence[DeliberationHeld],
    rules: DeliberationRules,
    subject: Subject,
    *,
    why_none: str = "",
    same_as: Mapping[str, str] | str = "",
) -> ArtifactJudged:
    """Return the verdicts: the independent one of round 0, and the one of the opinions that stand at the end.

    By rules without ``carries`` a round with too few answers does not count.  ``why_none``: why there was no round
    although one was due.  ``same_as``: the near-duplicates as ``grouped`` takes them, or why they are not known.
    """
    seats = tuple(seats)
    titles = titles_of(seats)
    weight = judge_weights(seats)
    first = rounds[0]
    if rules.carries is True:
        last = standing(rounds)[-1]
    else:
        last = next((each for each in reversed(rounds) if len(with_verdict(each)) >= rules.least_judges), first)
    before, after = shares(first, weight), shares(last, weight)
    independent, verdict = leading(before, subject.verdicts), leading(after, subject.verdicts)
    if independent is None or verdict is None:
        return ArtifactJudged(missing=Reason("no judge gave a usable opinion: " + _silences(first, titles)))
    was, measured = agreement(first, rules, subject.scale), agreement(last, rules, subject.scale)
    judged = ArtifactJudged(
        verdict=verdict,
        shares=after,
        independent=independent,
        independent_shares=before,
        agreement=UNSET if isinstance(measured, Missing) else measured,
        independent_agreement=UNSET if isinstance(was, Missing) else was,
        converged=has_converged(measured, rules),
    )
    why_ended = held[-1].ended if held else why_none
    if rules.carries is True:
        points = grouped(listed_points(last, weight), {} if isinstance(same_as, str) else same_as, weight)
        findings, remediation = (tuple(each for name, each in points.items() if name[0] == kind) for kind in "FR")
        not_grouped = f"near-duplicates are not grouped: {same_as}" if same_as and isinstance(same_as, str) else ""
        return replace(
            judged,
            findings=tuple(each.text for each in findings),
            remediation=tuple(each.text for each in remediation),
            reasons=tuple(filter(None, (why_ended, _tie(after, verdict), *_silent(rounds, titles), not_grouped))),
            unmoved=_unmoved(first, held, weight, subject),
            named_findings=findings,
            named_remediation=remediation,
        )
    return replace(
        judged,
        findings=_merged({rater: _last(rounds, rater, "findings") for rater in with_verdict(first)}, weight),
        remediation=_merged({rater: _last(rounds, rater, "remediation") for rater in with_verdict(first)}, weight),
        reasons=tuple(
            each
            for each in (
                f"independently {independent} has {percent(before[independent], 0)} of the weight"
                + (f", with an agreement of {rounded(was, 2)}" if not isinstance(was, Missing) else ""),
                _moved(independent, verdict, held),
                why_ended,
                _tie(after, verdict),
                *(
                    f"{titles[rater]} gave no opinion in round {number}: {opinion.missing.reason}"
                    for number, opinions in enumerate(rounds)
                    for rater, opinion in opinions.items()
                    if isinstance(opinion.missing, Reason)
                ),
            )
            if each
        ),
    )


def _unmoved(
    first: Opinions, held: Iterable[DeliberationHeld], weight: Mapping[str, float], subject: Subject
) -> Verdict | UnsetType:
    """Return the verdict without the changes by conformity; unset if there was none."""
    changes = [change for each in held for change in each.changes]
    if all(change.kind != "conformity" for change in changes):
        return UNSET
    now = dict(with_verdict(first))
    for change in changes:
        if change.kind != "conformity":
            now[change.rater] = replace(now[change.rater], verdict=change.after)
    return leading(shares(now, weight), subject.verdicts) or UNSET


def _silent(rounds: Sequence[Opinions], titles: Mapping[str, str]) -> Iterator[str]:
    """Yield who gave no opinion in a round and why, and which opinion stands for it."""
    stood = standing(rounds)
    for number, opinions in enumerate(rounds):
        for rater, opinion in opinions.items():
            if not isinstance(opinion.missing, Reason):
                continue
            silent, known = f"{titles[rater]} gave no opinion in round {number}", stood[number][rater]
            if known.verdict is UNSET:
                yield f"{silent}: {opinion.missing.reason}"
            else:
                stands = "stands" if stood[-1][rater] is known else "counted in it"
                yield f"{silent} ({opinion.missing.reason}): its opinion of round {known.round} {stands}"


def _moved(independent: Verdict, verdict: Verdict, held: Sequence[DeliberationHeld]) -> str:
    if not held:
        return ""
    kinds = [change.kind for each in held for change in each.changes]
    way = (
        f"the verdict stayed {verdict}"
        if verdict == independent
        else f"the verdict moved from {independent} to {verdict}"
    )
    if not kinds:
        return f"{way} in deliberation; nobody changed a verdict"
    counted = ", ".join(
        f"{kinds.count(kind) or 'none'} {told}"  # type: ignore[arg-type]  # the kinds that there are
        for kind, told in (("conformity", "by conformity"), ("evidence", "by new evidence"))
    )
    return f"{way} in deliberation; changes of verdict: {counted}"


def _tie(behind: Mapping[str, float], verdict: Verdict) -> str:
    equals = [each for each in behind if each != verdict and behind[each] == behind[verdict]]
    if not equals:
        return ""
    return (
        f"{verdict} and {' and '.join(equals)} have equal weight ({percent(behind[verdict], 0)}): the graver one counts"
    )


def _silences(opinions: Opinions, titles: Mapping[str, str]) -> str:
    """Return why judges gave no opinion, equal reasons together."""
    reasons: dict[str, list[str]] = {}
    for rater, opinion in opinions.items():
        if isinstance(opinion.missing, Reason):
            reasons.setdefault(opinion.missing.reason, []).append(titles[rater])
    return "; ".join(f"{', '.join(who)}: {why}" for why, who in reasons.items())


def _last(rounds: Sequence[Opinions], rater: str, name: Literal["findings", "remediation"]) -> tuple[str, ...]:
    """Return the last list that a judge gave; an empty list in a later round withdraws nothing."""
    named = (getattr(opinions[rater], name) for opinions in reversed(rounds) if rater in opinions)
    return next((each for each in named if each), ())


def _merged(lists: Mapping[str, Sequence[str]], weight: Mapping[str, float]) -> tuple[str, ...]:
    """Return each sentence once, those with more weight first."""
    texts: dict[str, str] = {}
    behind: dict[str, float] = {}
    for rater in sorted(lists, key=lambda each: -weight[each]):
        for key, text in {comparable(each): each for each in reversed(lists[rater])}.items():
            texts.setdefault(key, text)
            behind[key] = behind.get(key, 0.0) + weight[rater]
    return tuple(texts[key] for key in sorted(behind, key=lambda each: -round(behind[each], DIGITS)))
