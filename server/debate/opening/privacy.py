"""Who reads what is made of stored debates: only readers who may read all of these.

A new debate that is made of named debates takes their labels.  What is made of the whole store (a lab run, the figures
about the judge, noise, track records) leaves out what nobody finds (``FINDABLE``, ``Labels.is_findable``), because its
readers may not have the links.
"""

import secrets
from collections.abc import Iterable
from typing import Final

from msgspec import UNSET

from events.state.debate import Labels
from events.types import DebateLabelled, DebateOpened
from server.errors import NotNow
from server.people.links import digest_of_link

NO_LABELS: Final = Labels()


def check_shown(debate: str, opened: DebateOpened, *, has_concluded: bool) -> None:
    """Raise ``NotNow`` for a debate that hides its models: what is made of it could end first, and would name them."""
    if opened.blind and not has_concluded:
        raise NotNow(f"debate {debate} is blind: another one can be made of it once it has concluded")


def filed_as(sources: Iterable[Labels], known: Labels = NO_LABELS) -> tuple[DebateLabelled, ...]:
    """The event that makes a new debate as private as the most private of its sources; none if it is so already.

    ``known`` are the labels that it has.  It is hidden if a source is hidden, and has the link of the sources.  If the
    sources have different links, no token opens all of them: then only operators see it until they make a link for it.
    """
    filed = tuple(sources)
    hidden = any(each.hidden for each in filed)
    links = {each.link for each in filed if each.link}
    link = digest_of_link(secrets.token_urlsafe(16)) if len(links) > 1 else "".join(links)
    labelled = DebateLabelled(
        by="moot",
        hidden=UNSET if hidden == known.hidden else hidden,
        link=UNSET if link == known.link else link,
    )
    return () if labelled == DebateLabelled(by="moot") else (labelled,)
