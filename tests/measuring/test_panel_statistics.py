"""The driver that compares the statistics of a panel with a package."""

import pytest

from tests.measuring.panel_statistics import alpha_at_length, panel

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_one_product_of_matrices_is_faster_than_a_loop_over_the_resamples(anyio_backend: str) -> None:
    statistics, alpha = await panel(1), await alpha_at_length(1)

    assert statistics.ratio < 1
    assert ("panel", "alpha") == (statistics.name, alpha.name)
