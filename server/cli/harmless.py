"""Other people's words on a terminal: a control character is shown and does nothing.

A terminal obeys what it is sent: an escape can clear the screen, rename the window, or write over the verdict, and a
mark of direction can turn a number round.  Every character is replaced by one, so that offsets stay what they are.
"""

import re
from typing import Any, Final, overload

_PICTURES: Final = {code: 0x2400 + code for code in range(0x20)}
_SHOWN: Final[dict[int, str | int]] = {
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


@overload
def harmless(value: str) -> str: ...
@overload
def harmless(value: Any) -> Any: ...
def harmless(value: Any) -> Any:
    """The same builtins, or the same text, with control characters that are seen and not obeyed."""
    if isinstance(value, str):
        return value.translate(_SHOWN)
    if isinstance(value, dict):
        return {harmless(key): harmless(each) for key, each in value.items()}
    if isinstance(value, list):
        return [harmless(each) for each in value]
    return value


def json_line(text: str) -> str:
    """JSON that says the same in characters that no terminal obeys."""
    return _IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
