"""Moot from Python: open a debate, follow it, read it, by a server or in this process (docs/client.md)."""

from client.blocking import Client
from client.connection import AsyncClient
from client.messages import Delta, Frame
from client.rows import entry_rows, score_rows, turn_rows
from server.errors import CannotServe, MootError, Relayed

__all__ = [
    "AsyncClient", "CannotServe", "Client", "Delta", "Frame", "MootError", "Relayed",
    "entry_rows", "score_rows", "turn_rows",
]  # fmt: skip
