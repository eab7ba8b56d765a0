"""Text of debates made safe for a terminal and for Markdown.

A terminal obeys control characters: an escape sequence can clear the screen, rename the window, or overwrite the
verdict, and a direction mark can reverse a number.  Each of them is replaced by one other character, so that offsets do
not change.
"""

import re
from typing import Any, Final, overload

_PICTURES: Final = {code: 0x2400 + code for code in range(0x20)}
_VISIBLE: Final[dict[int, str | int]] = {
    **_PICTURES,
    ord("\n"): "\n",
    ord("\t"): "\t",
    ord("\r"): " ",
    0x7F: 0x2421,
    0x85: " ",
    0x2028: " ",
    0x2029: " ",
    **dict.fromkeys((*range(128, 133), *range(134, 160), *range(8234, 8239), *range(8294, 8298)), 65533),
}
_IN_JSON: Final = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
_BLOCK: Final = re.compile(r"^(\d*)([-+=#.)])")
_MARKUP: Final = re.compile(r"([\\`*_\[\]<>|~&])")


@overload
def escape_controls(value: str) -> str: ...
@overload
def escape_controls(value: Any) -> Any: ...
def escape_controls(value: Any) -> Any:
    """A text, or builtins, with visible characters in place of control characters."""
    if isinstance(value, str):
        return value.translate(_VISIBLE)
    if isinstance(value, dict):
        return {escape_controls(key): escape_controls(each) for key, each in value.items()}
    if isinstance(value, list):
        return [escape_controls(each) for each in value]
    return value


def escape_json(text: str) -> str:
    """JSON with the same meaning, without characters that a terminal obeys."""
    return _IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def one_line(text: str) -> str:
    """A text on one line, without control characters and direction marks."""
    return " ".join(_CONTROLS.sub(" ", text).split())


def in_quotes(words: str) -> str:
    """The words of a quote on one line, in quotation marks; a German mark „ that its span left open is closed."""
    line = one_line(words)
    return f"“{line}{'“' if line.count('„') > line.count('“') else ''}”"


def shortened(text: str, most: int) -> str:
    """A text on one line, cut after a word if it has more than ``most`` characters."""
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most + 1].rpartition(' ')[0] or line[:most]} …"


def escaped(text: str) -> str:
    """A text escaped for a line of Markdown: it is never markup, also in a table."""
    return escaped_start(escaped_within(one_line(text)))


def escaped_start(line: str) -> str:
    """An escaped line of Markdown that begins no heading and no list."""
    return _BLOCK.sub(r"\1\\\2", line)


def escaped_within(text: str) -> str:
    """A text escaped for a place within a line of Markdown, with the spaces at its ends."""
    return _MARKUP.sub(r"\\\1", _CONTROLS.sub(" ", text))
