"""Errors in the data that a judge works with.  ``server.errors`` maps them to HTTP statuses and exit codes.

::

    JudgeError
    ├── RubricError               ``field``: dotted path of the faulty field, empty for the whole rubric
    ├── BadItem                   an item of the lab, or a file that people judged, cannot be read
    ├── MissingPackages           ``package`` of the extra ``lab`` is not installed
    └── TemplateError             a prompt template is malformed, or its values do not match
"""


class JudgeError(Exception):
    """Base of everything that ``judge`` raises."""


class RubricError(JudgeError):
    """A rubric is not valid."""

    def __init__(self, field: str, why: str) -> None:
        self.field, self.why = field, why
        super().__init__(f"rubric: {field}: {why}" if field else f"rubric: {why}")


class TemplateError(JudgeError):
    """A template is malformed, or the values do not match the names in it."""


class BadItem(JudgeError):
    """An item of the lab cannot be read; the message names the file and what is wrong."""


class MissingPackages(JudgeError):
    """scipy or statsmodels is not installed."""

    def __init__(self, package: str) -> None:
        self.package = package
        super().__init__(f"the statistics of the lab need the package {package}: pip install 'moot[lab]'")
