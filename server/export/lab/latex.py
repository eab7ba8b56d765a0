"""The report on a lab run for a paper: one LaTeX file with its table, a paragraph on the methods, and the sources."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Final

from msgspec import UNSET

from events.text.figures import rounded
from events.types import Battery, Effect
from events.types.opening import JudgeSeat
from events.view.lab import LabView
from events.view.view import View
from judge.lab.statistics import ALPHA, LEVEL
from judge.lab.trials import BATTERIES
from server.export.lab import name_of, summary
from server.export.lab.figures import clusters, shown

SPECIAL: Final[Mapping[str, str]] = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "−": "$-$",
    "–": "--",
    "“": "``",
    "”": "''",
    "’": "'",
    "…": r"\ldots{}",
    "≥": r"$\ge$",
    "±": r"$\pm$",
    **{each: f"\\{each}" for each in "&%$#_{}"},
}
"""Characters that mean something to LaTeX, or that its fonts may lack."""
BIB: Final = "moot-lab.bib"
COLUMNS: Final = ("Effect", "Estimate", r"95\,\% interval", "Null", "Margin", "$q$", "Items", "Verdict")


def escaped(text: str) -> str:
    """A text in which nothing is a command."""
    return "".join(SPECIAL.get(each, each) for each in text)


Parameters = Mapping[str, str | int | float | bool | None]


def report_latex(view: View, lab: LabView, seat: JudgeSeat, parameters: Parameters) -> str:
    """The file.  ``parameters``: those of the run's first answer.  It needs booktabs and longtable, and BibTeX."""
    effects = () if lab.effects is UNSET else lab.effects
    lines = (
        f"% Lab run {view.id}. Compile with: pdflatex, bibtex, pdflatex, pdflatex.",
        rf"\begin{{filecontents*}}[overwrite]{{{BIB}}}",
        sources().strip(),
        r"\end{filecontents*}",
        r"\documentclass{article}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage{booktabs,longtable,array}",
        r"\begin{document}",
        r"\section*{Methods}",
        escaped(" ".join(_asked(view, lab, seat, parameters))),
        _statistics(effects),
        r"\section*{Results}",
        escaped(summary(effects)),
        "",
        *_table(effects, seat.model),
        r"\bibliographystyle{plain}",
        rf"\bibliography{{{BIB.removesuffix('.bib')}}}",
        r"\end{document}",
    )
    return "\n".join(lines) + "\n"


def sources() -> str:
    """The sources of the statistics, as BibTeX."""
    return resources.files("judge").joinpath("lab/sources.bib").read_text("utf-8")


def _asked(view: View, lab: LabView, seat: JudgeSeat, parameters: Parameters) -> Iterator[str]:
    judge = seat.model
    served = f" (answered as {lab.model})" if lab.model and not judge.endswith(lab.model) else ""
    trials = sum(each.trials for each in lab.batteries.values())
    yield (
        f"We measured the judge {judge}{served} with Moot's lab: {trials:,} trials in {len(lab.batteries)} batteries "
        f"({', '.join(_title(name) for name in lab.batteries)}), drawn with seed {lab.seed} from {lab.source}."
    )
    yield f"Each question of a trial was asked {_times(seat.samples)}; with more than one answer the median counts."
    repeats = {} if lab.repeats is UNSET else {name: times for name, times in lab.repeats.items() if times > 1}
    if repeats:
        said = ", ".join(f"{_title(name)} {times}" for name, times in repeats.items())
        yield f"Trials of these batteries were repeated, and an item has the mean of its answers: {said}."
    temperature = parameters.get("temperature")
    yield ("The judge reports no temperature." if temperature is None else f"The temperature was {temperature}.")
    if seat.think != "default":
        yield f"Thinking was set to {seat.think}."
    if seat.effort == "brief":
        yield "The judge was asked briefly."
    yield (
        f"The rubric was {view.rubric_name or view.rubric} (SHA-256 {lab.rubric_digest[:16]}), and the items have the "
        f"SHA-256 {lab.items_digest[:16]}."
    )
    failed = 0 if lab.failed_trials is UNSET else lab.failed_trials
    if failed:
        yield f"{failed:,} trials have no usable answer; they are left out of the figures."
    for each in () if lab.left_out is UNSET else lab.left_out:
        yield f"Of {each.given:,} {each.kind} that people judged {each.asked:,} were used: {each.why}."


def _title(battery: Battery) -> str:
    return BATTERIES[battery].title.lower()


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _statistics(effects: Sequence[Effect]) -> str:
    tested = sum(each.q is not None for each in effects)
    level, alpha = rf"{rounded(LEVEL * 100, 0)}\,\%", rounded(ALPHA, 2)
    return (
        f"Items of one motion are a cluster. Intervals of {level} for differences in points use the cluster-robust "
        r"standard error CR2 with Satterthwaite degrees of freedom~\cite{bell2002,pustejovsky2018}; those for shares "
        r"are Wilson's~\cite{wilson1927} for the effective sample~\cite{korn1998}; Cohen's $\kappa$~\cite{cohen1960} "
        f"has a jackknife over clusters. The {tested} tested figures were adjusted by the procedure of Benjamini and "
        r"Hochberg~\cite{benjamini1995}, biases and abilities as a family each: a bias is shown by "
        rf"$q < {alpha}$. That no bias matters is shown by two one-sided tests~\cite{{schuirmann1987,lakens2017}} "
        "against the margin of the table."
    )


def _table(effects: Sequence[Effect], judge: str) -> Iterator[str]:
    head = " & ".join(COLUMNS) + r" \\"
    yield r"\small"
    columns = r">{\raggedright}p{0.27\textwidth}rrrrrr>{\raggedright\arraybackslash}p{0.16\textwidth}"
    yield rf"\begin{{longtable}}{{@{{}}{columns}@{{}}}}"
    yield rf"\caption{{{escaped(f'What the lab found of the judge {judge}.')}}}\\"
    yield rf"\toprule {head} \midrule \endfirsthead"
    yield rf"\toprule {head} \midrule \endhead"
    yield r"\bottomrule \endfoot"
    battery = ""
    for each in effects:
        if each.battery != battery:
            battery = each.battery
            yield rf"\multicolumn{{{len(COLUMNS)}}}{{@{{}}l}}{{\textit{{{escaped(BATTERIES[each.battery].title)}}}}} \\"
        yield " & ".join(map(escaped, _cells(each))) + r" \\"
    yield r"\end{longtable}"


def _cells(each: Effect) -> tuple[str, ...]:
    low, high = (shown(value, each.unit).removesuffix(" %") for value in (each.low, each.high))
    return (
        name_of(each),
        shown(each.estimate, each.unit),
        "–" if each.low is None else f"[{low}, {high}]",
        "–" if each.verdict == "measured" else shown(each.null, each.unit),
        shown(each.margin, each.unit),
        "–" if each.q is None else rounded(each.q, 3),
        f"{each.n:,} ({clusters(each)})",
        each.verdict,
    )
