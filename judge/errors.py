"""What can be wrong with the data that a judge works by.  ``server.errors`` says how each is told.

::

    JudgeError
    ├── RubricError               ``field`` is the dotted path of what is wrong, empty for the rubric as a whole
    └── TemplateError             a prompt template and its values do not fit
"""


class JudgeError(Exception):
    """Base of everything that ``judge`` raises."""


class RubricError(JudgeError):
    """A rubric that makes no sense."""

    def __init__(self, field: str, why: str) -> None:
        self.field, self.why = field, why
        super().__init__(f"rubric: {field}: {why}" if field else f"rubric: {why}")


class TemplateError(JudgeError):
    """A template that is malformed, or asked for with other values than it names."""
