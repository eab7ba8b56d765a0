"""Who answers outside this process: a person (``person:NAME``), or a model whose program asks (``hosted:NAME``)."""

from typing import Final

from events.state.seats import STATEMENTS
from providers.catalog.addresses import is_batched

NAME: Final = "person"
PREFIX: Final = f"{NAME}:"
HOSTED: Final = "hosted"
HOSTED_PREFIX: Final = f"{HOSTED}:"
MAX_NAME: Final = 80
"""Characters of a person's name."""


def request_id(key: str, turn: int) -> str:
    """What a page names a request by: the same after a restart, so that its draft fits."""
    return f"{key}/{turn}"


def seat_of(key: str) -> str:
    """The seat that a question goes to: ``speak:pro`` to ``pro``, ``panel:general`` to ``general``, others to judge."""
    purpose, _, about = key.partition(":")
    if purpose in {"speak", "panel", *STATEMENTS}:
        return about.partition("@")[0]
    return about.partition(":")[0] if purpose == "deliberate" else "judge"


def is_person(model: str) -> bool:
    """Whether a model's name is that of a person."""
    return model.startswith(PREFIX)


def is_hosted(model: str) -> bool:
    """Whether a program outside brings the answers of this model."""
    return model.startswith(HOSTED_PREFIX)


def answers_outside(model: str) -> bool:
    """Whether an answer that is under way is not lost if its call is cancelled: of a person, or of a vendor's batch."""
    return is_person(model) or is_batched(model)
