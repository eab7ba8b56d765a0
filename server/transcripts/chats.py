"""Chats: message lists as OpenAI and Anthropic take them, and the exports of ChatGPT and of Claude."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

from server.transcripts.entries import EntryCollector, EntrySide, HeldDebate, ReadTranscript, one_line
from server.transcripts.hints import side_of

_MESSAGES: Final = ("messages", "chat_messages", "mapping", "input")
"""Keys that hold the messages of a chat."""
_OF_ANTHROPIC: Final = frozenset({"thinking", "redacted_thinking", "tool_use", "tool_result", "server_tool_use"})
_WORDS: Final = frozenset({"text", "input_text", "output_text", "multimodal_text"})
_SILENT: Final = frozenset({"tool", "function"})
_INSTRUCTIONS: Final = frozenset({"system", "developer"})
_NAMES: Final = {"human": "User", "user": "User", "assistant": "Assistant", "model": "Assistant"}
_SEEN: Final = 20
"""Messages that show what a list is."""
_LONGEST_PATH: Final = 20_000
_DEEPEST: Final = 4
"""Levels of parts within parts."""


def is_message(value: Any) -> bool:
    """Whether a value is one message."""
    return isinstance(value, dict) and "content" in value and isinstance(value.get("role"), str)


def is_chat(value: Any) -> bool:
    """Whether a value is a chat: an object that holds messages with roles, or ChatGPT's tree of them."""
    if not isinstance(value, dict):
        return False
    listed = [each for key in _MESSAGES if isinstance(value.get(key), list) for each in value[key][:_SEEN]]
    return isinstance(value.get("mapping"), dict) or any(
        isinstance(each, dict) and ("role" in each or "sender" in each or isinstance(each.get("author"), dict))
        for each in listed
    )


def titled_chat(number: int, chat: Mapping[str, Any]) -> HeldDebate:
    """Id and title of a chat; its number stands for an id that it lacks."""
    named = _first_text(chat, ("id", "uuid", "conversation_id"))
    return HeldDebate(id=one_line(named, 200) or str(number), title=_title(chat) or f"chat {number}")


def read_chat(chat: Mapping[str, Any] | list[Any]) -> ReadTranscript:
    """The entries of a chat.  System messages are context, answers of tools are left out."""
    facts: Mapping[str, Any] = chat if isinstance(chat, dict) else {}
    messages = list(_messages(chat))
    collector = EntryCollector()
    collector.add("System", "\n".join(_parts(facts.get("system"))), side="context")
    for message in messages:
        name, side = _speaker(message)
        words = message.get("content")
        if not (text := "\n\n".join(_parts(words))):
            text = message["text"] if isinstance(message.get("text"), str) else ""
        collector.add(name, text, side=side)
    parts = [part for message in messages if isinstance(message.get("content"), list) for part in message["content"]]
    silent = sum(isinstance(part, dict) and not any(_parts(part)) for part in parts)
    collector.leave_out("tools, thinking and images", silent)
    return collector.transcript(_kind(facts, messages), motion=_title(facts))


def _title(chat: Mapping[str, Any]) -> str:
    return one_line(_first_text(chat, ("title", "name")), 300)


def _first_text(chat: Mapping[str, Any], keys: Iterable[str]) -> str:
    """The first of the values that is a text; empty without one."""
    return next((chat[key] for key in keys if isinstance(chat.get(key), str)), "")


def _messages(chat: Mapping[str, Any] | list[Any]) -> Iterator[Mapping[str, Any]]:
    """The messages in their order, each with ``role`` and ``content``."""
    found: Any = chat if isinstance(chat, list) else next((chat[key] for key in _MESSAGES if key in chat), [])
    if isinstance(found, dict):
        found = _path(found, chat.get("current_node") if isinstance(chat, dict) else None)
    for each in found:
        if not isinstance(each, dict):
            continue
        if isinstance(author := each.get("author"), dict):
            yield {**each, "role": author.get("role"), "name": author.get("name")}
        else:
            yield each if "role" in each else {**each, "role": each.get("sender")}


def _path(mapping: Mapping[str, Any], last: Any) -> list[Any]:
    """The messages of ChatGPT's tree from the root to its current node; without one, to its last node."""
    nodes = {key: node for key, node in mapping.items() if isinstance(node, dict)}
    key = last if isinstance(last, str) and last in nodes else next(reversed(nodes), None)
    path: list[Any] = []
    seen: set[str] = set()
    while key is not None and key not in seen and len(path) < _LONGEST_PATH:
        seen.add(key)
        path.append(nodes[key].get("message"))
        above = nodes[key].get("parent")
        key = above if isinstance(above, str) and above in nodes else None
    return path[::-1]


def _speaker(message: Mapping[str, Any]) -> tuple[str, EntrySide | None]:
    role = message.get("role")
    role = role if isinstance(role, str) else ""
    named = message.get("name")
    name = named if isinstance(named, str) and named.strip() else _NAMES.get(role, role.capitalize())
    if role in _SILENT:
        return name, "out"
    if role in _INSTRUCTIONS:
        return name, "context"
    return name, side_of(name) if named else None


def _parts(content: Any, depth: int = 0) -> Iterable[str]:
    """The texts of a content: a text, or a list of parts, or ``{"parts": […]}``."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list) and depth < _DEEPEST:
        for part in content:
            yield from _parts(part, depth + 1)
    elif isinstance(content, dict) and depth < _DEEPEST:
        kind = content.get("type", content.get("content_type", "text"))
        if isinstance(kind, str) and kind in _WORDS:
            words = content.get("text", content.get("parts", content.get("value")))
            yield from _parts(words, depth + 1)


def _kind(facts: Mapping[str, Any], messages: Iterable[Mapping[str, Any]]) -> Literal["openai", "anthropic"]:
    model = facts.get("model")
    if "system" in facts or "chat_messages" in facts or (isinstance(model, str) and model.startswith("claude")):
        return "anthropic"
    for message in messages:
        content = message.get("content")
        parts = content if isinstance(content, list) else []
        kinds = [part.get("type") for part in parts if isinstance(part, dict)]
        if any(isinstance(kind, str) and kind in _OF_ANTHROPIC for kind in kinds):
            return "anthropic"
    return "openai"
