"""One webhook of the settings, and its signatures.

Source: Standard Webhooks, spec/standard-webhooks.md, sections "Webhook metadata" and "Symmetric signature".
"""

import base64
import binascii
import hmac
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Final, Literal
from urllib.parse import urlsplit

from msgspec import Struct

EventType = Literal["debate.concluded", "debate.halted", "claim.flagged", "lead.changed", "vote.closed"]
EVENTS: Final[tuple[EventType, ...]] = (
    "debate.concluded",
    "debate.halted",
    "claim.flagged",
    "lead.changed",
    "vote.closed",
)
SECRET_BYTES: Final = range(24, 65)
PREFIX: Final = "whsec_"
_HOST: Final = re.compile(r"[a-z0-9._:-]+", re.IGNORECASE | re.ASCII)


class Hook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where to send which events.  ``secret``: ``whsec_…``, several by spaces while one replaces another."""

    url: str
    secret: str
    events: tuple[EventType, ...] = EVENTS
    private: bool = False
    """Whether ``url`` may lead into the network of the server, and be without TLS."""

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for an address or a secret that cannot be used; without the secret itself."""
        try:
            parts = urlsplit(self.url)
            port = parts.port
        except ValueError as error:
            raise ValueError(f"url is no address: {error}") from error
        if parts.scheme not in {"https", "http"} or not _HOST.fullmatch(parts.hostname or "") or port == 0:
            raise ValueError("url must be https://HOST/…, its host in ASCII letters")
        if parts.username is not None or parts.password is not None or not self.url.isascii():
            raise ValueError("url must have no user, no password and ASCII characters only")
        if parts.scheme == "http" and not self.private:
            raise ValueError("url must begin with https:// unless private is true")
        if not tuple(self.keys()):
            raise ValueError("secret is missing: `moot hooks --new` prints one")

    @property
    def origin(self) -> str:
        """The address without its path, which may hold a secret of the receiver."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    def keys(self) -> Iterator[bytes]:
        """The keys of the secrets.  Raises ``ValueError``."""
        for secret in self.secret.split():
            try:
                key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
            except binascii.Error as error:
                raise ValueError(f"secret must be {PREFIX} and base64") from error
            if not secret.startswith(PREFIX) or len(key) not in SECRET_BYTES:
                raise ValueError(f"secret must be {PREFIX} and base64 of 24 to 64 bytes")
            yield key

    def headers(self, message: str, at: int, body: bytes) -> dict[str, str]:
        """The headers that sign a message: its id, the time in seconds, a signature for each secret."""
        signed = b"%s.%d.%s" % (message.encode(), at, body)
        marks = (base64.b64encode(hmac.digest(key, signed, sha256)).decode() for key in self.keys())
        return {
            "webhook-id": message,
            "webhook-timestamp": str(at),
            "webhook-signature": " ".join(f"v1,{mark}" for mark in marks),
        }
