"""The links of seats: a token that names its debate and seat, and what the log keeps of it."""

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from events.state.seats import SeatState

MAX_TOKEN: Final = 300
"""Characters."""
_TOKEN: Final = re.compile(
    r"(?P<debate>[A-Za-z0-9_-]{1,80})\.(?P<seat>[A-Za-z0-9_-]{2,120})\.(?P<secret>[A-Za-z0-9_-]{22})"
)
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{22,64}")


def new_token(debate: str, seat: str) -> str:
    """A new token for a seat, with 128 random bits."""
    return f"{debate}.{urlsafe_b64encode(seat.encode()).decode().rstrip('=')}.{secrets.token_urlsafe(16)}"


def place_of(token: str) -> tuple[str, str] | None:
    """The debate and the seat that a token names; None for a text that is no token."""
    found = _TOKEN.fullmatch(token) if len(token) <= MAX_TOKEN else None
    if found is None:
        return None
    try:
        seat = urlsafe_b64decode(found["seat"] + "=" * (-len(found["seat"]) % 4)).decode()
    except ValueError:
        return None
    return found["debate"], seat


def digest_of_link(token: str) -> str:
    """What the log keeps of a token.  The token has 128 random bits, so that a plain digest hides it."""
    return hashlib.sha256(token.encode()).hexdigest()


def is_secret(secret: str) -> bool:
    """Whether a text can be the secret of a browser: at least 22 characters, 128 bits as URL-safe base64."""
    return _SECRET.fullmatch(secret) is not None


def has_link(seat: SeatState, digest: str) -> bool:
    """Whether the digest is that of the seat's link.  Compares in constant time."""
    return bool(seat.link) and hmac.compare_digest(seat.link, digest)


def holds(seat: SeatState, digest: str) -> bool:
    """Whether the digest is that of the secret of the browser that took the seat.  Compares in constant time."""
    return bool(seat.holder) and hmac.compare_digest(seat.holder, digest)
