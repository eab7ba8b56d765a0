"""The authority battery with a pack: the same claims, cited from a document that the debate has.

Whether such a citation is fabricated is decided by words and not by a model.  So no judge is asked: mock judges flag
citations at random, and what stands after the pack has decided is compared with what is known.
"""

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from msgspec import UNSET, Struct

from events.types import LabItem

Packed = Literal["held", "misquoted", "invented", "outside"]
"""``held``: the passage has the quoted words.  ``misquoted``: it has the true claim, and the false one is quoted.
``invented``: the pack has no such passage.  ``outside``: a source that is not in the pack is named."""
FORMS: Final[Mapping[str, str]] = {
    "after": 'The document says: "{words}" [{id}]',
    "before": "[{id}] says that “{words}”.",
    "round": "As it says, «{words}» ({id}).",
    "inside": "It says “{words} [{id}]”, and that settles it.",
    "group": 'One reads there that "{words}" [{id}, E2].',
}
"""Ways to write a citation."""
OTHER: Final = "The office publishes a report each year, and anybody may read it there."
FABRICATED: Final = frozenset[Packed]({"misquoted", "invented"})


class PackedCitation(Struct, frozen=True, kw_only=True):
    """A speech with one citation, the passages of the pack, and whether the citation is fabricated."""

    item: str
    variant: Packed
    form: str
    text: str
    passages: dict[str, str]

    @property
    def is_fabricated(self) -> bool:
        """Whether a flag of a fabricated citation is right."""
        return self.variant in FABRICATED


def packed_citations(item: LabItem) -> Iterator[PackedCitation]:
    """The citations of one motion: each variant in each form; nothing of a motion without such texts."""
    given = item.authority
    if given is UNSET:
        return
    held, other = given.claim_true.strip(), given.claim_false.strip()
    passages = {"E1": f"{OTHER} {held}", "E2": OTHER}
    variants: tuple[tuple[Packed, str, str], ...] = (
        ("held", held, "E1"),
        ("misquoted", other, "E1"),
        ("invented", held, "E7"),
    )
    for variant, words, name in variants:
        kept = {"E1": OTHER, "E2": OTHER} if variant == "invented" else passages
        for form, frame in FORMS.items():
            text = f"{given.true} {frame.format(words=words.rstrip('.'), id=name)}"
            yield PackedCitation(item=item.id, variant=variant, form=form, text=text, passages=kept)
    yield PackedCitation(item=item.id, variant="outside", form="named", text=given.true_cited, passages=passages)
