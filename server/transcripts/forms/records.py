"""Forms of JSON and of tables: where the rows are, and in each the words, the speaker and the time."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

Paths = tuple[str, ...]
"""Ways to a value, the preferred one first: keys with full stops between them; a number is a place in a list."""
Given = tuple[tuple[str, str], ...]
"""Speakers and words, in their order."""

COLUMNS: Final[Mapping[str, Paths]] = {
    "speaker": (
        "speaker", "name", "by", "who", "author", "debater", "participant", "person", "user", "username", "from",
        "speaker_name", "role",
    ),
    "text": (
        "text", "speech", "content", "message", "utterance", "words", "transcript", "body", "comment", "statement",
        "argument",
    ),
    "side": ("side", "team", "stance", "position"),
    "at": ("at_ms", "at", "time", "start", "start_time", "timestamp"),
    "motion": ("motion", "topic", "resolution", "proposition", "question"),
    "source": ("source",),
    "licence": ("licence", "license"),
    "debate": ("debate", "debate_id", "conversation", "conversation_id", "dialogue_id", "thread", "thread_id", "root"),
}  # fmt: skip
"""Names of keys and columns that are known, by what they hold."""


class RecordForm(Struct, frozen=True, kw_only=True):
    """A list of records.  ``rows``: where it is, empty if it is the whole file; ``within``: a list of such values.

    ``debate``: by which the rows of several debates are told apart.  ``only``: a key, and its values in rows that are
    words of people.  ``joined``: between the words of neighbouring rows of one speaker; a space also means that
    punctuation follows without one.  ``prefix``: before a speaker that is a letter or a number.
    """

    name: str
    rows: str = ""
    within: str = ""
    text: Paths
    speaker: Paths
    side: Paths = ()
    at: Paths = ()
    ms: float = 1000
    """Milliseconds of a unit of time."""
    is_dated: bool = False
    """Whether times are dates: the first one is the beginning."""
    debate: Paths = ()
    motion: Paths = ()
    only: tuple[str, frozenset[str | None]] | None = None
    joined: str = "\n\n"
    prefix: str = ""
    labels: str = ""
    """A list apart from the rows with the speaker of each time."""
    has_mentions: bool = False
    """Whether the words have names and links in Slack's marks."""
    needs: str = ""
    """A key that a row has, where the words and the speaker alone do not tell the form."""
    example: Any
    gives: Given


AS_OURS: Final[Mapping[str, Any]] = {
    "text": COLUMNS["text"],
    "speaker": COLUMNS["speaker"],
    "side": COLUMNS["side"],
    "motion": COLUMNS["motion"],
    "at": ("at_ms",),
    "ms": 1,
}
TURNS: Final = RecordForm(
    name="turns",
    rows="turns",
    example={"motion": "Ban cars", "turns": [{"speaker": "Ann", "text": "Yes."}, {"side": "con", "text": "No."}]},
    gives=(("Ann", "Yes."), ("Con", "No.")),
    **AS_OURS,
)
"""The shape of ours."""
LINES: Final = RecordForm(
    name="a turn a line",
    debate=COLUMNS["debate"],
    example=[
        {"speaker": "ann", "conversation_id": "1", "text": "Yes."},
        {"speaker": "cleo", "conversation_id": "9", "text": "Trees."},
        {"speaker": {"id": "ben"}, "conversation_id": "1", "text": "No."},
    ],
    gives=(("ann", "Yes."), ("ben", "No.")),
    **AS_OURS,
)
"""A list of turns, as ours and as ConvoKit's."""
TABLE: Final = RecordForm(
    name="a table",
    text=("text",),
    speaker=("speaker",),
    side=("side",),
    at=("at",),
    motion=("motion",),
    debate=("debate",),
    example="speaker,text\nAnn,Yes.\nBen,No.\n",
    gives=(("Ann", "Yes."), ("Ben", "No.")),
)
"""The rows of a table, by the names that ``COLUMNS`` has for its columns."""
FORMS: Final = (
    RecordForm(
        name="WhisperX",
        rows="segments",
        text=("text",),
        speaker=("speaker",),
        at=("start",),
        joined=" ",
        prefix="Speaker ",
        example={"segments": [
            {"text": " Yes.", "speaker": "SPEAKER_00", "start": 0.5}, {"text": "No.", "speaker": "B", "start": 2},
        ]},
        gives=(("SPEAKER_00", "Yes."), ("Speaker B", "No.")),
    ),
    RecordForm(
        name="Podcast Index",
        rows="segments",
        text=("body",),
        speaker=("speaker",),
        at=("startTime",),
        joined=" ",
        example={"version": "1.0.0", "segments": [
            {"speaker": "Ann", "body": "Yes", "startTime": 0.5}, {"body": "."}, {"speaker": "Ben", "body": "No."},
        ]},
        gives=(("Ann", "Yes."), ("Ben", "No.")),
    ),
    RecordForm(
        name="AssemblyAI",
        rows="utterances",
        text=("text",),
        speaker=("speaker",),
        at=("start",),
        ms=1,
        joined=" ",
        prefix="Speaker ",
        example={"utterances": [{"speaker": "A", "text": "Yes.", "start": 250}, {"speaker": "B", "text": "No."}]},
        gives=(("Speaker A", "Yes."), ("Speaker B", "No.")),
    ),
    RecordForm(
        name="Deepgram",
        rows="results.utterances",
        text=("transcript",),
        speaker=("speaker",),
        at=("start",),
        joined=" ",
        prefix="Speaker ",
        example={"results": {"utterances": [
            {"speaker": 0, "transcript": "Yes.", "start": 0.5}, {"speaker": 1, "transcript": "No."},
        ]}},
        gives=(("Speaker 0", "Yes."), ("Speaker 1", "No.")),
    ),
    RecordForm(
        name="Deepgram",
        rows="results.channels.0.alternatives.0.words",
        text=("punctuated_word", "word"),
        speaker=("speaker",),
        at=("start",),
        joined=" ",
        prefix="Speaker ",
        example={"results": {"channels": [{"alternatives": [{"words": [
            {"speaker": 0, "word": "oh", "punctuated_word": "Oh,"}, {"speaker": 0, "word": "yes"},
            {"speaker": 1, "word": "no"},
        ]}]}]}},
        gives=(("Speaker 0", "Oh, yes"), ("Speaker 1", "no")),
    ),
    RecordForm(
        name="Rev.ai",
        rows="monologues",
        text=("elements",),
        speaker=("speaker_name", "speaker"),
        at=("elements.0.ts", "elements.0.timestamp"),
        joined=" ",
        prefix="Speaker ",
        example={"monologues": [
            {"speaker": 0, "elements": [{"type": "text", "value": "Yes", "ts": 0.3}, {"type": "punct", "value": "."}]},
            {"speaker": 1, "elements": [{"type": "text", "value": "No"}]},
        ]},
        gives=(("Speaker 0", "Yes."), ("Speaker 1", "No")),
    ),
    RecordForm(
        name="AWS Transcribe",
        rows="results.audio_segments",
        text=("transcript",),
        speaker=("speaker_label",),
        at=("start_time",),
        joined=" ",
        example={"results": {"audio_segments": [
            {"speaker_label": "spk_0", "transcript": "Yes."}, {"speaker_label": "spk_1", "transcript": "No."},
        ]}},
        gives=(("spk_0", "Yes."), ("spk_1", "No.")),
    ),
    RecordForm(
        name="AWS Transcribe",
        rows="results.items",
        text=("alternatives.0.content",),
        speaker=("speaker_label",),
        at=("start_time",),
        joined=" ",
        labels="results.speaker_labels.segments",
        example={"results": {
            "speaker_labels": {"segments": [
                {"items": [{"start_time": "0.5", "speaker_label": "spk_0"}]},
                {"items": [{"start_time": "1.5", "speaker_label": "spk_1"}]},
            ]},
            "items": [
                {"start_time": "0.5", "alternatives": [{"content": "Yes"}]}, {"alternatives": [{"content": "."}]},
                {"start_time": "1.5", "alternatives": [{"content": "No"}]},
            ],
        }},
        gives=(("spk_0", "Yes."), ("spk_1", "No")),
    ),
    RecordForm(
        name="Azure",
        rows="recognizedPhrases",
        text=("nBest.0.display",),
        speaker=("speaker",),
        joined=" ",
        prefix="Speaker ",
        example={"recognizedPhrases": [
            {"speaker": 1, "nBest": [{"display": "Yes."}]}, {"speaker": 2, "nBest": [{"display": "No."}]},
        ]},
        gives=(("Speaker 1", "Yes."), ("Speaker 2", "No.")),
    ),
    RecordForm(
        name="ElevenLabs",
        rows="words",
        text=("text",),
        speaker=("speaker_id",),
        at=("start",),
        joined=" ",
        example={"words": [
            {"text": "Yes", "speaker_id": "speaker_0"}, {"text": " ", "speaker_id": "speaker_0"},
            {"text": "indeed.", "speaker_id": "speaker_0"}, {"text": "No.", "speaker_id": "speaker_1"},
        ]},
        gives=(("speaker_0", "Yes indeed."), ("speaker_1", "No.")),
    ),
    RecordForm(
        name="Telegram",
        rows="messages",
        within="chats.list",
        text=("text",),
        speaker=("from", "from_id"),
        at=("date_unixtime",),
        is_dated=True,
        motion=("name",),
        only=("type", frozenset({"message"})),
        example={"name": "Cars", "messages": [
            {"type": "service", "text": "", "from_id": "u1"},
            {"type": "message", "from": "Ann", "text": ["Yes, ", {"type": "bold", "text": "indeed"}]},
            {"type": "message", "from": None, "from_id": "u2", "text": "No."},
        ]},
        gives=(("Ann", "Yes, indeed"), ("u2", "No.")),
    ),
    RecordForm(
        name="Discord",
        rows="messages",
        text=("content",),
        speaker=("author.nickname", "author.name"),
        at=("timestamp",),
        is_dated=True,
        motion=("channel.topic",),
        only=("type", frozenset({"Default", "Reply", None})),
        example={"messages": [
            {"type": "Default", "content": "Yes.", "author": {"name": "ann", "nickname": "Ann"}},
            {"type": "ChannelPinnedMessage", "content": "Pinned.", "author": {"name": "ann"}},
            {"type": "Reply", "content": "No.", "author": {"name": "ben"}},
        ]},
        gives=(("Ann", "Yes."), ("ben", "No.")),
    ),
    RecordForm(
        name="Slack",
        text=("text",),
        speaker=("user_profile.real_name", "user_profile.display_name", "username", "user"),
        at=("ts",),
        is_dated=True,
        only=("subtype", frozenset({None, "thread_broadcast", "me_message", "bot_message", "file_share"})),
        has_mentions=True,
        needs="ts",
        example=[
            {"type": "message", "user": "U1", "text": "Yes.", "ts": "1", "user_profile": {"real_name": "Ann"}},
            {"type": "message", "user": "U2", "text": "<@U2> has joined", "subtype": "channel_join", "ts": "2"},
            {"type": "message", "user": "U2", "text": "<@U1> &amp; no", "ts": "3"},
        ],
        gives=(("Ann", "Yes."), ("U2", "@Ann & no")),
    ),
)  # fmt: skip
"""JSON of other programs, by paths; the first form that fits a file reads it."""
