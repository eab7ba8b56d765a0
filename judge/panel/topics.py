"""What a motion is about, told by whole words and phrases.  Source: seed 000, without its substrings."""

import re
from collections.abc import Mapping
from functools import lru_cache

from events.types.criteria import TopicType

DEFAULT = "default"


def topic_of(motion: str, topics: Mapping[str, TopicType]) -> str:
    """The topic whose keywords stand in the motion most often, by different keywords; ``default`` where none does.

    Of equals the one that the rubric names first.
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
