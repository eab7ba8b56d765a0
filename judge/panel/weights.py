"""How much each rater weighs: by the topic, and by its record on debates whose outcome is known.  Source: seed 000."""

from collections.abc import Sequence

from events.types import Rater, TrackRecord
from events.types.criteria import PanelRules
from judge.panel.topics import DEFAULT


def accuracy(record: TrackRecord, rules: PanelRules) -> float:
    """(right + prior) ÷ (n + prior), in [0, 1]: without a record it is chance, and few cases move it little."""
    return (record.right + rules.prior_right) / (record.of + rules.prior_of)


def weights(seats: Sequence[Rater], rules: PanelRules, topic_type: str) -> dict[str, float]:
    """Of each rater, summing to 1; agreeing with the majority never counts.

    A domain that the topic does not know weighs as ``general`` does, or as one of so many raters.
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
