"""What holds for the whole suite."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright's synchronous face keeps an event loop running until the session ends.

    No other test could start a loop of its own beside it.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
