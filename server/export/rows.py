"""A row of the list of debates as readers see it."""

from typing import Any

import msgspec
from msgspec import UNSET

from events.short_names import short_name
from events.state.outcome import headline
from events.store.listing import Summary


def outcome_of_row(row: Summary) -> str:
    """The outcome in a few words, as the view of the debate has it; empty before the end, and without debaters."""
    if row.winner is None or row.format not in {"exchange", "protocol"}:
        return ""
    return headline(row.winner, row.by_rule, row.decided_by, row.lead)


def public_row(row: Summary) -> dict[str, Any]:
    """The public row: short names of models, none in a blind debate that has not concluded, and the outcome."""
    shown = {name: each for name, each in msgspec.structs.asdict(row).items() if each is not UNSET}
    if row.blind and row.state != "concluded":
        return {name: each for name, each in shown.items() if name not in {"pro", "con", "judge", "source"}}
    models = {seat: short_name(getattr(row, seat)) for seat in ("pro", "con", "judge")}
    outcome = outcome_of_row(row)
    return {**shown, **models, **({"outcome": outcome} if outcome else {})}
