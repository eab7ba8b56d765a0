"""Stores of each kind."""

from tests.events.conftest import database, log, postgres, store  # noqa: F401 - fixtures
