"""Moot from Python: open a debate, follow it, read it, by a server or in this process (docs/client.md)."""

from server.client.blocking import Client
from server.client.connection import AsyncClient
from server.client.messages import Delta, Frame
from server.client.rows import entry_rows, score_rows, turn_rows
from server.errors import CannotServe, MootError, Relayed

__all__ = [
    "AsyncClient", "CannotServe", "Client", "Delta", "Frame", "MootError", "Relayed",
    "entry_rows", "score_rows", "turn_rows",
]  # fmt: skip
