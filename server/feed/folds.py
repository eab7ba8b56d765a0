"""The fold of a debate at any position, without folding from the beginning each time.

Every 250th fold of the debates that were read last is kept.  A log only grows, so a kept fold never goes stale.  Folds
share the parts that did not change between them, so they need little memory.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Final

from events.record import Recorded
from events.store.log import PAGE, EventLog
from events.view import view as views
from events.view.view import Fold

EVERY: Final = 250
DEBATES: Final = 8

Step = tuple[Fold, Recorded, Fold]
"""The fold before a record, the record, the fold after it."""


class Folds:
    """The folds of one log."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._kept: OrderedDict[str, dict[int, Fold]] = OrderedDict()

    @property
    def kept(self) -> int:
        """Number of folds that are kept."""
        return sum(map(len, self._kept.values()))

    async def at(self, debate: str, position: int) -> Fold:
        """The fold of the first ``position`` records, or of all if there are fewer."""
        fold = self._nearest(debate, position)
        while (seen := fold.view.position) < position:
            records = await self._log.read(debate, seen, min(EVERY - seen % EVERY, position - seen))
            if not records:
                break
            fold = views.apply_all(fold, records)
            if fold.view.position % EVERY == 0:
                self._keep(debate, fold)
        return fold

    async def steps(self, debate: str, fold: Fold, upto: int) -> AsyncIterator[Step]:
        """The steps after ``fold``, up to position ``upto`` at most."""
        while (seen := fold.view.position) < upto:
            records = await self._log.read(debate, seen, min(PAGE, upto - seen))
            if not records:
                return
            for record in records:
                before, fold = fold, views.apply(fold, record)
                if record.position % EVERY == 0:
                    self._keep(debate, fold)
                yield before, record, fold

    def _nearest(self, debate: str, position: int) -> Fold:
        """The newest kept fold that is not beyond ``position``."""
        kept = self._kept.get(debate, {})
        newest = max((at for at in kept if at <= position), default=0)
        return kept[newest] if newest else views.INITIAL

    def _keep(self, debate: str, fold: Fold) -> None:
        self._kept.setdefault(debate, {})[fold.view.position] = fold
        self._kept.move_to_end(debate)
        if len(self._kept) > DEBATES:
            self._kept.popitem(last=False)
