"""How many mutations of a receipt or its log pass the verifier: none may.

``uv run python -m tests.measuring.receipt_mutations`` makes 100 receipts, verifies each, changes receipts and logs in
every way below, and prints a table.  ``--thorough`` flips every bit of one receipt.
"""

import argparse
import base64
import copy
import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from events.clock import Clock
from events.record import Draft, decoded, now, stamp
from events.store.log import follow
from events.store.memory import MemoryLog
from events.transfer import export, import_debate
from events.types import DebateConcluded
from providers.registry import Registry
from server.debate.moderators import Moderators
from server.debate.setup.exhibitions import request_for
from server.debate.setup.opening import build_opening
from server.debate.setup.request import as_request
from server.exhibit import RETRY_MS, UNPACED
from server.export.receipt.envelope import STATEMENT, canonical, public_jwk, sealed
from server.export.receipt.statement import receipt_of
from server.export.receipt.verify import NotVerified, verify
from server.feed.hub import Hub
from server.settings import Settings

GOLDEN: Final = Path(__file__).parents[1] / "events/view/golden"
EXHIBITIONS: Final = ("cars", "homework", "juries", "lamps", "monolith", "transit")
RUBRICS: Final = ("v1", "v2", "v3")
AT_MOST: Final = 20
"""About so many places in a log at which an event is removed, repeated or moved."""
ORDER: Final = 2**252 + 27742317777372353535851937790883648493
"""Of the group of Ed25519: a signature's second half plus this is the same number modulo it."""


class SignedLog(NamedTuple):
    """A receipt, its log, and the key that signed it."""

    name: str
    receipt: bytes
    log: bytes
    key: Ed25519PrivateKey

    @property
    def keys(self) -> bytes:
        """The public key."""
        return json.dumps(public_jwk(self.key)).encode()


Mutation = tuple[str, bytes, bytes]
"""Its kind, and the receipt and the log, of which one is changed or both are."""


async def golden(key: Ed25519PrivateKey) -> list[SignedLog]:
    """Receipts of the logs of released versions."""
    found = []
    for path in sorted(GOLDEN.glob("*.ndjson")):
        async with MemoryLog() as log:
            debate = (await import_debate(log, path.read_bytes().splitlines(keepends=True))).debate
            found.append(await _material(path.stem, log, debate, key))
    return found


async def exhibitions(key: Ed25519PrivateKey, rubrics: tuple[str, ...] = RUBRICS) -> list[SignedLog]:
    """Receipts of the exhibitions, played under each rubric: formats exchange and protocol, panels, missing values."""
    found = []
    for name in EXHIBITIONS:
        for rubric in rubrics:
            registry = Registry([UNPACED])
            async with MemoryLog() as log, anyio.create_task_group() as tasks:
                hub = Hub(log, tick_ms=50)
                moderators = Moderators(log, registry, hub)
                await tasks.start(hub.run)
                await tasks.start(moderators.run)
                wanted = as_request({**request_for(name), "rubric": rubric})
                debate = await moderators.open(await build_opening(wanted, registry, Settings(retry_ms=RETRY_MS)))
                async for record in follow(log, debate):
                    if isinstance(record.event, DebateConcluded):
                        break
                found.append(await _material(f"{name}-{rubric}", log, debate, key))
                tasks.cancel_scope.cancel()
            await registry.close()
    return found


async def restamped(of: SignedLog, clock: Clock) -> SignedLog:
    """The same events as another debate: new ids, salts, digests and times."""
    async with MemoryLog() as log:
        debate = (await import_debate(log, of.log.splitlines(keepends=True))).debate
        records = [decoded(each) for each in await log.envelopes(debate, 0, 10_000)]
        drafts = [Draft(event=each.event, cause=each.cause) for each in records]
        name = clock.new_id()
        before = hashlib.sha256(name.encode()).digest()
        await log.adopt(stamp(name, 0, before, drafts, now(), [each.payload for each in records], clock))
        return await _material(f"{of.name}-again", log, name, of.key)


async def _material(name: str, log: MemoryLog, debate: str, key: Ed25519PrivateKey) -> SignedLog:
    lines = [line async for line in export(log, debate, shorten=True)]
    return SignedLog(name, await receipt_of(log, debate, key), b"".join(lines), key)


def passes(receipt: bytes, log: bytes, keys: bytes) -> bool:
    """Whether the verifier takes them."""
    try:
        verify(receipt, log, keys)
    except NotVerified:
        return False
    return True


def flipped(raw: bytes, bit: int) -> bytes:
    """The bytes with one bit changed."""
    changed = bytearray(raw)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def mutations(of: SignedLog, chance: random.Random, bits: int) -> Iterator[Mutation]:
    """Mutations of one receipt and its log: ``bits`` flips of each, and every structural one."""
    for kind, raw in (("a bit of the receipt", of.receipt), ("a bit of the log", of.log)):
        for _ in range(bits):
            changed = flipped(raw, chance.randrange(len(raw) * 8))
            yield kind, *((changed, of.log) if raw is of.receipt else (of.receipt, changed))
    yield from ((kind, changed, of.log) for kind, changed in _envelopes(of) if changed != of.receipt)
    yield from ((kind, changed, of.log) for kind, changed in _payloads(of, chance, bits))
    yield from ((kind, of.receipt, changed) for kind, changed in _logs(of, chance) if changed != of.log)
    yield from _forgeries(of, chance)


def _envelopes(of: SignedLog) -> Iterator[tuple[str, bytes]]:  # noqa: C901, PLR0912 - a list of forms
    """The same signed bytes in another envelope."""
    raw, known = of.receipt, json.loads(of.receipt)
    text, signature = raw.decode(), known["signatures"][0]
    for other in (raw[:-1], raw + b"\n", raw[:-1] + b"\r\n", b" " + raw, b"\xef\xbb\xbf" + raw, raw + b"{}\n"):
        yield "whitespace", other
    for separators in ((", ", ":"), (",", ": "), (", ", ": ")):
        yield "whitespace", json.dumps(known, sort_keys=True, separators=separators).encode() + b"\n"
    for encoding in ("utf-16", "utf-32"):
        yield "unicode", text.encode(encoding)
    for name in ("payload", "payloadType", "signatures", "keyid", "sig"):
        yield "unicode", text.replace(f'"{name}"', f'"\\u{ord(name[0]):04x}{name[1:]}"').encode()
    for sign in ("/", "+", "=", "A"):
        yield "unicode", text.replace(sign, f"\\u{ord(sign):04x}").encode()
    yield "unicode", text.replace("/", "\\/").encode()
    for order in (("signatures", "payload", "payloadType"), ("payloadType", "payload", "signatures")):
        yield "order of names", _one_line({name: known[name] for name in order})
    yield "order of names", _one_line({**known, "signatures": [dict(reversed(signature.items()))]})
    for name in known:
        value = json.dumps(known[name], separators=(",", ":"))
        yield "a name twice", text.replace("{", f'{{"{name}":{value},', 1).encode()
        yield "a name twice", text.replace("{", f'{{"{name}":0,', 1).encode()
        yield "a name is missing", _one_line({other: known[other] for other in known if other != name})
    for place, others in ((known, {}), (signature, {"signatures": 1})):
        for name, added in (("note", ""), ("x", None), ("zz", []), ("cert", "AA==")):
            more = {**place, name: added}
            yield "an unknown name", _one_line({**known, "signatures": [more]} if others else more)
    own = signature["keyid"]
    for keyid in ("", "x", own[:-1], own + "=", own.swapcase(), None, 0):
        yield "keyid", _one_line({**known, "signatures": [{**signature, "keyid": keyid}]})
    array_like = {"0": signature, "length": 1}
    for several in ([], [signature, signature], [signature, {"keyid": "", "sig": ""}], signature, array_like):
        yield "signatures", _one_line({**known, "signatures": several})
    for kind in ("application/vnd.in-toto+JSON", "application/json", "", STATEMENT + ";v=1", STATEMENT + " "):
        yield "type of the payload", _one_line({**known, "payloadType": kind})
    number = base64.b64decode(signature["sig"])
    taller = int.from_bytes(number[32:], "little") + ORDER
    yield "signature", _signed(known, number[:32] + taller.to_bytes(32, "little"))
    for other in (b"", bytes(64), number[:-1], number + b"\0", number[32:] + number[:32]):
        yield "signature", _signed(known, other)
    for encoded in _alphabets(known["payload"]):
        yield "base64", _one_line({**known, "payload": encoded})
    for encoded in _alphabets(signature["sig"]):
        yield "base64", _one_line({**known, "signatures": [{**signature, "sig": encoded}]})


def _alphabets(text: str) -> Iterator[str]:
    """The same bytes in other forms of base64."""
    yield text.replace("+", "-").replace("/", "_")
    yield text.rstrip("=")
    yield text + "="
    yield text + "===="
    for sign in ("\n", " ", "\r\n", "\t", "=", "\0"):
        yield text[:40] + sign + text[40:]
        yield text + sign
    body, pad = text.rstrip("="), len(text) - len(text.rstrip("="))
    signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for unused in range(1, 4**pad):  # bits of the last sign that no byte has
        yield body[:-1] + signs[signs.index(body[-1]) ^ unused] + "=" * pad


def _one_line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _signed(known: dict[str, Any], signature: bytes) -> bytes:
    found = {**known["signatures"][0], "sig": base64.b64encode(signature).decode()}
    return _one_line({**known, "signatures": [found]})


def _payloads(of: SignedLog, chance: random.Random, most: int) -> Iterator[tuple[str, bytes]]:
    """Other statements: under the old signature, signed by another key, and by the server's own key."""
    known = json.loads(of.receipt)
    body = base64.b64decode(known["payload"])
    statement = json.loads(body)
    stranger = Ed25519PrivateKey.generate()
    yield "signed by another key", canonical(sealed(statement, STATEMENT, stranger)) + b"\n"
    borrowed = sealed(statement, STATEMENT, stranger)
    borrowed["signatures"][0]["keyid"] = known["signatures"][0]["keyid"]
    yield "signed by another key", canonical(borrowed) + b"\n"
    leaves = list(_leaves(statement))
    for place in chance.sample(leaves, min(most, len(leaves))):
        for value in _others(_at(statement, place)):
            changed = copy.deepcopy(statement)
            _at(changed, place[:-1])[place[-1]] = value
            yield "a stated value, old signature", _with_payload(known, canonical(changed))
            yield "a stated value, signed by the key itself", canonical(sealed(changed, STATEMENT, of.key)) + b"\n"
    for place in ((), ("predicate",), ("predicate", "scores"), ("predicate", "cost"), ("subject", 0)):
        for value in ("", None, 0):
            changed = copy.deepcopy(statement)
            _at(changed, place)["zz"] = value
            yield "a stated value more, signed by the key itself", canonical(sealed(changed, STATEMENT, of.key)) + b"\n"
    position = statement["predicate"]["head"]["position"]
    text = body.decode()
    for other in (
        text.replace(f'"position":{position}}}', f'"position":{position}.0}}'),
        text.replace(f'"position":{position}}}', f'"position":{position}e0}}'),
        text.replace(f'"position":{position}}}', f'"position":"{position}"}}'),
        text.replace(f'"position":{position}}}', f'"position":{position},"position":{position}}}'),
        text.replace('"predicate":', '"predicate": '),
        text.replace('"predicate"', '"\\u0070redicate"'),
        text + " ",
        json.dumps(statement),
        json.dumps(dict(reversed(statement.items())), ensure_ascii=False, separators=(",", ":")),
    ):
        yield "another form of the statement, old signature", _with_payload(known, other.encode())
        yield "another form of the statement, signed by the key itself", _sealed_bytes(other.encode(), of.key)


def _with_payload(known: dict[str, Any], body: bytes) -> bytes:
    return canonical({**known, "payload": base64.b64encode(body).decode()}) + b"\n"


def _sealed_bytes(body: bytes, key: Ed25519PrivateKey) -> bytes:
    signature = key.sign(b"DSSEv1 %d %b %d %b" % (len(STATEMENT), STATEMENT.encode(), len(body), body))
    known = sealed({}, STATEMENT, key)
    return _signed({**known, "payload": base64.b64encode(body).decode()}, signature)


def _leaves(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all texts, numbers and truth values."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inner is None:
        yield place
        return
    for name, each in inner:
        yield from _leaves(each, (*place, name))


def _at(value: Any, place: tuple[Any, ...]) -> Any:
    for name in place:
        value = value[name]
    return value


def _others(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool):
        return not value, int(value)
    return (value + 1, str(value), None) if isinstance(value, int) else (f"{value} ", value + "0", None)


def _logs(of: SignedLog, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """The log as another file."""
    raw, lines = of.log, of.log.splitlines(keepends=True)
    for place in range(len(lines)):
        if chance.random() > AT_MOST / len(lines):
            continue
        yield "an event removed", b"".join(lines[:place] + lines[place + 1 :])
        yield "an event twice", b"".join(lines[: place + 1] + lines[place:])
        if place:
            swapped = [*lines[: place - 1], lines[place], lines[place - 1], *lines[place + 1 :]]
            yield "two events exchanged", b"".join(swapped)
            yield "cut off", b"".join(lines[:place])
    for other in (raw[:-1], raw + b"\n", b"\n" + raw, b"\xef\xbb\xbf" + raw, raw.replace(b"\n", b"\r\n"), raw + b" "):
        yield "whitespace in the log", other
    for place in chance.sample(range(len(lines)), min(20, len(lines))):
        line, before, after = lines[place], lines[:place], lines[place + 1 :]
        value = json.loads(line)
        for other in (
            _one_line(dict(reversed(value.items()))),
            json.dumps(value).encode() + b"\n",
            json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode().replace(b"e", b"\\u0065", 1) + b"\n",
            line.replace(b'"digest":"', b'"digest":"0', 1),
            line.replace(value["digest"].encode(), value["digest"].upper().encode()),
            line.replace(b'"schema":1', b'"schema":1.0'),
            line.replace(b"}\n", b',"note":1}\n'),
            line.replace(b'{"debate"', b'{"debate":"","debate"', 1),
        ):
            yield "an event written otherwise", b"".join([*before, other, *after])
        for name, each in (("at", "2020-01-01T00:00:00.000000Z"), ("cause", 1), ("id", "x"), ("salt", "00" * 16)):
            changed = _one_line({**value, name: each})
            yield "an event changed", b"".join([*before, changed, *after])


def _forgeries(of: SignedLog, chance: random.Random) -> Iterator[Mutation]:
    """A changed event in a log whose chain holds again, with a receipt that fits it as far as its author can."""
    lines = [json.loads(line) for line in of.log.splitlines()]
    known = json.loads(base64.b64decode(json.loads(of.receipt)["payload"]))
    for kind, change in CHANGES.items():
        places = [place for place, line in enumerate(lines) if change(copy.deepcopy(line["event"]))]
        for place in chance.sample(places, min(2, len(places))):
            forged = [*lines]
            forged[place] = copy.deepcopy(lines[place])
            change(forged[place]["event"])
            log, head = _chained(forged)
            yield f"{kind}, chained again", of.receipt, log
            statement = copy.deepcopy(known)
            statement["subject"][0]["digest"]["sha256"] = hashlib.sha256(log).hexdigest()
            statement["predicate"]["head"]["digest"] = head
            stranger = canonical(sealed(statement, STATEMENT, Ed25519PrivateKey.generate())) + b"\n"
            yield f"{kind}, chained again, signed by another key", stranger, log
            own = canonical(sealed(statement, STATEMENT, of.key)) + b"\n"
            yield f"{kind}, chained again, signed by the key itself", own, log


def _chained(lines: list[dict[str, Any]]) -> tuple[bytes, str]:
    """The lines with digests that hold, and the last one."""
    digest, written = hashlib.sha256(lines[0]["debate"].encode()).digest(), []
    for line in lines:
        payload = json.dumps(line["event"], ensure_ascii=False, separators=(",", ":")).encode()
        header = [line[name] for name in ("debate", "position", "id", "at", "cause", "schema")]
        inner = hashlib.sha256(bytes.fromhex(line["salt"]) + payload).digest() if "salt" in line else b""
        inner = inner or bytes.fromhex(line["payload_digest"])
        plain = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
        digest = hashlib.sha256(digest + plain + inner).digest()
        written.append(_one_line({**line, "digest": digest.hex()}))
    return b"".join(written), digest.hex()


def _more_points(event: dict[str, Any]) -> bool:
    for each in (event.get("dimensions") or {}).values() if event["type"] == "turn_scored" else ():
        each["admitted"] += 1
        return True
    return False


def _less_taken(event: dict[str, Any]) -> bool:
    if event["type"] not in {"penalty_applied", "logic_gap_adjusted", "score_harmonized", "score_capped"}:
        return False
    event["applied"] += 0.5
    return True


def _other_winner(event: dict[str, Any]) -> bool:
    if event["type"] not in {"debate_concluded", "scorecard_verdict_reached", "panel_concluded"}:
        return False
    event["winner"] = {"pro": "con", "con": "pro", "neither": "con"}[event["winner"]]
    return True


def _other_model(event: dict[str, Any]) -> bool:
    if event["type"] not in {"turn_spoken", "model_answered"}:
        return False
    event["model"] += "-2"
    return True


CHANGES: Final[dict[str, Callable[[dict[str, Any]], bool]]] = {
    "more points for a turn": _more_points,
    "less taken from a turn": _less_taken,
    "another winner": _other_winner,
    "another model": _other_model,
}
"""Changes of an event, which say whether they are possible."""


def table(materials: list[SignedLog], chance: random.Random, bits: int) -> dict[str, tuple[int, int]]:
    """By kind: mutations, and how many of them passed."""
    tried, passed = Counter[str](), Counter[str]()
    for each in materials:
        for kind, receipt, log in mutations(each, chance, bits):
            tried[kind] += 1
            if passes(receipt, log, each.keys):
                passed[kind] += 1
                print(f"PASSED: {kind}, {each.name}")
    return {kind: (number, passed[kind]) for kind, number in tried.items()}


async def receipts(number: int, key: Ed25519PrivateKey) -> list[SignedLog]:
    """So many receipts: of the golden logs, of exhibitions, and of their events stamped again."""
    found = [*await golden(key), *await exhibitions(key)]
    clock = Clock()
    distinct = len(found)
    while len(found) < number:
        found.append(await restamped(found[len(found) % distinct], clock))
    return found[:number]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--receipts", type=int, default=100)
    parser.add_argument("--bits", type=int, default=50, help="bits flipped in each receipt and log")
    parser.add_argument("--thorough", action="store_true", help="flip every bit of one receipt")
    given = parser.parse_args()
    made = anyio.run(receipts, given.receipts, Ed25519PrivateKey.generate())
    verified = sum(passes(each.receipt, each.log, each.keys) for each in made)
    print(f"{verified} of {len(made)} receipts verify\n")
    counts = table(made, random.Random(35), given.bits)
    if given.thorough:
        one = min(made, key=lambda each: len(each.receipt))
        bits = len(one.receipt) * 8
        counts["every bit of one receipt"] = (
            bits,
            sum(passes(flipped(one.receipt, bit), one.log, one.keys) for bit in range(bits)),
        )
    for kind, (number, passed) in counts.items():
        print(f"{passed:6} of {number:7,} pass: {kind}")
    print(f"{sum(p for _, p in counts.values()):6} of {sum(n for n, _ in counts.values()):7,} in all")


if __name__ == "__main__":
    main()
