"""A report as SARIF 2.1.0, which code hosts show next to the lines of a change."""

import hashlib
from typing import Any, Final

import msgspec

from server.export.gate.report import FilePlace, GateFinding, GateReport, where
from server.export.text import one_line

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS: Final = {"FAIL": "warning", "CONDITIONAL": "warning", "PASS": "note", "pro": "note", "con": "note"}
"""The level of a finding by which the gate does not fail."""
UNCLEAR: Final = "unclear"


def as_sarif(report: GateReport) -> str:
    """The report as one run: a result for each finding, and one of kind ``open`` if it is unclear."""
    results = [_result(report, each) for each in report.findings]
    if report.result == "unclear":
        results.append(_unclear(report))
    elif not any(each.fails for each in report.findings) and report.result == "fail":
        results.append(_made(report, "verdict", report.headline, level="error"))
    rules = {each["ruleId"]: None for each in results}
    run = {
        "tool": {
            "driver": {
                "name": "moot",
                "version": report.version,
                "rules": [{"id": each, "shortDescription": {"text": each.replace("_", " ")}} for each in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {"result": report.result, "outcome": report.outcome, "debate": report.debate},
    }
    shown = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(shown), indent=2).decode()


def _result(report: GateReport, finding: GateFinding) -> dict[str, Any]:
    level = "error" if finding.fails else LEVELS.get(finding.verdict, "warning")
    return _made(report, finding.rule, message(finding), level=level, finding=finding)


def message(finding: GateFinding) -> str:
    """A finding in one line: what, why, who, and the quote."""
    quote = finding.quote
    parts = [finding.text, finding.reason, f"Judged by {', '.join(finding.judges)}."]
    if quote is not None:
        at = where(quote, finding.turn)
        is_known = f" ({at})" if at else ""
        parts.append(f"Quote{is_known}: “{quote.text}”{'' if quote.checked else ', which is no evidence here'}.")
    return one_line(" ".join(filter(None, parts)))


def _unclear(report: GateReport) -> dict[str, Any]:
    """A result that neither passes nor fails; one of level ``error`` if unclear counts as fail."""
    if report.unclear_is == "fail":
        return _made(report, UNCLEAR, report.headline, level="error")
    return _made(report, UNCLEAR, report.headline, kind="open", level="none")


def _made(
    report: GateReport, rule: str, text: str, *, level: str, kind: str = "fail", finding: GateFinding | None = None
) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": report.file}}
    quote = finding.quote if finding is not None else None
    if quote is not None and quote.place is not None:
        location["region"] = _region(quote.place)
    words = quote.text if quote is not None and quote.checked else text
    digest = hashlib.sha256(f"{report.file}\0{rule}\0{words}".encode()).hexdigest()
    made: dict[str, Any] = {
        "ruleId": rule,
        "kind": kind,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"moot/v1": digest},
    }
    if finding is not None:
        made["properties"] = {"judges": finding.judges, "verdict": finding.verdict}
    return made


def _region(place: FilePlace) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
