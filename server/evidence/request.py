"""A document in the request for a debate."""

from typing import Annotated, Final

from msgspec import Meta, Struct

MAX_DOCUMENTS: Final = 20
MAX_NAME: Final = 200
"""Characters of a document's name."""


class EvidenceRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A document in a request: its ``text``, or the bytes of its file in ``base64``."""

    name: Annotated[str, Meta(min_length=1, max_length=MAX_NAME, pattern=r"^[^\x00-\x1f\x7f]*$")]
    media_type: Annotated[str, Meta(max_length=100)] | None = None
    """Without it, the end of the name decides."""
    text: str | None = None
    base64: str | None = None
