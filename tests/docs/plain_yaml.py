"""The part of YAML that our files are written in.  Anything else raises.

Mappings, lists, scalars, JSON in one line, and a mapping with a name (``&name``) that others take in (``<<: *name``).
"""

import json
import re
from typing import Any

_KEY = re.compile(r"([\w.-]+):(?: (.+))?$")
_PLAIN = re.compile(r"[^\s\[\]{}&*!|>%@`\"'#-][^#]*$|-?\d+(\.\d+)?$")


def parse(text: str) -> Any:
    """The value of a document."""
    named: dict[str, Any] = {}
    lines = [
        (len(line) - len(line.lstrip(" ")), line.strip())
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]
    value, rest = _block(lines, named)
    if rest:
        raise ValueError(f"not understood: {rest[0][1]}")
    return value


def _block(lines: list[tuple[int, str]], named: dict[str, Any]) -> tuple[Any, list[tuple[int, str]]]:
    indent, first = lines[0]
    made: Any = [] if first.startswith("- ") else {}
    while lines and lines[0][0] == indent:
        (_, line), lines = lines[0], lines[1:]
        if isinstance(made, list):
            item, lines = _item(line, indent, lines, named)
            made.append(item)
            continue
        if line.startswith("<<: *"):
            made |= named[line.removeprefix("<<: *")]
            continue
        key = _KEY.match(line)
        if key is None or key[1] in made:
            raise ValueError(f"no key, or one that is there already: {line}")
        if key[2] is not None and not key[2].startswith("&"):
            made[key[1]] = _scalar(key[2])
        elif lines and lines[0][0] > indent:
            made[key[1]], lines = _block(lines, named)
            if key[2]:
                named[key[2].removeprefix("&")] = made[key[1]]
        else:
            raise ValueError(f"nothing under {line}")
    if lines and lines[0][0] > indent:
        raise ValueError(f"too far to the right: {lines[0][1]}")
    return made, lines


def _item(
    line: str, indent: int, lines: list[tuple[int, str]], named: dict[str, Any]
) -> tuple[Any, list[tuple[int, str]]]:
    if not line.startswith("- "):
        raise ValueError(f"no item of a list: {line}")
    if _KEY.match(line[2:]):
        return _block([(indent + 2, line[2:]), *lines], named)
    return _scalar(line[2:]), lines


def _scalar(said: str) -> Any:
    if said[0] in '[{"':
        return json.loads(said)
    if not (said.startswith("${") or _PLAIN.match(said)) or ": " in said.replace("} ", ""):
        raise ValueError(f"quote it: {said}")
    return json.loads(said) if re.fullmatch(r"-?\d+(\.\d+)?|true|false|null", said) else said
