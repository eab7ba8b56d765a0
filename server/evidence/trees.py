"""XML as a tree, without what could make it large: entities are refused, and nothing is fetched."""

from typing import Final
from xml.etree.ElementTree import Element, ParseError, fromstring

from server.evidence.text import Unreadable

_ENTITY: Final = "<!ENTITY"
"""An entity may stand for a text of billions of characters."""


def tree_of(text: str) -> Element:
    """The root of an XML file.  Raises ``Unreadable``."""
    if _ENTITY in text:
        raise Unreadable("declares entities, which are not read: save it without them")
    try:
        return fromstring(text)  # noqa: S314 - without entities, in a child process with bounds
    except (ParseError, ValueError) as error:
        raise Unreadable(f"is no XML: {str(error)[:120]}") from error


def local_name(element: Element) -> str:
    """The name of an element without its namespace; empty for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """The value of an attribute, whatever its namespace; empty without one."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
