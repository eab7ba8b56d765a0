"""Receipts: what they state, who can verify them, and that no mutation passes."""

import base64
import json
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from server.cli import main
from server.errors import CannotServe, NotFound, NotNow
from server.export.receipt.envelope import STATEMENT, canonical, sealed
from server.export.receipt.keys import as_key, key_path, make_keys, read_keys, rotate_keys
from server.export.receipt.verify import NotVerified, trusted, verify
from server.settings import Settings
from tests.docs.pages import ROOT
from tests.laws import spread
from tests.measuring.receipt_mutations import GOLDEN, SignedLog, exhibitions, golden, passes, table
from tests.server.http.test_secrets import SPECTATOR, TOKEN
from tests.server.site import Site, refused, serving

VERIFIER = ROOT / "deploy/verify.py"


@pytest.fixture(scope="module")
def released() -> list[SignedLog]:
    """Receipts of the logs of released versions."""
    return anyio.run(golden, Ed25519PrivateKey.generate())


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=f"sqlite:{tmp_path / 'moot.db'}")


def stated(receipt: bytes) -> dict[str, Any]:
    statement: dict[str, Any] = json.loads(base64.b64decode(json.loads(receipt)["payload"]))
    return statement


@pytest.mark.slow
def test_a_receipt_of_every_released_log_verifies(released: list[SignedLog]) -> None:
    for each in released:
        predicate = verify(each.receipt, each.log, each.keys)["predicate"]

        assert (GOLDEN / f"{each.name}.ndjson").read_bytes() == each.log
        card = json.loads((GOLDEN / f"{each.name}.view.json").read_text())["scorecard"]
        assert [f"{card[side]['composite']:.2f}" for side in ("pro", "con")] == [
            predicate["scores"][side] for side in ("pro", "con")
        ]


@pytest.mark.slow
@pytest.mark.parametrize("rubric", spread(("v3", "v1", "v2"), 1))
def test_receipts_of_every_format_and_rubric_verify(rubric: str) -> None:
    for each in anyio.run(exhibitions, Ed25519PrivateKey.generate(), (rubric,)):
        assert stated(each.receipt) == verify(each.receipt, each.log, each.keys)


@pytest.mark.slow
def test_no_mutation_of_a_receipt_or_its_log_passes(released: list[SignedLog]) -> None:
    tried = table(released[2:], random.Random(7), 3)

    assert sum(number for number, _ in tried.values()) > 500
    assert {kind: passed for kind, (_, passed) in tried.items() if passed} == {}


def test_a_log_that_went_on_is_told_with_the_lines_of_the_receipt(released: list[SignedLog]) -> None:
    each = released[0]
    longer = each.log + each.log.splitlines(keepends=True)[-1]

    with pytest.raises(NotVerified, match="head -n 185"):
        verify(each.receipt, longer, each.keys)


@pytest.mark.slow
def test_the_verifier_is_one_file_that_imports_nothing_of_moot(released: list[SignedLog], tmp_path: Path) -> None:
    alone = shutil.copy(VERIFIER, tmp_path)
    each = released[-1]
    files = [tmp_path / name for name in ("receipt.json", "log.ndjson", "keys.json")]
    for path, content in zip(files, (each.receipt, each.log, each.keys), strict=True):
        path.write_bytes(content)
    run = [sys.executable, "-I", str(alone), *map(str, files)]
    good = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    files[1].write_bytes(each.log.replace(b"juries", b"Juries", 1))
    bad = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    files[1].unlink()
    gone = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (0, "verified: This house would replace juries") == (good.returncode, good.stdout[:41])
    assert (4, "REFUSED: the log is not the one of the receipt\n") == (bad.returncode, bad.stderr)
    assert 2 == gone.returncode


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_openssl_verifies_the_envelope_as_dsse(released: list[SignedLog], tmp_path: Path) -> None:
    each = released[0]
    envelope = json.loads(each.receipt)
    body = base64.b64decode(envelope["payload"])
    kind = envelope["payloadType"].encode()
    (tmp_path / "signed").write_bytes(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body))
    (tmp_path / "sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    pem = each.key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    (tmp_path / "key.pem").write_bytes(pem)
    run = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "key.pem", "-rawin", "-in", "signed", "-sigfile", "sig"]
    says = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "Signature Verified Successfully" in says.stdout


def test_the_private_key_is_for_its_owner_only(settings: Settings) -> None:
    with pytest.raises(NotFound, match="moot keys make"):
        read_keys(settings)
    made = make_keys(settings)
    path = key_path(settings)

    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert made == read_keys(settings)
    assert made.private not in json.dumps(made.jwks)
    with pytest.raises(NotNow, match="rotate"):
        make_keys(settings)
    path.chmod(0o644)
    with pytest.raises(CannotServe, match="chmod 600"):
        read_keys(settings)
    path.chmod(0o600)
    path.write_text("{}")
    with pytest.raises(CannotServe, match="no file of keys"):
        read_keys(settings)


def test_a_rotated_key_is_signed_by_the_old_one_which_still_verifies(
    settings: Settings, released: list[SignedLog]
) -> None:
    first = make_keys(settings)
    pinned = json.dumps(first.keys[0]).encode()
    rotate_keys(settings)
    third = rotate_keys(settings)
    listed = json.dumps(third.jwks).encode()
    statement = stated(released[2].receipt)
    old, new = (canonical(sealed(statement, STATEMENT, as_key(each.private))) + b"\n" for each in (first, third))

    assert first.private not in key_path(settings).read_text()
    assert 3 == len(third.keys) == len(trusted(listed)) == len(trusted(listed, pinned))
    for receipt in (old, new):
        assert statement == verify(receipt, released[2].log, listed, pinned) == verify(receipt, released[2].log, listed)
    forged = {**third.jwks, "rotations": [sealed(third.keys[0], "application/jwk+json", Ed25519PrivateKey.generate())]}
    with pytest.raises(NotVerified, match="not among the keys"):
        verify(new, released[2].log, json.dumps(forged).encode(), pinned)


def test_the_commands_make_and_check_a_receipt(settings: Settings, tmp_path: Path) -> None:
    def moot(*arguments: str) -> Any:
        return CliRunner().invoke(main, ["--store", settings.store, *arguments])

    debate = moot("import", str(GOLDEN / "0.1-juries.ndjson")).stdout.strip()
    receipt, log, keys = (str(tmp_path / name) for name in ("r.json", "log.ndjson", "keys.json"))
    missing = moot("receipt", debate)
    Path(keys).write_text(moot("keys", "make").stdout)
    made = moot("receipt", debate, "-o", receipt, "--with-log", log)
    good = moot("receipt", "--check", receipt, "--log", log, "--jwks", keys)
    Path(receipt).write_text(Path(receipt).read_text() + "\n")
    bad = moot("receipt", "--check", receipt, "--log", log, "--jwks", keys)
    half = moot("receipt", "--check", receipt)

    assert "moot keys make" in missing.stderr
    assert (0, 0, 4, 2) == (made.exit_code, good.exit_code, bad.exit_code, half.exit_code)
    assert "winner pro, by scorecard" in good.stdout
    assert "REFUSED" in bad.stderr


@pytest.fixture
def signing(tmp_path: Path) -> Iterator[Site]:
    """A server beyond loopback, with a token and a key."""
    kept = str(tmp_path / "keys.json")
    make_keys(Settings(store="memory:", receipt_keys=kept))
    yield from serving(host="0.0.0.0", token="s3cret-0123456789", receipt_keys=kept)


def opened(site: Site, model: str) -> str:
    site.client.headers.update(TOKEN)
    debate = site.open(model)
    site.client.headers.update(SPECTATOR)
    return debate


def test_a_receipt_over_http_is_of_the_log_that_a_spectator_gets(signing: Site, script: Any, tmp_path: Path) -> None:
    debate = opened(signing, script())
    signing.ended(debate)
    path = f"/api/debates/{debate}/receipt"
    receipt, log = signing.client.get(path), signing.client.get(f"/api/debates/{debate}/events.ndjson")
    public = signing.client.get("/.well-known/jwks.json")

    assert passes(receipt.content, log.content, public.content)
    assert json.loads((tmp_path / "keys.json").read_text())["private"] not in public.text
    assert str(tmp_path) not in base64.b64decode(receipt.json()["payload"]).decode()
    assert receipt.headers["content-disposition"].endswith('.dsse.json"')
    labelled = signing.client.post(f"/api/debates/{debate}/labels", json={"unlisted": True}, headers=TOKEN)
    assert 200 == labelled.status_code
    refused(signing.client.get(path), 404)
    assert 200 == signing.client.get(path, headers=TOKEN).status_code


def test_a_debate_that_has_not_ended_has_no_receipt(signing: Site, slow: str) -> None:
    debate = opened(signing, slow)

    refused(signing.client.get(f"/api/debates/{debate}/receipt"), 409, says="has not ended")


def test_a_server_without_a_key_says_so(guarded: Site) -> None:
    refused(guarded.client.get("/.well-known/jwks.json"), 404, says="no key")
