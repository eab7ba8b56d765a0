"""A report as JUnit XML: a test case for the verdict, and one for each finding."""

import re
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from server.export.gate.report import GateFinding, GateReport
from server.export.gate.sarif import message
from server.export.text import escape_controls, one_line, shortened

MAX_NAME: Final = 120
"""Characters of the name of a test case."""
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not have."""


def as_junit(report: GateReport) -> str:
    """The report as one suite.  Unclear is an error, a failure or skipped, as ``unclear_is`` says."""
    suites = Element("testsuites", name="moot")
    suite = SubElement(suites, "testsuite", name=_shown(report.file))
    verdict = SubElement(suite, "testcase", classname=_shown(report.file), name=_shown(f"verdict: {report.question}"))
    kind = {"fail": "failure", "unclear": {"fail": "failure", "pass": "skipped", None: "error"}[report.unclear_is]}
    if report.result != "pass":
        told = SubElement(verdict, kind[report.result], message=_shown(report.headline))
        told.set("type", report.verdict if report.result == "fail" else "UNCLEAR")
        told.text = "\n".join(_shown(each) for each in (report.outcome, *report.certainty, f"See: {report.link}"))
    else:
        SubElement(verdict, "system-out").text = _shown(report.headline)
    for number, each in enumerate(report.findings, 1):
        _case(suite, report, number, each)
    counted = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}
    for where in (suite, suites):
        for name, path in (*counted.items(), ("skipped", "testcase/skipped")):
            where.set(name, str(len(suite.findall(path))))
    indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _case(suite: Element, report: GateReport, number: int, finding: GateFinding) -> None:
    name = f"{number}. {finding.rule}: {shortened(finding.text, MAX_NAME)}"
    case = SubElement(suite, "testcase", classname=_shown(report.file), name=_shown(name), file=_shown(report.file))
    if finding.quote is not None and finding.quote.place is not None:
        case.set("line", str(finding.quote.place.line))
    if not finding.fails:
        SubElement(case, "system-out").text = _shown(message(finding))
        return
    told = SubElement(case, "failure", message=_shown(finding.text), type=finding.verdict)
    told.text = _shown(message(finding))


def _shown(text: str) -> str:
    return _NOT_XML.sub("\ufffd", escape_controls(one_line(text)))
