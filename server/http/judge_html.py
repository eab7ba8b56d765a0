"""The parts of the page about the judge as HTML, for the places that ``web/judge/judge.html`` names."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from judge.report.levels import Level
from judge.report.picture import FairnessPicture, PictureLine, PictureMark
from judge.report.table import ReportRow, ReportTable
from judge.report.weaknesses import Weakness
from server.export.document.html import tag
from server.export.lab import LabFinding

if TYPE_CHECKING:
    from server.http.judge import JudgeReport, JudgeUse

PARTS: Final = {
    "summary": "How it works, in short",
    "levels": "Five levels",
    "beside": "Other tasks",
    "tables": "The rubric",
    "fairness": "How fair are the rules?",
    "use": "May I use this judge?",
    "weaknesses": "Known weaknesses",
}
"""The sections of the page that its contents list, by id."""
PICTURE: Final = "How fair the rules of each rubric are in simulated debates"


def parts_of(report: "JudgeReport") -> dict[str, str]:
    """By placeholder of the page: what stands there."""
    sections = {
        "levels": [(each.id, each.name, _level(each)) for each in report.levels],
        "beside": [(each.id, each.name, _level(each)) for each in report.beside],
        "tables": [(each.id, each.title, _table(each)) for each in report.tables],
        "weaknesses": [
            (each.id, each.name, _weakness(each, report.labs.get(each.id, ()))) for each in report.weaknesses
        ],
    }
    numbers = {each.id: f"<i>{each.number}</i>" for each in report.levels}
    found = {
        f"<!--{part}-->": "".join(
            tag(
                "section", f"<h3>{numbers.get(name, '')}{escape(title)}</h3>{body}", class_="entry", id=f"{part}-{name}"
            )
            for name, title, body in entries
        )
        for part, entries in sections.items()
    }
    fairness = report.fairness
    return found | {
        "<!--toc-->": "".join(_contents(sections, has_fairness=fairness is not UNSET)),
        "<!--summary-->": _paragraphs(report.summary),
        "<!--which-->": _which(report),
        "<!--over-->": _over(report),
        "<!--fairness-->": "" if fairness is UNSET else _fairness(fairness),
        "<!--uses-->": "".join(map(_use, report.uses)) or "<p>Not yet shown: no judge was measured on this server.</p>",
    }


def _contents(sections: Mapping[str, list[tuple[str, str, str]]], *, has_fairness: bool) -> Iterator[str]:
    for part, title in PARTS.items():
        if part == "fairness" and not has_fairness:
            continue
        links = (tag("a", escape(name), href=f"#{part}-{key}") for key, name, _ in sections.get(part, ()))
        whole = tag("details", f"<summary>{title}</summary>{''.join(links)}")
        yield whole if part == "tables" else whole.replace("<details>", "<details open>", 1)


def _paragraphs(lines: Iterable[str]) -> str:
    return "".join(tag("p", escape(line)) for line in lines)


def _which(report: "JudgeReport") -> str:
    link = ""
    if report.debate is not UNSET and report.motion is not UNSET:
        link = tag("a", escape(report.motion), href=f"/d/{report.debate}")
    short = tag("ol", "".join(tag("li", escape(line)) for line in report.in_short), id="short")
    which = tag("p", escape(report.about) + link, class_="intro", id="which")
    return which + (short if report.in_short else "")


def _over(report: "JudgeReport") -> str:
    links = (
        tag("a", escape(words), href=address, **{"aria-current": "true" if is_shown else "false"})
        for words, address, is_shown in report.links
    )
    return _paragraphs(report.measured_over.says) + "".join(links)


def _use(use: "JudgeUse") -> str:
    link = tag("a", escape(use.judge), href=f"/lab/{use.run}")
    return tag("p", f"{link}: {escape(use.says)}", **{"data-answer": use.answer})


def _facts(pairs: Iterable[tuple[str, tuple[str, ...]]]) -> str:
    return tag("dl", "".join(f"<dt>{name}</dt><dd>{_paragraphs(lines)}</dd>" for name, lines in pairs if lines))


def _level(level: Level) -> str:
    facts = _facts((("Question", (level.asks,) if level.asks else ()), ("Rules", level.rules)))
    prompt = ""
    if level.prompt is not UNSET:
        text = tag("pre", escape(level.prompt), tabindex="0")
        prompt = f"<details><summary>The question, word for word</summary>{text}</details>"
    return f"<p>{escape(level.does)}</p>{facts}{prompt}"


def _weakness(weakness: Weakness, labs: Iterable[LabFinding]) -> str:
    figure, means = weakness.shows
    known = () if weakness.known is UNSET else (weakness.known,)
    facts = _facts((("What Moot does", (weakness.does,)), ("Published", known), ("Measured here", weakness.says)))
    table = "" if weakness.table is UNSET else _table(weakness.table)
    shows = tag("p", f"<b>{escape(figure)}</b>{escape(means)}", class_="shows")
    return f"<p>{escape(weakness.what)}</p>{shows}{facts}{table}{''.join(map(_lab, labs))}"


def _lab(finding: LabFinding) -> str:
    link = tag("a", escape(finding.judge), href=f"/lab/{finding.run}")
    says = "".join(tag("li", escape(line)) for line in finding.says)
    return tag("div", f"<p>Measured in a lab run of {link}</p><ul>{says}</ul>", class_="lab")


def _table(table: ReportTable) -> str:
    heads = (
        tag("th", escape(name), scope="col", class_="n" if column in table.figures else "")
        for column, name in enumerate(table.head)
    )
    rows = "".join(_row(row, table.figures) for row in table.rows)
    whole = f"<caption>{escape(table.caption)}</caption><thead><tr>{''.join(heads)}</tr></thead><tbody>{rows}</tbody>"
    region = {"class_": "scroll", "tabindex": "0", "role": "region", "aria-label": table.caption}
    return tag("div", tag("table", whole), **region)


def _row(row: ReportRow, figures: tuple[int, ...]) -> str:
    mark, was = row.mark or "", row.was or {}
    cells = ""
    for column, value in enumerate(row.cells):
        before, text = was.get(str(column)), escape(_words(value))
        if mark or before is not None:
            text = tag("del" if mark == "gone" else "ins", text)
        if before is not None:
            text = f"{tag('del', escape(_words(before)))} {text}"
        is_name = column == 0
        cells += tag(
            "th" if is_name else "td",
            text,
            scope="row" if is_name else "",
            class_="n" if column in figures and not is_name else "",
        )
    attributes = {"class_": "leads" if row.leads else "", "data-key": row.key, "data-mark": mark}
    return tag("tr", cells, **attributes)


def _words(cell: object) -> str:
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def _fairness(picture: FairnessPicture) -> str:
    turns = " and ".join(map(str, picture.turns))
    intro = (
        f"Debates of a known outcome were simulated, {picture.debates:,} for each figure, and the rules of each rubric "
        f"were applied to the answers of a simulated judge. Figures are for {turns} turns. Each line begins at 0 and "
        "has a scale of its own; the mark is the aim, and a hollow circle misses it. The figures hold in this "
        "simulated world; moot bench --fairness prints all of them, for your own rubrics too."
    )
    lines = "".join(_line(line, picture.rubrics) for line in picture.lines)
    caption = tag("caption", PICTURE, class_="visually-hidden")
    table = tag("table", f"{caption}<tbody>{lines}</tbody>", class_="picture")
    title = f'<h2 id="fairness-title">{PARTS["fairness"]}</h2>'
    body = f"{title}{tag('p', intro, class_='intro', id='simulated')}{table}"
    return tag("section", body, id="fairness", **{"aria-labelledby": "fairness-title"})


def _line(line: PictureLine, rubrics: tuple[str, ...]) -> str:
    """A line of the picture: its aim and a circle for each rubric, then the figures in words."""
    start, end = (line.aim_at, 100) if line.better == "more" else (0, line.aim_at)
    drawn = (
        '<line x1="0" x2="100%" y1="10" y2="10"/>'
        f'<line class="good" x1="{start:g}%" x2="{end:g}%" y1="10" y2="10"/>'
        f'<line class="aim" x1="{line.aim_at:g}%" x2="{line.aim_at:g}%" y1="3" y2="17"/>'
        + "".join(map(_circle, line.marks))
    )
    marks = {each.rubric: each.says for each in line.marks}
    figures = "".join(tag("td", f"<i>{escape(name)}</i>{escape(marks.get(name, '–'))}", class_="n") for name in rubrics)
    aim = tag("span", f"aim {escape(line.aim)}", class_="quiet")
    lane = tag("td", f'<svg aria-hidden="true">{drawn}</svg>', class_="lane")
    return tag("tr", f'<th scope="row">{escape(line.says)}{aim}</th>{lane}{figures}')


def _circle(mark: PictureMark) -> str:
    classes = f"{mark.rubric}{'' if mark.reaches else ' missed'}"
    return f'<circle class="{escape(classes)}" cx="{mark.at:g}%" cy="10" r="4.5"/>'
