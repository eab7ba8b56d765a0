"""Every cell of the table against our fake, and the command that prints it."""

import pytest

from tests.providing.table import Cell, cells

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning")]
CELLS = cells()
APPLYING = [each for each in CELLS if not each.why]


@pytest.mark.parametrize("cell", APPLYING, ids=[f"{each.column}: {each.row}" for each in APPLYING])
async def test_it_is_ok(cell: Cell) -> None:
    await cell.run()
