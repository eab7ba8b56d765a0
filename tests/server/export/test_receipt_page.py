"""The verifier of an exported page takes the same receipts as deploy/verify.py."""

import base64
import json
import random
import subprocess

import anyio
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.docs.pages import ROOT
from tests.measuring.receipt_mutations import exhibitions, golden, mutations


def taken(files: list[tuple[bytes, bytes, bytes]]) -> list[str]:
    """What the page says of each receipt."""
    lines = [json.dumps([base64.b64encode(each).decode() for each in three]) for three in files]
    script = ROOT / "tests/web/receipts.mjs"
    run = subprocess.run(["node", str(script)], input="\n".join(lines), capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


@pytest.mark.slow
def test_the_page_verifies_receipts_of_all_logs() -> None:
    key = Ed25519PrivateKey.generate()
    made = [*anyio.run(golden, key), *anyio.run(exhibitions, key, ("v3",))]

    assert ["verified"] * len(made) == taken([(each.receipt, each.log, each.keys) for each in made])


@pytest.mark.slow
def test_the_page_refuses_every_mutation() -> None:
    made = anyio.run(golden, Ed25519PrivateKey.generate())[2]
    changed = [(receipt, log, made.keys) for _, receipt, log in mutations(made, random.Random(3), 1)]

    says = taken(changed)

    assert len(changed) == len(says) > 300
    assert "verified" not in says
