"""The part of YAML that our files are written in: mappings, lists, scalars, JSON in one line.  Anything else raises."""

import json
import re
from typing import Any

_KEY = re.compile(r"([\w.-]+):(?: (.+))?$")
_PLAIN = re.compile(r"[^\s\[\]{}&*!|>%@`\"'#-][^#]*$|-?\d+(\.\d+)?$")


def parse(text: str) -> Any:
    """The value of a document."""
    lines = [
        (len(line) - len(line.lstrip(" ")), line.strip())
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]
    value, rest = _block(lines)
    if rest:
        raise ValueError(f"not understood: {rest[0][1]}")
    return value


def _block(lines: list[tuple[int, str]]) -> tuple[Any, list[tuple[int, str]]]:
    indent, first = lines[0]
    made: Any = [] if first.startswith("- ") else {}
    while lines and lines[0][0] == indent:
        (_, line), lines = lines[0], lines[1:]
        if isinstance(made, list):
            if not line.startswith("- "):
                raise ValueError(f"no item of a list: {line}")
            if _KEY.match(line[2:]):
                item, lines = _block([(indent + 2, line[2:]), *lines])
            else:
                item = _scalar(line[2:])
            made.append(item)
            continue
        key = _KEY.match(line)
        if key is None or key[1] in made:
            raise ValueError(f"no key, or one that is there already: {line}")
        if key[2] is not None:
            made[key[1]] = _scalar(key[2])
        elif lines and lines[0][0] > indent:
            made[key[1]], lines = _block(lines)
        else:
            raise ValueError(f"nothing under {line}")
    if lines and lines[0][0] > indent:
        raise ValueError(f"too far to the right: {lines[0][1]}")
    return made, lines


def _scalar(said: str) -> Any:
    if said[0] in '[{"':
        return json.loads(said)
    if not (said.startswith("${") or _PLAIN.match(said)) or ": " in said.replace("} ", ""):
        raise ValueError(f"quote it: {said}")
    return json.loads(said) if re.fullmatch(r"-?\d+(\.\d+)?|true|false|null", said) else said
