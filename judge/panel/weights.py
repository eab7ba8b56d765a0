"""Raters' weights: by the topic of the motion, and by each rater's record on debates with a known outcome."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from events.types import Rater, TrackRecord
from events.types.criteria import PanelRules, TopicType

DEFAULT = "default"


def topic_of(motion: str, topics: Mapping[str, TopicType]) -> str:
    """Return the topic with the most different keywords in the motion; ``default`` if none has any.

    Of equal topics the one that the rubric names first counts.
    """
    counts = {
        name: sum(_pattern(keyword).search(motion) is not None for keyword in topic.keywords)
        for name, topic in topics.items()
    }
    best = max(counts, key=lambda name: counts[name], default=DEFAULT)
    return best if counts.get(best, 0) else DEFAULT


@lru_cache(maxsize=1024)
def _pattern(keyword: str) -> re.Pattern[str]:
    words = r"[\s-]+".join(re.escape(word) for word in keyword.split())
    return re.compile(rf"(?<![\w-]){words}(?![\w-])", re.IGNORECASE)


def accuracy(record: TrackRecord, rules: PanelRules) -> float:
    """Return (right + prior) ÷ (n + prior), in [0, 1]: chance without a record, and few cases change it little."""
    return (record.right + rules.prior_right) / (record.of + rules.prior_of)


def rater_weights(seats: Sequence[Rater], rules: PanelRules, topic_type: str) -> dict[str, float]:
    """Return the weight of each rater; they sum to 1.  Agreement with the majority does not count.

    A domain that the topic does not name weighs as much as ``general``, or as 1 ÷ the number of raters.
    """
    topics = rules.topics
    topic = topics.get(topic_type) or topics.get(DEFAULT)
    domains = topic.weights if topic else {}
    otherwise = domains.get("general", 1 / max(1, len(seats)))
    raw = {
        seat.name: rules.domain_share * domains.get(seat.domain, otherwise)
        + rules.accuracy_share * accuracy(seat.record, rules)
        for seat in seats
    }
    total = sum(raw.values())
    if total == 0:
        return {name: 1 / len(raw) for name in raw}
    return {name: weight / total for name, weight in raw.items()}
