"""How many examples and cases a test gets: few in each run, all of them where ``-m`` names ``thorough``."""

from collections.abc import Callable, Iterable, Sequence
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


def spread(cases: Iterable[Any], few: int) -> list[Any]:
    """Cases of ``parametrize``: ``few`` at equal distances in each run, the others only where ``-m`` names thorough."""
    listed = list(cases)
    chosen = {number * len(listed) // few for number in range(few)}
    return [each if number in chosen else _thorough(each) for number, each in enumerate(listed)]


def _thorough(case: Any) -> Any:
    if hasattr(case, "marks"):  # made by `pytest.param`
        return pytest.param(*case.values, marks=(*case.marks, pytest.mark.thorough), id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough)
