"""Debates as tables for other programs: one row class a table, three forms, read debate after debate."""

from typing import Final

from events.table import LazyTable
from server.export.tables.table import DebateTable

TABLES: Final = LazyTable[DebateTable](
    {
        "debates": "server.export.tables.debates:DEBATES",
        "turns": "server.export.tables.turns:TURNS",
        "scores": "server.export.tables.turns:SCORES",
        "components": "server.export.tables.turns:COMPONENTS",
        "ledger": "server.export.tables.ledger:LEDGER",
        "comparisons": "server.export.tables.ledger:COMPARISONS",
        "claims": "server.export.tables.register:CLAIMS",
        "premises": "server.export.tables.register:PREMISES",
        "panel": "server.export.tables.panel:PANEL",
        "calls": "server.export.tables.calls:CALLS",
        "votes": "server.export.tables.votes:VOTES",
        "trials": "server.export.tables.trials:TRIALS",
    }
)
"""A line a table.  docs/tables.md is made from them: ``uv run python docs/make_tables.py``."""
