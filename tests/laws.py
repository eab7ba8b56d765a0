"""How many examples a law gets: few in each run, the whole number where ``-m`` names ``thorough``."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

THOROUGH = "thorough"
"""The mark, and the profile of hypothesis that `tests/conftest.py` loads where ``-m`` asks for the mark."""
MAX_S = 1800
"""The most seconds of one test with its whole number of examples."""

Test = TypeVar("Test", bound=Callable[..., Any])


def examples(few: int, whole: int, *, suppressed: Sequence[HealthCheck] = ()) -> Callable[[Test], Test]:
    """Give a law ``few`` examples in each run; ``whole`` examples, and the mark, in a run of ``-m thorough``.

    It stands for hypothesis' ``settings``, which a test can have once.
    """
    is_whole = settings.get_current_profile_name() == THOROUGH

    def limited(test: Test) -> Test:
        drawn = settings(max_examples=whole if is_whole else few, suppress_health_check=suppressed)(test)
        return pytest.mark.thorough(pytest.mark.timeout(MAX_S)(drawn)) if is_whole else drawn

    return limited
