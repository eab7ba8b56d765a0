"""Views and audits as rows: lists of dictionaries of plain values, which ``pandas.DataFrame`` takes.

A value that is missing, or not there yet, is None.
"""

from typing import Any

from msgspec import UNSET

from events.types import Missing
from events.view.view import View
from server.export.audit import Audit


def turn_rows(view: View) -> list[dict[str, Any]]:
    """A row a turn: ``turn side speaker state words composite text``, and the effective score of each dimension."""
    rows = []
    for number, turn in view.turns.items():
        scores = {} if isinstance(turn.scores, Missing) else turn.scores
        row = {
            "turn": int(number),
            "side": turn.side,
            "speaker": turn.speaker if turn.speaker is not UNSET else turn.model,
            "state": turn.state,
            "words": turn.words,
            "composite": _plain(turn.composite),
            **{dimension: score.effective for dimension, score in scores.items()},
            "text": turn.text,
        }
        rows.append(row)
    return rows


def score_rows(view: View) -> list[dict[str, Any]]:
    """A row a score: ``turn side dimension raw admitted effective maximum spread``."""
    return [
        {
            "turn": int(number),
            "side": turn.side,
            "dimension": dimension,
            "raw": score.raw,
            "admitted": score.admitted,
            "effective": score.effective,
            "maximum": score.maximum,
            "spread": score.spread,
        }
        for number, turn in view.turns.items()
        if not isinstance(turn.scores, Missing)
        for dimension, score in turn.scores.items()
    ]


def entry_rows(audit: Audit) -> list[dict[str, Any]]:
    """A row an entry of a turn's ledger: ``turn position rule dimension requested applied before after reason``."""
    names = ("position", "rule", "dimension", "requested", "applied", "before", "after", "reason")
    return [{"turn": audit.turn, **{name: _plain(getattr(entry, name)) for name in names}} for entry in audit.entries]


def _plain(value: Any) -> Any:
    return None if value is UNSET or isinstance(value, Missing) else value
