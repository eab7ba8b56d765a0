"""Cases in a folder: JSON files, and exported protocol debates, each with a file that names the right outcome.

Every fault of every file is reported before anything is run.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from events.errors import LogError
from events.misfits import misfit_words
from events.transfer import parse_lines, read_lines
from events.types import Argument, ArgumentsOpened, DebateOpened, Side, Winner
from server.debate.formats.calibration.cases import CaseId, CaseRequest, faults
from server.errors import BadField

T = TypeVar("T")
TRUTH: Final = ".truth.json"
LARGEST: Final = 1 << 20
"""Bytes of a case's file."""
EXAMPLE: Final = (
    '{"motion": "…", "pro": [{"claim": "…", "reasoning": "…", "evidence": "…"}], "con": [{…}], '
    '"winner": "pro|con|neither", "source": "who says so"}'
)


class _Argument(Struct, forbid_unknown_fields=True):
    claim: str
    reasoning: str
    evidence: str
    id: str = ""


class _Case(Struct, forbid_unknown_fields=True):
    motion: str
    pro: list[_Argument]
    con: list[_Argument]
    winner: Winner
    source: str
    id: CaseId | None = None


class _Truth(Struct, forbid_unknown_fields=True):
    winner: Winner
    source: str


class BadCaseFile(Exception):
    """A file that holds no valid case.  ``faults`` are pairs of a field, empty for the whole file, and a message."""

    def __init__(self, path: Path, *faults: tuple[str, str]) -> None:
        self.path, self.faults = path, faults
        super().__init__("; ".join(_sentences(path, faults)))


def read_cases(folder: Path) -> list[CaseRequest]:
    """The cases of a folder, by file name.  Raises ``BadField`` naming every fault of every file."""
    paths = [path for path in sorted(folder.iterdir()) if path.is_file()]
    found: dict[str, CaseRequest] = {}
    wrong: list[str] = []
    for path in paths:
        try:
            case = _case_in(path)
        except BadCaseFile as error:
            wrong += _sentences(path, error.faults)
            continue
        if case is None:
            continue
        wrong += _sentences(path, faults(case))
        if case.id in found:
            wrong += _sentences(path, [("id", f"another case has the id {case.id!r}")])
        found[case.id] = case
    if wrong:
        count = "1 fault" if len(wrong) == 1 else f"{len(wrong)} faults"
        shown = "".join(f"\n  {each}" for each in wrong)
        raise BadField("cases", f"nothing was run: {count} in the cases of {folder}{shown}")
    if not found:
        raise BadField("cases", f"there are no cases in {folder}: a case is a .json file like {EXAMPLE}")
    return list(found.values())


def _sentences(path: Path, wrong: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{path.name}: {field}{': ' if field else ''}{why}" for field, why in wrong]


def _case_in(path: Path) -> CaseRequest | None:
    """The case in a file; None for a file of another kind."""
    if path.name.endswith(TRUTH):
        export = path.with_name(f"{path.name.removesuffix(TRUTH)}.ndjson")
        if not export.is_file():
            raise BadCaseFile(path, ("", f"the folder has no {export.name}"))
        return None
    if path.suffix == ".json":
        return _from_json(path)
    return _from_export(path) if path.suffix == ".ndjson" else None


def _from_json(path: Path) -> CaseRequest:
    case = _decoded(path, _Case)
    identity = path.stem if case.id is None else case.id
    return _case_request(path, identity, case.motion, {"pro": case.pro, "con": case.con}, case.winner, case.source)


def _from_export(path: Path) -> CaseRequest:
    truth_path = path.with_name(f"{path.stem}{TRUTH}")
    if not truth_path.is_file():
        raise BadCaseFile(path, ("", f"the folder has no {truth_path.name}, which names the right outcome"))
    truth = _decoded(truth_path, _Truth)
    try:
        with path.open("rb") as file:
            records = parse_lines(read_lines(file))
    except (LogError, OSError) as error:
        raise BadCaseFile(path, ("", str(error))) from error
    opened = records[0].event
    assert isinstance(opened, DebateOpened), "an export begins with debate_opened"
    if opened.format != "protocol":
        raise BadCaseFile(path, ("", f"its format is {opened.format}, and only a protocol has arguments"))
    arguments: dict[Side, list[_Argument]] = {"pro": [], "con": []}
    for record in records:
        if isinstance(event := record.event, ArgumentsOpened):
            arguments[event.side] = [
                _Argument(each.claim, each.reasoning, each.evidence, each.id) for each in event.arguments
            ]
    return _case_request(path, path.stem, opened.motion, arguments, truth.winner, truth.source)


def _case_request(
    path: Path, identity: str, motion: str, arguments: dict[Side, list[_Argument]], winner: Winner, source: str
) -> CaseRequest:
    numbered = {
        side: [
            Argument(**msgspec.structs.asdict(each) | {"id": each.id or f"{side.upper()}-{number}"})
            for number, each in enumerate(given, 1)
        ]
        for side, given in arguments.items()
    }
    try:
        return CaseRequest(
            id=msgspec.convert(identity, CaseId),
            motion=motion,
            pro=numbered["pro"],
            con=numbered["con"],
            truth=winner,
            source=source,
        )
    except msgspec.ValidationError as error:
        raise BadCaseFile(
            path, ("id", f"{misfit_words(error)}: it comes from the file's name unless the case has one")
        ) from error


def _decoded(path: Path, kind: type[T]) -> T:
    try:
        if path.stat().st_size > LARGEST:
            raise BadCaseFile(path, ("", f"a case has at most {LARGEST:,} bytes"))
        value = msgspec.json.decode(path.read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadCaseFile(path, ("", f"it is not JSON: {error}")) from error
    except OSError as error:
        raise BadCaseFile(path, ("", f"it cannot be read: {error.strerror}")) from error
    if wrong := list(_type_faults(value, kind)):
        raise BadCaseFile(path, *wrong)
    return msgspec.convert(value, kind)


def _type_faults(value: Any, kind: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every field that does not fit ``kind``; msgspec itself reports only the first."""
    if not isinstance(value, dict):
        yield path, "it must be a JSON object"
        return
    fields = {each.name: each for each in msgspec.structs.fields(kind)}
    dot = "." if path else ""
    for name in sorted(value.keys() - fields.keys()):
        yield f"{path}{dot}{name}", f"no such field: there are {', '.join(fields)}"
    for name, field in fields.items():
        here = f"{path}{dot}{name}"
        if name not in value:
            if field.required:
                yield here, "it is missing"
        elif field.type == list[_Argument] and isinstance(value[name], list):
            for number, each in enumerate(value[name]):
                yield from _type_faults(each, _Argument, f"{here}.{number}")
        else:
            try:
                msgspec.convert(value[name], field.type)
            except msgspec.ValidationError as error:
                yield here, misfit_words(error)
