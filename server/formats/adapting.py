"""Failures that show how a model must be asked: the first of each such kind is nobody's, and is made good at once."""

from collections.abc import Collection, Sequence
from typing import Final

from providers.errors import PromptCut, Starved, ThoughtAloud

ADAPTED: Final = frozenset(each.kind for each in (Starved, ThoughtAloud, PromptCut))


def is_forgiven(kind: str, earlier: Collection[str]) -> bool:
    """Whether a failure does not count: of a kind that shows how to ask, and none of that kind came before it."""
    return kind in ADAPTED and kind not in earlier


def counted(kinds: Sequence[str]) -> int:
    """How many failures count as tries; ``kinds`` in their order."""
    return sum(not is_forgiven(kind, kinds[:number]) for number, kind in enumerate(kinds))
