"""A verdict for a pipeline: pass, fail or unclear, and the findings with their places in the file.

``report`` the values · ``places`` lines of quotes · ``artifact`` and ``transcript`` make a report of a record · the
forms: ``sarif``, ``junit``, ``words`` for Markdown and the decision record.
"""

from collections.abc import Callable
from typing import Final

from events.table import LazyTable
from server.export.gate.report import GateReport

FORMS: Final = LazyTable[Callable[[GateReport], str]](
    {
        "junit": f"{__name__}.junit:as_junit",
        "sarif": f"{__name__}.sarif:as_sarif",
        "json": f"{__name__}.report:as_json",
        "md": f"{__name__}.words:as_findings",
        "adr": f"{__name__}.words:as_decision_record",
    }
)
"""The forms of a report by name; each is a function that returns the whole file."""
