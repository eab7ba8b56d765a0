"""What can be wrong with the data that a judge works by.

::

    JudgeError                    500  exit 1
    ├── RubricError               422  exit 2   ``field`` is the dotted path of what is wrong
    └── TemplateError             500  exit 1   a prompt template and its values do not fit
"""

from typing import ClassVar


class JudgeError(Exception):
    """Base of everything that ``judge`` raises."""

    code: ClassVar[str] = "judge_error"
    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1


class RubricError(JudgeError):
    """A rubric that makes no sense."""

    code = "bad_rubric"
    status = 422
    exit_code = 2

    def __init__(self, field: str, why: str) -> None:
        self.field, self.why = field, why
        super().__init__(f"rubric: {field}: {why}" if field else f"rubric: {why}")


class TemplateError(JudgeError):
    """A template that is malformed, or asked for with other values than it names."""

    code = "bad_template"
