"""What can be wrong with a character.  ``server.errors`` says how it is told.

::

    PersonalityError              ``field`` names the archetype, the trait or the template
"""


class PersonalityError(Exception):
    """An unknown archetype, a trait out of range, a template that does not fit."""

    def __init__(self, field: str, why: str) -> None:
        self.field, self.why = field, why
        super().__init__(f"{field}: {why}")
