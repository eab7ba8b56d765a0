"""The one form of a receipt: canonical JSON, signed in a DSSE envelope by an Ed25519 key.

Source: DSSE 1.0.2, in-toto Statement v1, RFC 7638 and RFC 8037 for the id of a key.
"""

import base64
import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

STATEMENT: Final = "application/vnd.in-toto+json"
NEW_KEY: Final = "application/jwk+json"


def canonical(value: Any) -> bytes:
    """A value as JSON: sorted names, no spaces, UTF-8.  It holds whole numbers only; figures are texts."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def base64url(raw: bytes) -> str:
    """Base64 for URLs, without padding."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def public_jwk(key: "Ed25519PrivateKey") -> dict[str, str]:
    """The public key, with its id: the thumbprint of RFC 7638."""
    known = {"crv": "Ed25519", "kty": "OKP", "x": base64url(key.public_key().public_bytes_raw())}
    return {**known, "alg": "EdDSA", "kid": base64url(sha256(canonical(known)).digest()), "use": "sig"}


def sealed(payload: Any, kind: str, key: "Ed25519PrivateKey") -> dict[str, Any]:
    """A DSSE envelope with the canonical bytes of ``payload``, of type ``kind``, signed by ``key``."""
    body = canonical(payload)
    signature = key.sign(b"DSSEv1 %d %b %d %b" % (len(kind), kind.encode(), len(body), body))
    signatures = [{"keyid": public_jwk(key)["kid"], "sig": base64.b64encode(signature).decode()}]
    return {"payload": base64.b64encode(body).decode(), "payloadType": kind, "signatures": signatures}
