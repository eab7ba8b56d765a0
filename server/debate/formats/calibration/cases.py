"""Cases: debates whose outcome is known, as requests and as a calibration holds them."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from events.types import SIDES, Argument, Case, Side, Winner
from server.debate.opening.request import MAX_MOTION
from server.debate.speech import clean
from server.errors import BadField

MAX_TEXT: Final = 4000
"""Characters of a claim, of its reasoning, and of its evidence."""
MAX_ARGUMENTS: Final = 9
MAX_TOTAL: Final = 4_000_000
"""Characters of all cases together: the event that holds them is one line of an export."""
CaseId = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f/@]+$")]


class CaseRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A case in a request.  ``source`` names who knows the outcome."""

    id: CaseId
    motion: str
    pro: list[Argument]
    con: list[Argument]
    truth: Winner
    source: str


def cases_of(requests: Sequence[CaseRequest]) -> tuple[Case, ...]:
    """The cases, each with its digest.  Raises ``BadField`` for the first fault, such as ``cases.0.motion``."""
    for number, request in enumerate(requests):
        for field, message in faults(request):
            raise BadField(f"cases.{number}.{field}", message)
    cases = tuple(_case(request) for request in requests)
    by_id: dict[str, Case] = {}
    by_digest: dict[str, Case] = {}
    for number, case in enumerate(cases):
        if case.id in by_id:
            raise BadField(f"cases.{number}.id", f"{case.id!r} is the id of another case too")
        if case.digest in by_digest:
            raise BadField(f"cases.{number}", f"{case.id!r} is the same case as {by_digest[case.digest].id!r}")
        by_id[case.id] = by_digest[case.digest] = case
    if (length := sum(len(text) for case in cases for text in _texts(case))) > MAX_TOTAL:
        raise BadField("cases", f"all cases together have at most {MAX_TOTAL:,} characters, these have {length:,}")
    return cases


def faults(request: CaseRequest) -> Iterator[tuple[str, str]]:
    """The faults of a case as (field, sentence)."""
    motion, source = clean(request.motion).strip(), clean(request.source).strip()
    if not 1 <= len(motion) <= MAX_MOTION:
        yield "motion", f"a motion has 1 to {MAX_MOTION} characters, this one has {len(motion)}"
    if not 1 <= len(source) <= MAX_MOTION:
        yield "source", f"say in 1 to {MAX_MOTION} characters who knows the outcome"
    for side in SIDES:
        yield from _faults_of(side, request.pro if side == "pro" else request.con)


def _faults_of(side: Side, arguments: Sequence[Argument]) -> Iterator[tuple[str, str]]:
    if not 1 <= len(arguments) <= MAX_ARGUMENTS:
        yield side, f"a side has 1 to {MAX_ARGUMENTS} arguments, this one has {len(arguments)}"
    seen: set[str] = set()
    for number, each in enumerate(arguments):
        if not re.fullmatch(rf"{side.upper()}-[1-9][0-9]?", each.id):
            yield f"{side}.{number}.id", f"{each.id[:40]!r} is no id of this side: {side.upper()}-1, {side.upper()}-2"
        elif each.id in seen:
            yield f"{side}.{number}.id", f"{each.id} stands there twice"
        seen.add(each.id)
        for name in ("claim", "reasoning", "evidence"):
            text = clean(getattr(each, name)).strip()
            if len(text) > MAX_TEXT or (name == "claim" and not text):
                least = 1 if name == "claim" else 0
                yield f"{side}.{number}.{name}", f"it has {least} to {MAX_TEXT} characters, this one has {len(text)}"


def _case(request: CaseRequest) -> Case:
    """The case with its digest.

    The digest covers what raters are asked, and not the outcome: so a corrected outcome replaces the old one.
    """
    motion, pro, con = clean(request.motion).strip(), _cleaned(request.pro), _cleaned(request.con)
    return Case(
        id=request.id,
        motion=motion,
        pro=pro,
        con=con,
        truth=request.truth,
        source=clean(request.source).strip(),
        digest=hashlib.sha256(msgspec.json.encode([motion, pro, con])).hexdigest(),
    )


def _cleaned(arguments: Sequence[Argument]) -> tuple[Argument, ...]:
    return tuple(
        Argument(
            id=each.id,
            claim=clean(each.claim).strip(),
            reasoning=clean(each.reasoning).strip(),
            evidence=clean(each.evidence).strip(),
        )
        for each in arguments
    )


def _texts(case: Case) -> Iterator[str]:
    yield case.motion
    for each in (*case.pro, *case.con):
        yield from (each.claim, each.reasoning, each.evidence)
