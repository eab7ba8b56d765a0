"""Settings: a flag, else the environment (``MOOT_*``), else ``moot.toml`` in this folder, else the default."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from server.errors import BadField

FILE: Final = "moot.toml"
PREFIX: Final = "MOOT_"
LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a process of Moot can be told.  Secrets (``token``) come from the environment or the file, never by flag."""

    store: str = "sqlite:"
    """``sqlite:PATH``, ``sqlite:`` for the user's data folder, or ``memory:``."""
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8484
    """0 takes any free port."""
    token: str = ""
    """Needed beyond loopback for everything that costs money or changes a debate."""
    hosts: str = ""
    """Further names under which the server may be addressed, with commas."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    max_running: Annotated[int, Meta(ge=1)] = 1000
    """Debates that run at once; one more is refused with 429."""
    max_spectators: Annotated[int, Meta(ge=1)] = 10_000
    """Open sockets; one more is closed with 4429."""
    opens_per_minute: Annotated[int, Meta(ge=1)] = 600
    """Debates that one address may open in a minute."""
    slow_reader_s: Annotated[float, Meta(gt=0)] = 10.0
    """Seconds that one write to a spectator may take before it is closed with 4408."""
    tick_ms: Annotated[int, Meta(ge=0, le=5000)] = 50
    """Deltas of a debate are joined for this long."""
    turn_timeout_s: Annotated[float, Meta(gt=0)] = 180.0
    judge_timeout_s: Annotated[float, Meta(gt=0)] = 180.0
    idle_timeout_s: Annotated[float, Meta(gt=0)] = 60.0
    """Silence within a model's stream that counts as a failure."""
    attempts: Annotated[int, Meta(ge=1, le=10)] = 3
    """Times that a turn is tried, and a question asked, before it is given up."""
    retry_ms: Annotated[int, Meta(ge=0)] = 500
    """Wait before the second try; doubled for each further one."""

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK


NAMES: Final = Settings.__struct_fields__


def load(
    flags: Mapping[str, Any], environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Settings:
    """Settings from all sources.  Raises ``BadField`` with the setting's name and where it was said."""
    environment = os.environ if environment is None else environment
    said: dict[str, Any] = dict(_from_file((folder or Path()) / FILE))
    origins = dict.fromkeys(said, FILE)
    for name in NAMES:
        if (value := environment.get(PREFIX + name.upper())) is not None:
            said[name], origins[name] = value, PREFIX + name.upper()
    for name, value in flags.items():
        if value is not None:
            said[name], origins[name] = value, f"--{name.replace('_', '-')}"
    for name, value in said.items():
        _check(name, value, origins[name])
    return msgspec.convert(said, Settings, strict=False)


def _check(name: str, value: Any, origin: str) -> None:
    if name not in NAMES:
        raise BadField(name, f"{origin} names an unknown setting {name!r}")
    try:
        msgspec.convert({name: value}, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise BadField(name, f"{origin}: {str(error).partition(' - at ')[0]}") from error


def _from_file(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise BadField(FILE, f"{path} cannot be read: {error}") from error
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadField(FILE, f"{path}: {error}") from error
