"""Settings: a flag, else the environment (``MOOT_*``), else ``moot.toml`` in this folder, else the default."""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from events.misfits import misfit_words
from providers.limits import Limit
from server.errors import BadField
from server.hooks.hook import Hook

FILE: Final = "moot.toml"
PREFIX: Final = "MOOT_"
HOOK_NAME: Final = re.compile(r"[a-z0-9_-]{1,40}")
LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a process.  Secrets (``token``) come from the environment or the file, never from a flag."""

    store: str = "sqlite:"
    """``sqlite:PATH``, ``sqlite:`` for the user's data folder, ``memory:``, or ``postgres://USER@HOST:PORT/NAME``."""
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8484
    """0 takes any free port."""
    token: str = ""
    """Required beyond loopback, with at least 16 characters, for every request that costs money or changes a debate."""
    hosts: str = ""
    """Further host names of the server, separated by commas."""
    public_metrics: bool = False
    """Whether ``/metrics`` answers clients on other machines without the token."""
    receipt_keys: str = ""
    """The file with the key that signs receipts; empty: next to a store that is a file."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    bus: str = ""
    """On a PostgreSQL store: how text in flight travels between nodes, ``nats://HOST:PORT``; empty for the store."""
    lease_s: Annotated[float, Meta(ge=0.5, le=600)] = 10.0
    """On a PostgreSQL store: seconds after which another node takes over the debates of a silent node."""
    drain_s: Annotated[float, Meta(ge=0)] = 20.0
    """On a PostgreSQL store: seconds that calls in flight have after SIGTERM before they are cancelled."""
    workers: Annotated[int, Meta(ge=1, le=64)] = 1
    """Processes that serve on one port; more than one only on a PostgreSQL store."""
    max_running: Annotated[int, Meta(ge=1)] = 1000
    """Debates that run at the same time; one more is refused with 429."""
    max_spectators: Annotated[int, Meta(ge=1)] = 10_000
    """Open sockets; one more is closed with 4429."""
    opens_per_minute: Annotated[int, Meta(ge=1)] = 600
    """Debates that one address may open per minute."""
    votes_per_minute: Annotated[int, Meta(ge=1)] = 600
    """Votes and beliefs that one address may cast per minute; one voter may cast 30."""
    voters_per_address: Annotated[int, Meta(ge=1)] = 100
    """Voters that one address may have in a poll, unless the poll says how many."""
    slow_reader_s: Annotated[float, Meta(gt=0)] = 10.0
    """Seconds that one write to a spectator may take before its socket is closed with 4408."""
    compress: bool = True
    """Whether sockets are compressed if the client offers it (permessage-deflate)."""
    tick_ms: Annotated[int, Meta(ge=0, le=5000)] = 50
    """Milliseconds for which deltas of a debate are joined before they are sent."""
    turn_timeout_s: Annotated[float, Meta(gt=0)] = 180.0
    judge_timeout_s: Annotated[float, Meta(gt=0)] = 180.0
    idle_timeout_s: Annotated[float, Meta(gt=0)] = 60.0
    """Seconds of silence in a model's stream that count as a failure."""
    attempts: Annotated[int, Meta(ge=1, le=10)] = 3
    """Attempts at a turn or a question before it is given up."""
    retry_ms: Annotated[int, Meta(ge=0)] = 500
    """Milliseconds before the second attempt; doubled for each further one."""
    mcp: Literal["loopback", "on", "off"] = "loopback"
    """Whether ``/mcp`` answers operators; ``loopback``: if only this machine can reach the server."""
    mcp_runs: bool = False
    """Whether a tool of MCP may start what costs money."""
    mcp_call_usd: Annotated[float, Meta(gt=0)] = 1.0
    """The most that one call of a tool may cost, in US dollars."""
    mcp_day_usd: Annotated[float, Meta(gt=0)] = 5.0
    """The most that all such calls of a day (UTC) may cost."""
    voice: str = ""
    """What speaks turns: ``openai:MODEL`` or ``openai:MODEL@URL``; empty for the voices of browsers only."""
    voice_pro: str = "alloy"
    voice_con: str = "onyx"
    voice_per_minute: Annotated[int, Meta(ge=0)] = 30
    """New turns that all spectators together may have spoken in a minute; 0: operators only."""
    public_url: str = ""
    """The address at which people open the pages, for links that the server sends out; empty for its own address."""
    hooks: dict[str, Hook] = {}
    """Webhooks by name: a table ``[hooks.NAME]`` with ``url``, ``secret``, ``events``, ``private``; JSON in the
    environment.
    """
    telemetry: str = ""
    """The address of an OpenTelemetry collector (OTLP over HTTP); empty: nothing is sent."""
    telemetry_texts: bool = False
    """Whether traces hold prompts, answers and the judge's reasons."""
    keep_days: Annotated[int, Meta(ge=0, le=36_500)] = 0
    """Days after its last event after which a server deletes a debate; 0: it deletes none."""
    league_people: str = ""
    """The names of people who agreed to be listed in leagues, separated by commas."""
    limits: dict[str, Limit] = {}
    """By provider, over the default limits: a table ``[limits.anthropic]`` with ``concurrent``, ``calls_per_minute``,
    ``tokens_per_minute``; in the environment ``anthropic: concurrent=4 calls_per_minute=50; embedded: concurrent=2``.
    """

    @property
    def is_loopback(self) -> bool:
        """Whether the server can be reached from this machine only."""
        return self.host in LOOPBACK


NAMES: Final = Settings.__struct_fields__


def load(
    flags: Mapping[str, Any], environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Settings:
    """Settings from all sources.  Raises ``BadField`` with the name of the setting and its source."""
    environment = os.environ if environment is None else environment
    said: dict[str, Any] = dict(_from_file((folder or Path()) / FILE))
    origins = dict.fromkeys(said, FILE)
    for name in NAMES:
        if (value := environment.get(PREFIX + name.upper())) is not None:
            origins[name] = PREFIX + name.upper()
            said[name] = PARSERS[name](value) if name in PARSERS else value
    for name, value in flags.items():
        if value is not None:
            said[name], origins[name] = value, f"--{name.replace('_', '-')}"
    for name, value in said.items():
        _check(name, value, origins[name])
    return msgspec.convert(said, Settings, strict=False)


def _check(name: str, value: Any, origin: str) -> None:
    if name not in NAMES:
        raise BadField(name, f"{origin} names an unknown setting {name!r}")
    if name == "hooks" and isinstance(value, dict) and all(isinstance(each, dict) for each in value.values()):
        for hook, fields in value.items():
            _check_hook(f"{name}.{hook}", hook, fields, origin)
    if name == "limits" and isinstance(value, dict):
        for provider, said in value.items():
            _check_limit(f"{name}.{provider}", said, origin)
    try:
        msgspec.convert({name: value}, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise BadField(name, f"{origin}: {misfit_words(error, name)}") from error


def _check_limit(field: str, said: Any, origin: str) -> None:
    """Raise ``BadField`` for the value of a limit that is not valid."""
    for key, value in said.items() if isinstance(said, dict) else ():
        try:
            msgspec.convert({key: value}, Limit, strict=False)
        except msgspec.ValidationError as error:
            raise BadField(f"{field}.{key}", f"{origin}: {misfit_words(error, f'{field}.{key}')}") from error


def _check_hook(field: str, name: str, said: Mapping[str, Any], origin: str) -> None:
    """Raise ``BadField`` for a hook that is not valid; the message holds no secret."""
    if not HOOK_NAME.fullmatch(name):
        raise BadField(field, f"{origin}: the name of a hook is up to 40 of a-z, 0-9, - and _")
    try:
        msgspec.convert(said, Hook, strict=False)
    except msgspec.ValidationError as error:
        raise BadField(field, f"{origin}: {misfit_words(error, field)}") from error


def _parse_hooks(text: str) -> Any:
    """Hooks from the JSON of ``MOOT_HOOKS``.  Raises ``BadField``."""
    try:
        return msgspec.json.decode(text or "{}")
    except msgspec.DecodeError as error:
        raise BadField("hooks", f"MOOT_HOOKS is not JSON: {error}") from error


def _parse_limits(line: str) -> dict[str, dict[str, str]]:
    """Limits from the one line of ``MOOT_LIMITS``.  Raises ``BadField``."""
    limits: dict[str, dict[str, str]] = {}
    for part in filter(None, (part.strip() for part in line.split(";"))):
        provider, colon, said = part.partition(":")
        pairs = [pair.partition("=") for pair in said.split()]
        if not colon or not provider.strip() or not all(sign and value for _, sign, value in pairs):
            raise BadField("limits", f"MOOT_LIMITS: {part!r} is not of the form 'provider: concurrent=4'")
        limits[provider.strip()] = {key: value for key, _, value in pairs}
    return limits


PARSERS: Final[Mapping[str, Callable[[str], Any]]] = {"hooks": _parse_hooks, "limits": _parse_limits}
"""How a setting that is no text or number is written in the environment."""


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
