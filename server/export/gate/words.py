"""A report to read: the findings, and the record of a decision."""

from collections.abc import Iterable, Iterator
from typing import Final

from server.export import document as doc
from server.export.document.markdown import to_markdown
from server.export.gate.report import GateFinding, GateReport, Position, where
from server.export.wording import listed, share

RESULTS: Final = {"pass": "Pass", "fail": "Fail", "unclear": "Unclear"}
STATUS: Final = {"pass": "accepted", "fail": "rejected", "unclear": "open: the judges decided nothing"}


def as_findings(report: GateReport) -> str:
    """The result and its findings, in Markdown."""
    blocks: list[doc.Block] = [doc.Paragraph(report.headline, "lead")]
    if report.result == "unclear":
        blocks.append(doc.Paragraph(report.outcome))
    blocks += [doc.Lines(report.certainty)] if report.certainty else []
    blocks += doc.listed("Findings", (_finding(each, report) for each in report.findings), 2)
    blocks += doc.listed("Remediation", report.remediation, 2)
    blocks.append(_link(report))
    return to_markdown(doc.Document(f"{RESULTS[report.result]}: {report.question}", tuple(blocks)))


def as_decision_record(report: GateReport) -> str:
    """The record of a decision, in Markdown: question, options, decision, reasons, minority, certainty, link."""
    unclear = doc.listed("Why nothing is decided", report.unclear, 2)
    facts = doc.Facts((("Date", report.opened_at[:10]), ("Status", STATUS[report.result]), ("File", report.file)))
    blocks: tuple[doc.Block, ...] = (
        facts,
        doc.Section("Question", (doc.Paragraph(report.question),)),
        *doc.listed("Options", report.options, 2),
        doc.Section("Decision", (doc.Paragraph(report.headline, "lead"),)),
        *unclear,
        *doc.listed("Reasons", map(_position, report.positions), 2),
        *doc.listed("Findings", (_finding(each, report) for each in report.findings), 2),
        *doc.listed("What must be done", report.remediation, 2),
        doc.Section("Minority", (_minority(report.minority),)),
        doc.Section("Certainty", (doc.Listing(tuple(_certainty(report))),)),
        doc.Section("Link", (_link(report),)),
    )
    return to_markdown(doc.Document(report.question, blocks))


def _minority(held: Iterable[Position]) -> doc.Block:
    items = tuple(map(_position, held))
    return doc.Listing(items) if items else doc.Paragraph("No judge holds another verdict.")


def _certainty(report: GateReport) -> Iterator[str]:
    yield from report.certainty or (report.outcome,)
    unchecked = [each.judge for each in (*report.positions, *report.minority) if each.quote and not each.quote.checked]
    if unchecked:
        yield f"Quotes that do not stand in the text, or instruct its judges: {listed(unchecked)}."


def _link(report: GateReport) -> doc.Paragraph:
    if report.link.startswith("http"):
        return doc.Paragraph(("The debate: ", doc.Link(report.link, report.link)))
    return doc.Paragraph(("The debate: ", doc.Marked(report.link, "code")))


def _finding(finding: GateFinding, report: GateReport) -> doc.Item:
    at = where(finding.quote, finding.turn)
    title = f"{report.file}{f', {at}' if at else ''}"
    verdict = f" [{finding.verdict}]" if finding.verdict else ""
    below: list[doc.Sentence] = [finding.reason] if finding.reason else []
    if finding.quote is not None:
        checked = "" if finding.quote.checked else " (no evidence: not found in the text, or an instruction)"
        below.append((doc.QuotedWords(finding.quote.text), checked))
    return doc.Item((doc.Strong(title), f"{verdict}: {finding.text} ({listed(finding.judges)})"), tuple(below))


def _position(each: Position) -> doc.Item:
    sure = "" if each.confidence is None else f", confidence {share(each.confidence)}"
    weight = "" if each.weight is None else f", weight {share(each.weight)}"
    model = "" if each.model == each.judge else f" ({each.model})"
    below: tuple[doc.Sentence, ...] = ()
    if each.quote is not None:
        at = where(each.quote)
        known = f" ({at})" if at else "" if each.quote.checked else " (no evidence)"
        below = ((doc.QuotedWords(each.quote.text), known),)
    return doc.Item((doc.Strong(each.judge), f"{model}: {each.verdict}{sure}{weight}. {each.reason}"), below)
