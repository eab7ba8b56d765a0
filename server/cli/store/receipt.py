"""``moot receipt``, ``moot keys``: signed statements of how debates ended, and the keys that sign them."""

import sys
from pathlib import Path
from typing import Any

import click
from msgspec import json

from events.transfer import export
from server.cli.options import find_debate, open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.errors import BadField, CannotServe, NotFound
from server.export.receipt.keys import make_keys, read_keys, rotate_keys
from server.export.receipt.statement import receipt_of
from server.export.text import escape_controls
from server.process.extras import is_installed, needed
from server.settings import Settings

REFUSED = 4
_FILE = click.Path(dir_okay=False, path_type=Path)
_INPUT = click.Path(dir_okay=False, exists=True, path_type=Path)


@click.command()
@click.argument("debate", metavar="ID", required=False)
@click.option("-o", "--output", type=_FILE, help="Write the receipt to a file instead of stdout.")
@click.option("--with-log", type=_FILE, help="Write the log that the receipt is of, as everybody may read it.")
@click.option("--check", type=_INPUT, help="Verify this receipt; needs --log and --jwks.")
@click.option("--log", type=_INPUT, help="With --check: the log, as NDJSON.")
@click.option("--jwks", type=_INPUT, help="With --check: the key, or all keys of the server, as JWK or JWKS.")
@click.option("--pinned", type=_INPUT, help="With --check: trust only this key, and those to which it was rotated.")
@with_settings
@with_json
def receipt(settings: Settings, debate: str | None, *, as_json: bool, **files: Path | None) -> None:
    """Write a signed statement of how a debate ended, or verify one.

    It states who won, by which judge, rubric and prompts, all scores, the certainty, what is missing, the cost and the
    head of the chain. deploy/verify.py verifies it without Moot.
    """
    if not is_installed("receipt"):
        raise NotFound(f"a receipt {needed('receipt')}")
    if (checked := files["check"]) is not None:
        if debate is not None or files["log"] is None or files["jwks"] is None:
            raise BadField("check", "--check FILE needs --log and --jwks, and no ID")
        _check(checked, files["log"], files["jwks"], files["pinned"], as_json=as_json)
        return
    if debate is None:
        raise BadField("debate", "name a debate, or a receipt with --check")
    made, log = run_async(lambda: _made(settings, debate, with_log=files["with_log"] is not None))
    try:
        if (path := files["with_log"]) is not None:
            path.write_bytes(log)
        if (path := files["output"]) is not None:
            path.write_bytes(made)
            return
    except OSError as error:
        raise CannotServe(f"cannot write {path}: {error.strerror}") from error
    sys.stdout.buffer.write(made)
    sys.stdout.buffer.flush()


async def _made(settings: Settings, prefix: str, *, with_log: bool) -> tuple[bytes, bytes]:
    """The receipt, and the log if it is wanted."""
    signer = read_keys(settings).signer()
    async with open_store(settings) as log:
        debate = await find_debate(log, prefix)
        made = await receipt_of(log, debate, signer)
        return made, b"".join([line async for line in export(log, debate, shorten=True)]) if with_log else b""


def _check(receipt: Path, log: Path, key: Path, pinned: Path | None, *, as_json: bool) -> None:
    """Verify with the verifier that works without Moot."""
    from server.export.receipt.verify import NotVerified, summary, verify  # noqa: PLC0415 - it imports an extra

    try:
        trusted = None if pinned is None else pinned.read_bytes()
        found = verify(receipt.read_bytes(), log.read_bytes(), key.read_bytes(), trusted)
    except OSError as error:
        raise NotFound(f"cannot read {error.filename}: {error.strerror}") from error
    except NotVerified as error:
        if as_json:
            emit({"ok": False, "why": str(error)})
        else:
            click.echo(f"REFUSED: {escape_controls(str(error))}", err=True)
        raise click.exceptions.Exit(REFUSED) from error
    if as_json:
        emit({"ok": True, **found})
    else:
        click.echo(summary(found))


@click.command()
@click.argument("what", type=click.Choice(["show", "make", "rotate"]), default="show")
@with_settings
def keys(settings: Settings, what: str) -> None:
    """Show the public keys that sign receipts, make the first one, or rotate to a new one.

    The list is a JWKS. The private key is in a file that only you may read, next to the store or where
    MOOT_RECEIPT_KEYS says. A rotation makes a new key, which the old one signs, and deletes the old private
    key. The old public key stays in the list.
    """
    act: Any = {"show": read_keys, "make": make_keys, "rotate": rotate_keys}[what]
    click.echo(json.format(json.encode(act(settings).jwks)).decode())
