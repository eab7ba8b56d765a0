"""A file of each kind, all of one small debate, for the tests of the parsers."""

from pathlib import Path
from typing import Final

import msgspec

TESTS: Final = Path(__file__).parents[2]
ANN: Final = "Cars take the street, because each of them carries one person."
BEN: Final = "The nurse who works at night has no bus."
AGAIN: Final = "Then give her a permit, as Ghent does."

TEXT: Final = f"""Motion: Cities should ban private cars
Licence: CC BY 4.0

MODERATOR: Welcome to both.

Ann Lee: {ANN}
Note: this line belongs to her speech.

Ben: {BEN}
[applause]

Ann Lee: {AGAIN}
"""
SCRIPT: Final = f"ANN (firmly)\n{ANN}\n\nBEN\n{BEN}\n\nANN\n{AGAIN}\n"
MARKDOWN: Final = f"# Cities should ban private cars\n\n**Ann Lee:** {ANN}\n\n**Ben**: {BEN}\n\n**Ann Lee:** {AGAIN}\n"
HEADINGS: Final = (
    f"# Cities should ban private cars\n\n## Ann (Pro)\n\n{ANN}\n\n## Ben (Con)\n\n{BEN}\n\n## Ann\n\n{AGAIN}\n"
)
CSV: Final = f'speaker;side;start;text\nAnn;for;0:05;"{ANN}"\nBen;against;12.5;"{BEN}"\nAnn;for;1:02:03;"{AGAIN}"\n'
TURNS: Final = [
    {"speaker": "Ann", "text": ANN, "at_ms": 5000},
    {"speaker": "Ben", "text": BEN},
    {"speaker": "Ann", "text": AGAIN},
]
JSON: Final = msgspec.json.encode({"motion": "Ban cars", "licence": "CC0", "turns": TURNS}).decode()
NYU: Final = "\n".join(
    msgspec.json.encode(
        {
            "id": f"story-{number}",
            "story": "A Story",
            "question": f"Why did crew {number} leave?",
            "answers": ["They were afraid", "They were paid"],
            "rounds": [
                {"by": "judge", "text": "", "belief": [0.5, 0.5]},
                {"by": "A", "text": ANN},
                {"by": "B", "text": BEN},
                {"by": "judge", "text": "I believe A."},
                {"by": "OfflineJudgments"},
            ],
        }
    ).decode()
    for number in (1, 2)
)
ASKED: Final = msgspec.json.encode(
    {
        "question": "Why did the crew leave?",
        "answers": ["They were afraid", "They were paid"],
        "rounds": [
            {"by": "A", "text": ANN},
            {"by": "B", "text": BEN},
            {"by": "judge", "text": "What of the nurse?"},
            {"by": "A", "text": AGAIN},
            {"by": "judge", "text": "I believe A."},
        ],
    }
).decode()
"""A debate whose judge speaks between the speeches, which is context, and after the last one, which is left out."""
WEBVTT: Final = f"""WEBVTT

NOTE a comment

1
00:01.000 --> 00:04.000 align:start
<v Ann Lee>{ANN[:30]}
{ANN[30:]}</v>

00:00:05.000 --> 00:00:06.000
<v.loud Ben>Yes &amp; no.</v> <v Ann Lee>What?</v>

01:02:03.500 --> 01:02:09.000
<v Ben>{BEN}
"""
SRT: Final = f"""1
00:00:01,000 --> 00:00:04,000
<i>MODERATOR:</i> Welcome.

2
00:00:05,000 --> 00:00:09,000
>> ANN: {ANN[:30]}
{ANN[30:]}

3
00:00:10,000 --> 00:00:12,000
>> BEN: {BEN} [applause]
"""
OPENAI: Final = msgspec.json.encode(
    [
        {"role": "system", "content": "Debate."},
        {"role": "user", "name": "Ann", "content": [{"type": "text", "text": ANN}, {"type": "image_url"}]},
        {"role": "assistant", "content": BEN},
        {"role": "tool", "content": "42"},
    ]
).decode()
ANTHROPIC: Final = msgspec.json.encode(
    {
        "model": "claude-x",
        "system": [{"type": "text", "text": "Debate."}],
        "messages": [
            {"role": "user", "content": ANN},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": BEN}]},
        ],
    }
).decode()
MOOT: Final = (TESTS / "events/view/golden/0.1-juries.ndjson").read_text(encoding="utf-8")
FILES: Final = {
    "talk.txt": TEXT,
    "script.txt": SCRIPT,
    "talk.md": MARKDOWN,
    "headings.md": HEADINGS,
    "talk.csv": CSV,
    "talk.json": JSON,
    "nyu.jsonl": NYU,
    "talk.vtt": WEBVTT,
    "talk.srt": SRT,
    "openai.json": OPENAI,
    "anthropic.json": ANTHROPIC,
    "debate.ndjson": MOOT,
}
