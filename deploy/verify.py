"""Verify a receipt of Moot, without Moot: ``python verify.py RECEIPT LOG KEYS [--pinned KEY]``.

It needs Python 3.11 and ``cryptography``.  It was written from docs/events.md and docs/receipt.md.  It accepts one form
of a receipt only, so that no byte of it can be changed; and it computes every stated value from the log once more.
Exit code 0: verified; 4: refused, with the reason; 2: a file cannot be read.
"""

import argparse
import base64
import hashlib
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed does not know it
from pathlib import Path
from typing import Any, Final, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "urn:moot:receipt:1"
PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
KEY_TYPE: Final = "application/jwk+json"
"""The payload of a rotation: the new key, which the old one signs."""
REFUSED: Final = 4
UNREADABLE: Final = 2
SIDES: Final = ("pro", "con")
CHANGES: Final = frozenset(
    {"score_harmonized", "score_capped", "penalty_applied", "penalty_reversed", "logic_gap_adjusted"}
)
"""Events that add ``applied`` points to a dimension of a turn."""
VERDICTS: Final[Mapping[str, tuple[tuple[str, ...], Mapping[str, int]]]] = {
    "scorecard_verdict_reached": (
        ("winner", "decided_by", "leaning", "pairs"),
        {"margin": 2, "noise": 2, "certainty": 4, "error": 2},
    ),
    "narrative_verdict_reached": (("winner", "margin", "confidence", "flipped"), {}),
    "assessment_given": ((), {"pro_total": 2, "con_total": 2}),
    "panel_concluded": (("outcome", "winner", "leaning", "decides"), {"gap": 4}),
    "artifact_judged": (
        ("verdict", "independent", "unmoved", "converged"),
        {"agreement": 4, "independent_agreement": 4},
    ),
    "decision_recorded": (("by", "decision", "reason"), {}),
}
"""By event, the members that a receipt states: as they are, and figures with so many decimals."""
CUT_OFF: Final = frozenset({"halted", "interrupted"})
_HEX: Final = re.compile(r"[0-9a-f]+")


class NotVerified(Exception):
    """The receipt, the log or the key is not what it must be."""


def refuse(why: str) -> NoReturn:
    """Raise ``NotVerified``."""
    raise NotVerified(why)


def canonical(value: Any) -> bytes:
    """The one form of a value as JSON: sorted names, no spaces, UTF-8; a receipt has whole numbers only."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def read_canonical(raw: bytes, what: str) -> Any:
    """The value of JSON in its one form."""
    try:
        value = json.loads(raw.decode(), parse_float=_no_float)
        is_canonical = canonical(value) == raw
    except (ValueError, RecursionError):
        refuse(f"{what} is no JSON")
    if not is_canonical:
        refuse(f"{what} is not in its canonical form")
    return value


def _no_float(text: str) -> NoReturn:
    raise ValueError(text)


def has_form(value: Any, form: Any) -> bool:
    """Whether a value has the form of an example: its names, and the kinds of its values; of a list each item."""
    if isinstance(form, dict):
        is_whole = isinstance(value, dict) and value.keys() == form.keys()
        return is_whole and all(has_form(value[name], each) for name, each in form.items())
    if isinstance(form, list):
        return isinstance(value, list) and len(value) == len(form) and all(map(has_form, value, form))
    return type(value) is type(form)


def from_base64(text: str, what: str) -> bytes:
    """The bytes of base64 in the standard alphabet, with padding."""
    try:
        found = base64.b64decode(text, validate=True)
    except ValueError:
        refuse(f"{what} is no base64")
    if base64.b64encode(found).decode() != text:
        refuse(f"{what} is not in canonical base64")
    return found


def thumbprint(key: Mapping[str, str]) -> str:
    """The id of a key.  Source: RFC 7638, with the members of RFC 8037."""
    digest = hashlib.sha256(canonical({name: key[name] for name in ("crv", "kty", "x")})).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def public_key(key: Any) -> Ed25519PublicKey:
    """The key of a JWK."""
    is_key = isinstance(key, dict) and key.get("kty") == "OKP" and key.get("crv") == "Ed25519"
    x = key.get("x") if is_key else None
    if not isinstance(x, str):
        refuse("the key is no Ed25519 key as a JWK")
    try:
        raw = base64.b64decode(x + "=", altchars=b"-_", validate=True)
    except ValueError:
        refuse("the key cannot be read")
    if len(raw) != 32 or base64.urlsafe_b64encode(raw).decode().rstrip("=") != x:  # noqa: PLR2004 - of an Ed25519 key
        refuse("the key cannot be read")
    return Ed25519PublicKey.from_public_bytes(raw)


def open_envelope(raw: bytes, kind: str, keys: Mapping[str, Any]) -> tuple[bytes, str]:
    """The signed bytes of an envelope in its one form, and the id of the key that signed it.  Source: DSSE 1.0.2."""
    found = read_canonical(raw, "the envelope")
    if not has_form(found, {"payload": "", "payloadType": "", "signatures": [{"keyid": "", "sig": ""}]}):
        refuse("the envelope has other members than payload, payloadType and one signature")
    if found["payloadType"] != kind:
        refuse(f"the envelope holds {found['payloadType']!r}, not {kind}")
    payload = from_base64(found["payload"], "the payload")
    signature = from_base64(found["signatures"][0]["sig"], "the signature")
    name = found["signatures"][0]["keyid"]
    if name not in keys:
        refuse(f"the receipt names the key {name!r}, which is not among the keys that you trust")
    signed = b"DSSEv1 %d %b %d %b" % (len(kind), kind.encode(), len(payload), payload)
    try:
        public_key(keys[name]).verify(signature, signed)
    except InvalidSignature:
        refuse("the signature does not fit the receipt and the key")
    return payload, name


def trusted(keys: bytes, pinned: bytes | None = None) -> dict[str, Any]:
    """Keys by id: those of a JWK or a JWKS; with ``pinned`` only that one, and those to which it was rotated."""
    given = _keys(keys)
    if pinned is None:
        return given
    found = _keys(pinned)
    rotations = _read(keys).get("rotations", [])
    for _ in rotations:
        for each in rotations:
            signer = each["signatures"][0]["keyid"] if has_form(each, _ROTATION) else refuse("a rotation has no form")
            if signer in found:
                payload, _ = open_envelope(canonical(each), KEY_TYPE, found)
                key = read_canonical(payload, "the rotated key")
                public_key(key)
                found[thumbprint(key)] = key
    return found


_ROTATION: Final = {"payload": "", "payloadType": "", "signatures": [{"keyid": "", "sig": ""}]}


def _read(raw: bytes) -> dict[str, Any]:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        refuse("the file of keys is no JSON")
    return found if isinstance(found, dict) else refuse("the file of keys is no JSON object")


def _keys(raw: bytes) -> dict[str, Any]:
    found = _read(raw)
    listed = found.get("keys", [found])
    if not isinstance(listed, list):
        refuse("the file of keys has no list of keys")
    for each in listed:
        public_key(each)
    return {thumbprint(each): each for each in listed}


def members(text: str) -> dict[str, str]:
    """The members of a JSON object, each value as it is written."""
    found, end, decoder = dict[str, str](), 0, json.JSONDecoder()
    while text[end : end + 2] == ("," if found else "{") + '"':
        name, colon = scanstring(text, end + 2)
        if name in found or text[colon : colon + 1] != ":":
            break
        _, end = decoder.raw_decode(text, colon + 1)
        found[name] = text[colon + 1 : end]
    if text[end:] != "}":
        raise ValueError("it is not one JSON object without spaces, each name once")
    return found


def read_log(raw: bytes) -> tuple[list[dict[str, Any]], str, dict[str, str]]:
    """The lines of a log with a chain that holds; the last digest; the members of the first event as written."""
    if not raw.endswith(b"\n"):
        refuse("the log does not end with a whole line")
    lines, digest, opening = list[dict[str, Any]](), "", dict[str, str]()
    for place, each in enumerate(raw[:-1].split(b"\n"), 1):
        try:
            parts = members(each.decode())
            line = {name: json.loads(value) for name, value in parts.items()}
            digest = _chained(line, parts["event"], digest, place)
            opening = opening or members(parts["event"])
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            refuse(f"line {place} of the log cannot be read")
        lines.append(line)
    return lines, digest, opening


def _chained(line: Mapping[str, Any], payload: str, previous: str, place: int) -> str:
    """The digest of a line that follows ``previous``.  Source: docs/events.md, the chain."""
    if line["position"] != place:
        refuse(f"line {place} of the log has position {line['position']}")
    if "salt" in line:
        inner = hashlib.sha256(_unhex(line["salt"], 16) + payload.encode()).digest()
    else:
        inner = _unhex(line["payload_digest"], 32)
    header = [line[name] for name in ("debate", "position", "id", "at", "cause", "schema")]
    before = bytes.fromhex(previous) if previous else hashlib.sha256(line["debate"].encode()).digest()
    digest = hashlib.sha256(before + json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode() + inner)
    if digest.hexdigest() != line["digest"]:
        refuse(f"the chain of the log breaks at position {place}")
    return digest.hexdigest()


def _unhex(text: str, size: int) -> bytes:
    if len(text) != 2 * size or not _HEX.fullmatch(text):
        raise ValueError(text)
    return bytes.fromhex(text)


def shown(value: float, decimals: int = 2) -> str:
    """A figure as a receipt writes it."""
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


class LogScores:
    """The scores of all turns, from the entries of the log.  Source: docs/events.md, scores from the entries."""

    def __init__(self, rubric: Mapping[str, Any]) -> None:
        self.dimensions: Mapping[str, Any] = rubric["dimensions"]
        self.counting = [name for name, each in self.dimensions.items() if each.get("in_composite", True)]
        self.is_unscaled = rubric.get("base") == "components"
        self.sides: dict[int, str] = {}
        self.turns: dict[int, dict[str, float]] = {}
        """By turn and dimension."""
        self.admitted: dict[int, dict[str, float]] = {}
        self.components: dict[int, dict[str, float]] = {}

    def take(self, event: Mapping[str, Any]) -> None:
        """Take the next event."""
        kind, turn = event["type"], int(event.get("turn") or 0)
        if kind == "turn_started":
            self.sides.setdefault(event["turn"], event["side"])
        elif kind == "turn_scored":
            self.turns[turn], self.admitted[turn], self.components[turn] = {}, {}, {}
            if "dimensions" in event and "components" in event:
                self.admitted[turn] = {name: each["admitted"] for name, each in event["dimensions"].items()}
                self.turns[turn] = dict(self.admitted[turn])
                self.components[turn] = {name: each["admitted"] for name, each in event["components"].items()}
                self._check_sums(turn)
        elif kind == "turn_rescored" and turn in self.turns and "components" in event and "dimensions" in event:
            for name, each in event["dimensions"].items():
                if name in self.turns[turn]:
                    by = round(each["admitted"] - self.admitted[turn][name], 2)
                    self.turns[turn][name] = round(self.turns[turn][name] + by, 2)
                    self.admitted[turn][name] = each["admitted"]
            self.components[turn] |= {name: each["admitted"] for name, each in event["components"].items()}
        elif kind == "score_inferred" and turn in self.turns:
            self.turns[turn] |= event["dimensions"]
            self.admitted[turn] |= event["dimensions"]
            self.components[turn] |= event["components"]
        for each in event.get("changes", ()) if kind == "turn_rescored" else [event] if kind in CHANGES else ():
            values = self.turns.get(each["turn"], {})
            if each["dimension"] in values:
                values[each["dimension"]] = round(values[each["dimension"]] + each["applied"], 2)

    def _check_sums(self, turn: int) -> None:
        """Where components add up, the points of a dimension are the sum of those that apply."""
        for name, points in self.turns[turn].items() if self.is_unscaled else ():
            parts = [self.components[turn][part] for part in self._parts(name) if part in self.components[turn]]
            if shown(math.fsum(parts)) != shown(points):
                refuse(f"the points of turn {turn} for {name} are not the sum of its components")

    def composite(self, turn: int) -> float | None:
        """The points of a turn; None where a dimension that counts has no score."""
        values = self.turns[turn]
        return round(sum(values[name] for name in self.counting), 2) if values.keys() >= set(self.counting) else None

    def of(self, side: str) -> float | None:
        """The points of a side; None without a judged turn."""
        own, other = ([turn for turn in self.turns if self.sides[turn] == each] for each in (side, _other(side)))
        whole = [points for turn in own if (points := self.composite(turn)) is not None]
        if not whole:
            return None
        if not self.is_unscaled:
            return round(_mean(whole), 2)
        others_judged = any(self.composite(turn) is not None for turn in other)
        total = list[float]()
        for name in self.counting:
            changes, parts = list[float](), list[float]()
            for turn in own:
                if name in self.turns[turn]:
                    given = [self.components[turn][each] for each in self._parts(name) if each in self.components[turn]]
                    changes.append(self.turns[turn][name] - math.fsum(given))
            if not changes:
                return None
            for part in self._parts(name):
                ours, theirs = (self._given(turns, name, part) for turns in (own, other))
                if ours and (theirs or not others_judged):
                    parts.append(_mean(ours))
            total.append(math.fsum(parts) + _mean(changes))
        return round(math.fsum(total), 2)

    def _parts(self, dimension: str) -> Sequence[str]:
        return list(self.dimensions[dimension]["components"])

    def _given(self, turns: Sequence[int], dimension: str, part: str) -> list[float]:
        return [
            self.components[turn][part]
            for turn in turns
            if dimension in self.turns[turn] and part in self.components[turn]
        ]

    def stated(self) -> dict[str, Any]:
        """The scores as a receipt states them."""
        turns = list[dict[str, Any]]()
        for turn in sorted(self.turns):
            points = self.composite(turn)
            values = {name: shown(value) for name, value in self.turns[turn].items()}
            whole = {} if points is None else {"composite": shown(points)}
            turns.append({"turn": turn, "side": self.sides[turn], "dimensions": values, **whole})
        sides = {side: shown(points) for side in SIDES if (points := self.of(side)) is not None}
        return {"turns": turns, **sides}


def _other(side: str) -> str:
    return "con" if side == "pro" else "pro"


def _mean(values: Sequence[float]) -> float:
    """The mean, from sums in millionths, which are exact in any order."""
    return sum(round(each * 1_000_000) for each in values) / (len(values) * 1_000_000)


def predicate_of(lines: Sequence[Mapping[str, Any]], digest: str, opening: Mapping[str, str]) -> dict[str, Any]:
    """What a receipt of this log must state.  Source: docs/receipt.md."""
    events = [line["event"] for line in lines]
    opened, ends = events[0], [line for line in lines if line["event"]["type"] == "debate_concluded"]
    if opened["type"] != "debate_opened":
        refuse("the log does not begin with debate_opened")
    if not ends:
        refuse("the debate of the log has not ended")
    scores, verdicts = LogScores(opened["rubric"]), list[dict[str, Any]]()
    for line, event in zip(lines, events, strict=True):
        scores.take(event)
        if event["type"] == "scorecard_verdict_reached":
            _check_verdict(event, scores, opened)
        if event["type"] in VERDICTS:
            verdicts.append(_verdict(line["position"], event))
    _check_winner(ends[-1]["event"], events)
    return {
        "debate": lines[0]["debate"],
        "motion": opened["motion"],
        "format": opened["format"],
        "moot": opened["moot"],
        "opened_at": lines[0]["at"],
        "ended_at": ends[-1]["at"],
        "head": {"position": len(lines), "digest": digest},
        "outcome": {"winner": ends[-1]["event"]["winner"], "by_rule": ends[-1]["event"]["by_rule"]},
        "verdicts": verdicts,
        "scores": scores.stated(),
        "judge": _present(opened["judge"], "model", "samples", "baseline"),
        "panel": [_present(each, "name", "model") for each in opened["panel"]],
        "rubric": {
            **_present(opened["rubric"], "name", "version"),
            "sha256": hashlib.sha256(opening["rubric"].encode()).hexdigest(),
        },
        "prompts": {
            name: hashlib.sha256(each["text"].encode()).hexdigest() for name, each in opened["prompts"].items()
        },
        "speakers": [_speaker(side, opened[side], events) for side in SIDES],
        "answers": _counted(("purpose", "model"), "calls", events, "model_answered"),
        "cost": _cost(events),
        "missing": [each for line in lines for each in _missing(line["position"], line["event"])],
    }


def _present(value: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value[name] for name in names if name in value}


def _verdict(position: int, event: Mapping[str, Any]) -> dict[str, Any]:
    words, figures = VERDICTS[event["type"]]
    numbers = {name: shown(event[name], places) for name, places in figures.items() if _is_number(event.get(name))}
    mean = event["mean"] if event["type"] == "scorecard_verdict_reached" else {}
    sides = {side: shown(mean[side]) for side in SIDES if _is_number(mean.get(side))}
    return {"position": position, "type": event["type"], **_present(event, *words), **numbers, **sides}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _speaker(side: str, seat: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    spoken = [event for event in events if event["type"] == "turn_spoken" and event["side"] == side]
    turns = _counted(("by", "model"), "turns", [{"by": "model", **each} for each in spoken], "turn_spoken")
    return {"side": side, **_present(seat, "model", "speaker", "archetype"), "turns": turns}


def _counted(names: tuple[str, str], what: str, events: Sequence[Mapping[str, Any]], kind: str) -> list[dict[str, Any]]:
    """How many events have which values of two members, in the order of the values in UTF-8."""
    number = Counter(tuple(event[name] for name in names) for event in events if event["type"] == kind)
    ordered = sorted(number, key=lambda values: [each.encode() for each in values])
    return [{**dict(zip(names, values, strict=True)), what: number[values]} for values in ordered]


def _cost(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all calls together cost, answered and failed."""
    usd, found = 0.0, Counter[str](calls=0, failed=0, tokens=0, unpriced=0)
    for event in events:
        has_failed = event["type"] == "model_failed"
        if not has_failed and event["type"] != "model_answered":
            continue
        is_priced = _is_number(event["cost_usd"])
        usd = round(usd + event["cost_usd"], 6) if is_priced else usd
        found["calls"] += 1
        found["failed"] += has_failed and event["kind"] not in CUT_OFF
        found["unpriced"] += not is_priced or (has_failed and event.get("at_least") is True)
        found["tokens"] += event["usage"].get("input_tokens", 0) + event["usage"].get("output_tokens", 0)
    return {**found, "usd": shown(usd, 6)}


def _missing(position: int, event: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What has no value, and why."""
    begin = {"position": position, **_present(event, "type", "turn")}
    if "missing" in event:
        yield {**begin, "reason": event["missing"]["reason"]}
    for name, why in event.get("absent", {}).items() if event["type"] == "turn_scored" else ():
        yield {**begin, "part": name, "reason": why["reason"]}
    if event["type"] == "check_missing":
        yield {**begin, "part": event["purpose"], "reason": event["reason"]}


def _check_verdict(event: Mapping[str, Any], scores: LogScores, opened: Mapping[str, Any]) -> None:
    """Whether the verdict of the scores follows from the entries before it."""
    pro, con = (scores.of(side) for side in SIDES)
    for side, points in zip(SIDES, (pro, con), strict=True):
        said = event["mean"][side]
        if (shown(said) if _is_number(said) else None) != (None if points is None else shown(points)):
            refuse(f"the points of {side} do not follow from the entries of the log")
    allowed = {"neither"}
    if pro is not None and con is not None and _is_number(event["margin"]):
        allowed = _possible_winners(event, round(pro - con, 2), opened)
    if event["winner"] not in allowed:
        refuse("the winner by the scores does not follow from their lead")


def _possible_winners(event: Mapping[str, Any], ahead: float, opened: Mapping[str, Any]) -> set[str]:
    """Whom the rubric lets win with a lead, that of Pro less that of Con."""
    rubric = opened["rubric"]
    if shown(event["margin"]) != shown(abs(ahead)):
        refuse("the lead does not follow from the points of both sides")
    leader = "neither" if abs(ahead) <= rubric["tie_within"] else "pro" if ahead > 0 else "con"
    if "leaning" in event:
        if event["leaning"] != leader:
            refuse("the leaning does not follow from the points of both sides")
        if "certainty" in event:
            measured = opened.get("noise", {})
            rule = {name: measured.get(name, value) for name, value in rubric["certainty"].items()}
            _check_certainty(event, abs(ahead), rule)
        return {leader if event.get("certainty", 0) >= rubric["certainty"]["name_at"] else "neither"}
    is_within_noise = event["margin"] <= event.get("noise", -1) and rubric.get("lead_beyond_noise") is True
    if "baseline" in opened["judge"] or is_within_noise:
        return {"neither"}
    is_open = leader == "neither" and rubric.get("decided_by")
    return {*SIDES, "neither"} if is_open else {leader}  # another measure may decide a tie


def _check_certainty(event: Mapping[str, Any], lead: float, rule: Mapping[str, Any]) -> None:
    """Whether the certainty follows from the lead, its standard error and the number of pairs.

    The error has two decimals, so the certainty is between those of its ends.
    """
    half = 0.005
    found = list[float]()
    for error in (max(event["error"] - half, 1e-9), event["error"] + half):
        spread = math.sqrt(error**2 + error**4 / rule["prior_lead"] ** 2)
        freedom = rule["residual_weight"] + rule["pair_weight"] * event["pairs"]
        found.append(student(lead / spread, freedom))
    if not min(found) - 6e-5 <= event["certainty"] <= max(found) + 6e-5:
        refuse("the certainty does not follow from the lead and its standard error")


def student(t: float, freedom: float) -> float:
    """The probability that Student's t is at most ``t``, 0 or more, by Simpson's rule over the angle of t."""
    steps = 2000

    def area(end: float) -> float:
        heights: list[float] = [math.cos(step * end / steps) ** (freedom - 1) for step in range(steps + 1)]
        inner = 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2])
        return (heights[0] + inner + heights[-1]) * end / steps / 3

    return 0.5 + 0.5 * area(math.atan(t / math.sqrt(freedom))) / area(math.pi / 2)


def _check_winner(end: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> None:
    """Whether the end names the winner of the verdict by which it was decided."""
    deciding = {"scorecard": "scorecard_verdict_reached", "panel": "panel_concluded"}.get(end["by_rule"])
    found = [event["winner"] for event in events if event["type"] == deciding]
    if deciding is not None and (not found or found[-1] != end["winner"]):
        refuse(f"the end names another winner than {deciding}")


def difference(stated: Any, found: Any, at: str = "the statement") -> str:
    """The first place at which two values differ; empty if they are the same."""
    if isinstance(stated, dict) and isinstance(found, dict):
        if only := sorted(stated.keys() ^ found.keys()):
            return f"{at}.{only[0]}"
        pairs = [(f"{at}.{name}", stated[name], found[name]) for name in sorted(found)]
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        pairs = [(f"{at}[{place}]", *both) for place, both in enumerate(zip(stated, found, strict=True))]
    else:
        return "" if canonical(stated) == canonical(found) else at
    return next((place for name, one, two in pairs if (place := difference(one, two, name))), "")


def verify(receipt: bytes, log: bytes, keys: bytes, pinned: bytes | None = None) -> dict[str, Any]:
    """The statement of a receipt that holds.  Raises ``NotVerified``."""
    if not receipt.endswith(b"\n"):
        refuse("the receipt does not end with a whole line")
    payload, _ = open_envelope(receipt[:-1], PAYLOAD_TYPE, trusted(keys, pinned))
    statement: dict[str, Any] = read_canonical(payload, "the statement")
    digest = hashlib.sha256(log).hexdigest()
    subject = [{"name": "", "digest": {"sha256": ""}}]
    own = {name: statement[name] for name in ("predicate",) if name in statement}
    if not own or not has_form(statement, {"_type": "", "subject": subject, "predicateType": "", **own}):
        refuse("the statement has other members than those of a receipt")
    if (statement["_type"], statement["predicateType"]) != (STATEMENT, PREDICATE):
        refuse("the statement is no receipt of Moot")
    if statement["subject"][0]["digest"]["sha256"] != digest:
        refuse(f"the log is not the one of the receipt{_longer(statement['predicate'], log)}")
    lines, head, opening = read_log(log)
    name = f"{lines[0]['debate']}.ndjson"
    try:
        found = predicate_of(lines, head, opening)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
        refuse(f"the log lacks what a receipt states: {error!r}")
    if statement["subject"][0]["name"] != name:
        refuse("the receipt names another log")
    if place := difference(statement["predicate"], found):
        refuse(f"{place} does not follow from the log")
    return statement


def _longer(predicate: Any, log: bytes) -> str:
    """What helps if events were recorded after the receipt was made."""
    head = predicate.get("head") if isinstance(predicate, dict) else None
    stated, lines = head.get("position") if isinstance(head, dict) else None, log.count(b"\n")
    return f": it has {lines} lines, head -n {stated} are those of the receipt" if stated in range(1, lines) else ""


def printable(text: str) -> str:
    """A text for a terminal: signs that are not printable are escaped."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def summary(statement: Mapping[str, Any]) -> str:
    """What was verified, in words."""
    said = statement["predicate"]
    cost = f"{'at least ' if said['cost']['unpriced'] else ''}{said['cost']['usd']} USD"
    judge = said["judge"]["model"] or "no judge"
    lines = (
        f"verified: {said['motion']}",
        f"winner {said['outcome']['winner']}, by {said['outcome']['by_rule']}; judge {judge}; {cost}",
        f"{said['head']['position']} events, ended at {said['ended_at']}, head {said['head']['digest']}",
    )
    return "\n".join(map(printable, lines))


def main() -> int:
    """Verify the files that the arguments name."""
    parser = argparse.ArgumentParser(description="Verify a receipt of Moot against its log.")
    parser.add_argument("receipt", type=Path)
    parser.add_argument("log", type=Path, help="the log as NDJSON")
    parser.add_argument("keys", type=Path, help="the key, or all keys of the server, as JWK or JWKS")
    parser.add_argument("--pinned", type=Path, help="trust only this key, and those to which it was rotated")
    given = parser.parse_args()
    try:
        receipt, log, keys = (path.read_bytes() for path in (given.receipt, given.log, given.keys))
        pinned = given.pinned.read_bytes() if given.pinned else None
        sys.stdout.write(summary(verify(receipt, log, keys, pinned)) + "\n")
    except OSError as error:
        sys.stderr.write(f"cannot read {error.filename}: {error.strerror}\n")
        return UNREADABLE
    except NotVerified as error:
        sys.stderr.write(f"REFUSED: {printable(str(error))}\n")
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main())
