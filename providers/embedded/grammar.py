"""Turns a JSON schema into a grammar for llama.cpp (GBNF) that allows only finite answers.

llama.cpp can make a grammar from a schema, but a small model gets lost in it: it indents, and it writes numbers and
lists without end.  This grammar has no white space and limits what the schema leaves open.  An answer within these
limits still has the type.  Format: ``grammars/README.md`` in ggml-org/llama.cpp.
"""

import json
from typing import Any

MAX_ITEMS = 4
MAX_DIGITS = 6
SHORTEST_STRING = 24
LONGEST_STRING = 240
MAX_ENUMERATED = 256

_CHARACTERS = r"""
char ::= [^"\\\x00-\x1F\x7F] | "\\" ["\\]
"""


def grammar(schema: dict[str, Any], characters: int) -> str:
    """The grammar of ``schema``.  All strings together hold about ``characters``.

    Each string gets a share in proportion to the length that the schema allows it.
    """
    share = min(1.0, characters / max(1, _most_characters(schema)))
    return f"root ::= {_rule(schema, share)}{_CHARACTERS}"


def _rule(schema: dict[str, Any], share: float) -> str:
    if "enum" in schema:
        return _either(_text(json.dumps(option, ensure_ascii=False)) for option in schema["enum"])
    if "anyOf" in schema:
        return _either(_rule(option, share) for option in schema["anyOf"])
    match schema.get("type"):
        case "object":
            properties = schema.get("properties", {})
            members = [f"{_text(json.dumps(name) + ':')} {_rule(child, share)}" for name, child in properties.items()]
            return " ".join(['"{"', _comma(members), '"}"'])
        case "array":
            return " ".join(['"["', _array(schema, share), '"]"'])
        case "string":
            least = schema.get("minLength", 0)
            allowed = min(LONGEST_STRING, schema.get("maxLength", LONGEST_STRING))
            most = max(least, min(allowed, max(SHORTEST_STRING, int(allowed * share))))
            return rf'"\"" char{{{least},{most}}} "\""'
        case "integer":
            return _integer(schema)
        case "number":
            return _number(schema)
        case "boolean":
            return '("true" | "false")'
        case _:
            return '"null"'


def _array(schema: dict[str, Any], share: float) -> str:
    if "prefixItems" in schema:
        return _comma([_rule(item, share) for item in schema["prefixItems"]])
    least, most = _counts(schema)
    item = _rule(schema["items"], share)
    if most == 0:
        return '""'
    more = f'{item} ("," {item}){{{max(0, least - 1)},{most - 1}}}'
    return more if least else f"({more})?"


def _integer(schema: dict[str, Any]) -> str:
    lowest, highest = _bounds(schema)
    if lowest is not None and highest is not None and highest - lowest <= MAX_ENUMERATED:
        return _either(f'"{number}"' for number in range(lowest, highest + 1))
    # the most digits with which every number stays below the highest one
    digits = MAX_DIGITS if highest is None else max(1, min(MAX_DIGITS, len(str(abs(highest))) - 1))
    sign = "" if lowest is not None and lowest >= 0 else '"-"? '
    return f'{sign}("0" | [1-9] [0-9]{{0,{digits - 1}}})'


def _number(schema: dict[str, Any]) -> str:
    lowest, highest = _bounds(schema)
    if lowest is not None and highest is not None and 0 <= lowest < highest and highest - lowest <= MAX_ENUMERATED:
        whole = _either(f'"{number}"' for number in range(lowest, highest))
        return f'({whole} "." [0-9]{{1,2}} | "{highest}.0")'
    return _integer(schema)


def _bounds(schema: dict[str, Any]) -> tuple[int | None, int | None]:
    """The lowest and the highest allowed whole number."""
    lowest, highest = schema.get("minimum"), schema.get("maximum")
    if "exclusiveMinimum" in schema:
        lowest = schema["exclusiveMinimum"] + 1
    if "exclusiveMaximum" in schema:
        highest = schema["exclusiveMaximum"] - 1
    return (None if lowest is None else -int(-lowest // 1)), (None if highest is None else int(highest // 1))


def _counts(schema: dict[str, Any]) -> tuple[int, int]:
    """The fewest and the most items of a list."""
    least: int = schema.get("minItems", 0)
    return least, max(least, min(MAX_ITEMS, schema.get("maxItems", MAX_ITEMS)))


def _most_characters(schema: dict[str, Any]) -> int:
    """The most characters that an answer's strings can hold together."""
    if schema.get("type") == "string" and "enum" not in schema:
        return min(LONGEST_STRING, int(schema.get("maxLength", LONGEST_STRING)))
    if schema.get("type") == "array" and "items" in schema:
        return _most_characters(schema["items"]) * _counts(schema)[1]
    children = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), *schema.get("prefixItems", [])]
    return sum(map(_most_characters, children))


def _either(options: Any) -> str:
    return f"({' | '.join(options)})"


def _comma(members: list[str]) -> str:
    return ' "," '.join(members) or '""'


def _text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
