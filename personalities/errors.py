"""What can be wrong with a character.

::

    PersonalityError              422  exit 2   ``field`` names the archetype, the trait or the template
"""

from typing import ClassVar


class PersonalityError(Exception):
    """An unknown archetype, a trait out of range, a template that does not fit."""

    code: ClassVar[str] = "bad_personality"
    status: ClassVar[int] = 422
    exit_code: ClassVar[int] = 2

    def __init__(self, field: str, why: str) -> None:
        self.field, self.why = field, why
        super().__init__(f"{field}: {why}")
