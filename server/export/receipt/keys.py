"""The keys of a server: the private one in a file that only its owner reads, and all public ones, old and new."""

import base64
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from events.store.address import sqlite_path
from server.errors import BadField, CannotServe, NotFound, NotNow
from server.export.receipt.envelope import NEW_KEY, base64url, public_jwk, sealed
from server.process.extras import is_installed, needed
from server.settings import Settings

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


class KeyFile(Struct, kw_only=True, forbid_unknown_fields=True):
    """``private`` is base64url; ``keys`` are the public ones, the newest first.

    Each key but the first that was made is in a rotation: an envelope that the key before it signed.
    """

    private: str
    keys: list[dict[str, str]]
    rotations: list[dict[str, Any]] = []

    @property
    def jwks(self) -> dict[str, Any]:
        """What everybody may read."""
        return {"keys": self.keys, "rotations": self.rotations}

    def signer(self) -> "Ed25519PrivateKey":
        """The private key.  Raises ``CannotServe`` if the file is damaged."""
        key = as_key(self.private)
        if not self.keys or public_jwk(key) != self.keys[0]:
            raise CannotServe("the file of keys is damaged: its private key is not the newest of its keys")
        return key


def as_key(private: str) -> "Ed25519PrivateKey":
    """The key of a text in base64url.  Raises ``CannotServe``."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - an extra

    try:
        return Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(private + "="))
    except ValueError as error:
        raise CannotServe("the file of keys is damaged: its private key cannot be read") from error


def key_path(settings: Settings) -> Path:
    """The file of keys: as the setting ``receipt_keys`` says, else next to the store.  Raises ``BadField``."""
    if settings.receipt_keys:
        return Path(settings.receipt_keys).expanduser()
    store = sqlite_path(settings.store)
    if store is None:
        raise BadField("receipt_keys", "the store is no file, so MOOT_RECEIPT_KEYS must name the file of the keys")
    return store.with_name(f"{store.name}.keys.json")


def has_keys(settings: Settings) -> bool:
    """Whether this server can sign: there is a file of keys, and what uses it is installed."""
    return is_installed("receipt") and _has_place(settings) and key_path(settings).exists()


def _has_place(settings: Settings) -> bool:
    return bool(settings.receipt_keys) or sqlite_path(settings.store) is not None


def read_keys(settings: Settings) -> KeyFile:
    """The keys.  Raises ``NotFound`` if there are none, ``CannotServe`` for a file that others may read."""
    if not is_installed("receipt"):
        raise NotFound(f"a receipt {needed('receipt')}")
    if not _has_place(settings):
        raise NotFound("there is no key to sign with: MOOT_RECEIPT_KEYS must name its file, then moot keys make")
    path = key_path(settings)
    try:
        with path.open("rb") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise CannotServe(f"others may read the private key: chmod 600 {path}")
            return msgspec.json.decode(file.read(), type=KeyFile)
    except FileNotFoundError:
        raise NotFound("there is no key to sign with: moot keys make") from None
    except OSError as error:
        raise CannotServe(f"{path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CannotServe(f"{path} is no file of keys: {error}") from error


def make_keys(settings: Settings) -> KeyFile:
    """The file with a first key.  Raises ``NotNow`` if there is one."""
    if not is_installed("receipt"):
        raise NotFound(f"a receipt {needed('receipt')}")
    key, path = _new_key(), key_path(settings)
    made = KeyFile(private=base64url(key.private_bytes_raw()), keys=[public_jwk(key)])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, made)
    except FileExistsError:
        raise NotNow(f"{path} is there already: moot keys rotate makes a new key") from None
    except OSError as error:
        raise CannotServe(f"{path} cannot be written: {error.strerror}") from error
    return made


def rotate_keys(settings: Settings) -> KeyFile:
    """The file with a new key, which the old one signs; the old private key is gone, its public key stays."""
    known, key, path = read_keys(settings), _new_key(), key_path(settings)
    rotation = sealed(public_jwk(key), NEW_KEY, known.signer())
    made = KeyFile(
        private=base64url(key.private_bytes_raw()),
        keys=[public_jwk(key), *known.keys],
        rotations=[rotation, *known.rotations],
    )
    part = path.with_name(f"{path.name}.part")
    try:
        part.unlink(missing_ok=True)
        _write(part, made)
        part.replace(path)
    except OSError as error:
        raise CannotServe(f"{path} cannot be written: {error.strerror}") from error
    return made


def _new_key() -> "Ed25519PrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - an extra

    return Ed25519PrivateKey.generate()


def _write(path: Path, keys: KeyFile) -> None:
    """Write a new file that only its owner reads.  Raises ``FileExistsError``."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(keys)) + b"\n")
        file.flush()
        os.fsync(file.fileno())
