"""The report on a lab run: as a page, as a file that a paper can cite, as JSON and as CSV."""

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct

import web
from events.state.usage import in_usd
from events.types import Battery, Effect, LabVerdict
from events.view.lab import LabView
from events.view.view import View
from judge.lab.trials import BATTERIES
from server.errors import NotNow
from server.export.lab_figures import axis_of, axis_svg, curve_svg, in_figures, row_svg, shown, slug
from server.export.text import escaped
from server.version import VERSION

UNITS: Final[Mapping[str, str]] = {
    "points": "Points of a turn",
    "share": "Shares of answers",
    "kappa": "Agreement with itself (kappa)",
}
VERDICTS: Final[Mapping[LabVerdict, str]] = {
    "biased": "a difference beyond chance",
    "biased, by less than matters": "a difference beyond chance, and too small to matter",
    "no bias that matters": "a difference that would matter is excluded",
    "cannot tell": "neither a bias nor its absence is shown: more items would tell",
    "measured": "a figure without a value to compare it with",
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
    "leniency": (("retest", "sd"),),
    "samples": (("retest", "sd"), ("retest", "flips")),
    "conformity": (("pressure", "belief"), ("pressure", "crowd"), ("pressure", "challenge")),
    "injection": (("injection", "points"), ("injection", "wins")),
    "truth": (("people", "pairs_accuracy"), ("people", "debates_accuracy"), ("pressure", "right_plain")),
}
"""The effects that a lab measures of each known weakness of ``judge/report/weaknesses.json``."""
PAGE: Final = "lab.html"
STYLES: Final = ("style.css", "lab.css")


def page_html(view: View) -> str:
    """The page of a run, with its present figures."""
    return _filled(_file(PAGE), view, standing=False)


def report_html(view: View) -> str:
    """One file with everything: no script, and nothing that is fetched.  Raises ``NotNow`` before the result."""
    _must_be_measured(view)
    styles = "".join(f"<style>{_file(name)}</style>\n" for name in STYLES)
    page = _filled(_file(PAGE), view, standing=True)
    lines = [line for line in page.splitlines() if "/static/" not in line and "data-theme-button" not in line]
    return "\n".join(lines).replace("</head>", f"{styles}</head>").replace(' href="/"', "")


def report_json(view: View) -> bytes:
    """Everything as one JSON object.  Raises ``NotNow`` before the result."""
    lab = _must_be_measured(view)
    body: dict[str, Any] = {
        "id": view.id,
        **dict(_identity(view, lab)),
        "batteries": lab.batteries,
        "effects": lab.effects,
        "curve": lab.curve,
        "failed_trials": lab.failed_trials,
        "usage": view.usage,
    }
    return msgspec.json.encode(body)


def report_csv(view: View) -> str:
    """One line an effect.  Raises ``NotNow`` before the result."""
    lab = _must_be_measured(view)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in msgspec.structs.fields(Effect)]
    writer.writerow(["run", "judge", *names])
    for effect in lab.effects or ():
        values = ("" if value is None else value for value in msgspec.structs.astuple(effect))
        writer.writerow([view.id, _judge(view), *map(_inert, values)])
    return text.getvalue()


def _inert(value: Any) -> Any:
    """A cell that a spreadsheet does not take for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t"} else value


def _must_be_measured(view: View) -> LabView:
    if not isinstance(view.lab, LabView):
        raise NotNow("this is a debate and no lab run")
    if view.lab.effects is UNSET:
        raise NotNow(f"this lab run has no result yet: it is {view.state}")
    return view.lab


def _judge(view: View) -> str:
    return str(view.judge.model) if view.judge is not UNSET and view.judge.model is not UNSET else "the judge"


def _identity(view: View, lab: LabView) -> Iterator[tuple[str, str]]:
    """What was measured with what, so that others can cite it and repeat it."""
    yield "judge", _judge(view)
    if lab.model and not _judge(view).endswith(lab.model):
        yield "model", lab.model
    yield "rubric", view.rubric_name or view.rubric
    yield "rubric_digest", lab.rubric_digest
    yield "items", lab.source
    yield "items_digest", lab.items_digest
    yield "seed", str(lab.seed)
    yield "opened_at", view.opened_at
    yield "moot", VERSION


IDENTITY: Final[Mapping[str, str]] = {
    "judge": "Judge",
    "model": "Answered as",
    "rubric": "Rubric",
    "rubric_digest": "Digest of the rubric",
    "items": "Items",
    "items_digest": "Digest of the items",
    "seed": "Seed",
    "opened_at": "Begun",
    "moot": "Moot",
}


def lab_lines(view: View) -> list[str]:
    """A run in Markdown: what was measured, the summary, and a table of the effects; nothing for a debate."""
    if not isinstance(view.lab, LabView):
        return []
    lines = [f"- {IDENTITY[name]}: {escaped(words)}" for name, words in _identity(view, view.lab)]
    if view.lab.effects is UNSET:
        done = (f"{each.answered} of {each.trials} {name}" for name, each in view.lab.batteries.items())
        return [*lines, "", f"Answered: {', '.join(done)}.", ""]
    lines += ["", f"**{escaped(summary(view.lab.effects))}**", "", "| effect | estimate | verdict |", "|---|---|---|"]
    lines += [f"| {_titled(each)} | {escaped(in_figures(each))} | {verdict_words(each)} |" for each in view.lab.effects]
    return [*lines, ""]


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
            f"{BATTERIES[each.battery][0]}, {_name(each)}: {in_figures(each)}: {verdict_words(each)}."
            for each in effects
            if (each.battery, each.name) in wanted and each.estimate is not None
        )
        if says:
            yield LabFinding(judge=judge, run=run, says=says)


# the page


def _filled(page: str, view: View, *, standing: bool) -> str:
    title = f"Judge lab: {_judge(view)}"
    parts = [f"<h1>{escape(title)}</h1>"]
    if not isinstance(view.lab, LabView):
        parts.append('<p class="error" role="alert">This is a debate and no lab run.</p>')
    else:
        parts += _main(view, view.lab, standing=standing)
    main = f'<main id="lab" data-id="{escape(view.id)}" data-state="{view.state}">\n' + "\n".join(parts) + "\n</main>"
    return page.replace("<title>A judge in the lab · Moot</title>", f"<title>{escape(title)} · Moot</title>").replace(
        '<main id="lab"></main>', main
    )


def _main(view: View, lab: LabView, *, standing: bool) -> Iterator[str]:
    if view.judge is not UNSET and view.judge.caveat:
        yield f'<p class="caveat">{escape(view.judge.caveat)}</p>'
    if not standing or view.state != "concluded":
        yield from _progress(view, lab)
    if lab.effects is not UNSET:
        yield from _result(lab, lab.effects)
        if not standing:
            links = "".join(
                f'<a href="/api/labs/{escape(view.id)}/report?as={kind}" download>{kind.upper()}</a> '
                for kind in ("html", "json", "csv")
            )
            yield f'<p class="downloads">Report: {links}</p>'
    yield '<section aria-labelledby="what-title"><h2 id="what-title">What was measured with what</h2><dl class="facts">'
    for name, words in _identity(view, lab):
        yield f"<div><dt>{IDENTITY[name]}</dt><dd>{escape(words)}</dd></div>"
    usage = view.usage
    calls = f"{usage.calls:,}, {usage.failed_calls:,} of them failed; {usage.tokens:,} tokens; {in_usd(usage)}"
    yield f"<div><dt>Calls</dt><dd>{calls}</dd></div>"
    yield f"<div><dt>Run</dt><dd>{escape(view.id)}</dd></div></dl></section>"


def _progress(view: View, lab: LabView) -> Iterator[str]:
    answered = sum(each.answered for each in lab.batteries.values())
    trials = sum(each.trials for each in lab.batteries.values())
    reason = f": {escape(view.reason)}" if view.reason else ""
    yield f'<p class="standing" role="status"><b data-state-words>{view.state}</b>{reason}'
    yield (
        f"<span data-done>{answered:,}</span> of {trials:,} trials answered, "
        f"<span data-spent>{in_usd(view.usage)}</span> spent</p>"
    )
    if view.state == "concluded":
        return
    yield '<table class="progress"><caption>Progress</caption><thead><tr><th scope="col">Battery</th>'
    yield '<th scope="col">Answers</th><th scope="col">Failed calls</th></tr></thead><tbody>'
    for name, each in lab.batteries.items():
        title = next((row.title for battery, row in BATTERIES.items() if battery == name), name)
        yield (
            f'<tr data-battery="{escape(name)}"><th scope="row">{escape(title)}</th><td>'
            f'<progress max="{each.trials}" value="{min(each.answered, each.trials)}" aria-label="{escape(title)}">'
            f"</progress> <span>{each.answered:,} / {each.trials:,}</span></td><td>{each.failed:,}</td></tr>"
        )
    yield "</tbody></table>"


def _result(lab: LabView, effects: Sequence[Effect]) -> Iterator[str]:
    counts = Counter(each.verdict for each in effects)
    yield f'<p class="lead">{escape(summary(effects))}</p>'
    yield '<dl class="answers">'
    for title, answer in answers(effects):
        yield f"<dt>{escape(title)}</dt><dd>{escape(answer)}</dd>"
    yield "</dl>"
    if lost := lost_trials(lab):
        yield f'<p class="caveat">{lost}. They are left out of the figures and counted in the table.</p>'
    yield '<section aria-labelledby="forest-title"><h2 id="forest-title">All effects</h2>'
    yield (
        '<p class="intro">A mark is an estimate, and its line the 95 % interval. The vertical line is the value '
        "without bias. The band around it holds the differences that are too small to matter.</p>"
    )
    yield '<ul class="legend">'
    for verdict, words in VERDICTS.items():
        if counts[verdict]:
            yield f'<li class="{slug(verdict)}"><b>{counts[verdict]} {verdict}</b>: {words}</li>'
    yield "</ul>"
    for unit in dict.fromkeys(each.unit for each in effects):
        yield from _forest(unit, [each for each in effects if each.unit == unit])
    yield "</section>"
    if lab.curve:
        yield '<section aria-labelledby="curve-title"><h2 id="curve-title">Calibration</h2><figure>'
        yield curve_svg(lab.curve)
        yield "<figcaption>How often the judge was right, by how sure it said that it was. "
        yield "On the line, it is right as often as it says.</figcaption></figure></section>"
    yield from _table(effects)


def answers(effects: Sequence[Effect]) -> list[tuple[str, str]]:
    """The title of each battery with a tested figure, and what the run says of it."""
    found = []
    for battery in dict.fromkeys(each.battery for each in effects):
        tested = [each for each in effects if each.battery == battery and each.verdict != "measured"]
        biased = [_name(each) + _less(each) for each in tested if each.is_biased]
        free = sum(each.verdict in FREE for each in tested)
        if biased:
            answer = f"biased ({'; '.join(biased)})"
        elif free == len(tested):
            answer = "no bias that matters"
        elif not free:
            answer = "not known: more items are needed"
        else:
            answer = f"no bias that matters in {free} of {len(tested)} figures; the rest is not known"
        if tested:
            found.append((BATTERIES[battery][0], answer))
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
    tested = [each for each in effects if each.verdict != "measured"]
    if not tested:
        return "No figure of this run has a value to compare it with."
    biased = [each for each in tested if each.is_biased]
    others = [each for each in tested if not each.is_biased]
    rest = _without_bias(others)
    if not biased:
        return f"Of {len(tested)} {_comparisons(len(tested))}, {rest}"
    names = "; ".join(f"{BATTERIES[each.battery][0]}, {_name(each)}{_less(each)}" for each in biased[:NAMED])
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
}
"""The names of effects in words, by battery and name."""
ENDINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "flaw": {
        "_named": "broken components",
        "_sensitivity": "broken ones that fall, net",
        "_others": "all other components",
    },
    "people": {
        "_accuracy": "accuracy of the judge",
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


def _name(effect: Effect) -> str:
    return effect_name(effect.battery, effect.name)


def _titled(effect: Effect) -> str:
    """The battery and the name of an effect, for Markdown."""
    return f"{BATTERIES[effect.battery][0]}, {escaped(_name(effect))}"


def _forest(unit: str, effects: Sequence[Effect]) -> Iterator[str]:
    axis, battery = axis_of(effects), ""
    span = f"Plot from {shown(axis.low, unit)} to {shown(axis.high, unit)}"
    yield f'<table class="forest"><caption>{escape(UNITS.get(unit, unit.capitalize()))}</caption><thead><tr>'
    head = f'<span class="visually-hidden">{span}</span>{axis_svg(axis, unit)}'
    yield f'<th scope="col">Effect</th><th scope="col" class="plot">{head}</th>'
    yield '<th scope="col">Estimate and 95 %</th><th scope="col">Verdict</th></tr></thead><tbody>'
    for each in effects:
        title = "" if each.battery == battery else f"<b>{escape(BATTERIES[each.battery][0])}</b> "
        battery = each.battery
        yield (
            f'<tr class="{slug(each.verdict)}"><th scope="row">{title}{escape(_name(each))}</th>'
            f'<td class="plot">{row_svg(each, axis)}</td><td class="n">{escape(in_figures(each))}</td>'
            f"<td>{verdict_words(each)}</td></tr>"
        )
    yield "</tbody></table>"


def _table(effects: Sequence[Effect]) -> Iterator[str]:
    yield '<section aria-labelledby="table-title"><h2 id="table-title">All figures</h2>'
    yield (
        '<p class="intro">q is the chance of such a difference without a bias (p), adjusted for the number of '
        "comparisons. Matters is the least difference that matters. Noise is how much one answer differs from another "
        "when nothing changes. Detectable is the smallest difference that so many items would probably show. Failed "
        "counts the answers that are missing.</p>"
    )
    for battery in dict.fromkeys(each.battery for each in effects):
        title, varied = BATTERIES[battery][:2]
        yield f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(title)}"><table class="figures">'
        yield f"<caption><b>{escape(title)}.</b> {escape(varied)}</caption><thead><tr>"
        for head in (
            "Effect",
            "Estimate",
            "95 %",
            "Without bias",
            "Matters",
            "Noise",
            "q",
            "Detectable",
            "Items",
            "Motions",
            "Failed",
        ):
            yield f'<th scope="col">{head}</th>'
        yield "</tr></thead><tbody>"
        for each in effects:
            if each.battery != battery:
                continue
            without = "–" if each.verdict == "measured" else shown(each.null, each.unit)
            interval = "–" if each.low is None else f"{shown(each.low, each.unit)} to {shown(each.high, each.unit)}"
            cells = (
                shown(each.estimate, each.unit),
                interval,
                without,
                shown(each.margin, each.unit),
                shown(each.floor, each.unit),
                "–" if each.q is None else f"{each.q:.3f}",
                shown(each.detectable, each.unit),
                f"{each.n:,}",
                f"{each.clusters:,}",
                f"{each.failed:,}",
            )
            name = f"{escape(_name(each))}: {each.verdict}"
            yield f'<tr><th scope="row">{name}<small>{escape(each.note)}</small></th>'
            yield "".join(f'<td class="n">{escape(cell)}</td>' for cell in cells) + "</tr>"
        yield "</tbody></table></div>"
    yield "</section>"


def _file(name: str) -> str:
    return (Path(web.__file__).parent / name).read_text(encoding="utf-8")
