"""A seeded sample of questions, spread over the passages."""

from random import Random

from msgspec.structs import replace

from judge.errors import BadItem
from server.study.data.shapes import StudyData


def sampled(data: StudyData, items: int, seed: int) -> StudyData:
    """So many of the questions, in their order.

    No passage gives a second question before each has given one, since intervals depend on the number of passages.
    Raises ``BadItem`` if there are fewer.
    """
    there_are = len(data.items)
    if not 0 < items <= there_are:
        raise BadItem(f"{data.protocol} has {there_are:,} questions, so a sample of {items:,} cannot be taken")
    shuffled = list(range(there_are))
    Random(seed).shuffle(shuffled)  # noqa: S311 - a sample that anybody can repeat
    taken_before: dict[str, int] = {}
    rounds = []
    for position, index in enumerate(shuffled):
        cluster = data.items[index].cluster
        taken_before[cluster] = taken_before.get(cluster, -1) + 1
        rounds.append((taken_before[cluster], position, index))
    kept = [data.items[index] for index in sorted(index for _, _, index in sorted(rounds)[:items])]
    ids, passages = {each.id for each in kept}, {each.passage for each in kept}
    note = (
        f"A sample of {items:,} of {there_are:,} questions, drawn with seed {seed}: "
        "no passage gives a second question before each has given one."
    )
    return replace(
        data,
        items=tuple(kept),
        passages={key: text for key, text in data.passages.items() if key in passages},
        notes=(*data.notes, note),
        people=tuple(each for each in data.people if each.item in ids),
    )
