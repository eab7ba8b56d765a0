"""Every error has an HTTP status, a code and an exit code; all nodes report it in the same way."""

import ast
import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from events.errors import BrokenChain, LogError, StoreUnavailable, UnknownDebate
from judge.errors import JudgeError, RubricError
from personalities.traits import PersonalityError
from providers.errors import NotAuthorised, ProviderError, RateLimited
from server.debate.commands import Rejected, as_error, decode_result, encode, rejection
from server.errors import (
    ERROR_CLASSES,
    EXPECTED,
    BadField,
    BadQuery,
    Draining,
    HttpRefusal,
    MootError,
    NotFound,
    ReportedError,
    TooMany,
    error_body,
    report_of,
)
from server.http.access import error_response

ROOT = Path(__file__).parents[2]
PACKAGES = ("events", "providers", "judge", "personalities", "server", "web")
CAUGHT = {"AddressRefused", "BadCaseFile", "ChildEnded", "NotDelivered", "NotVerified", "Unreadable"}
"""Exceptions that their own module catches: they are never reported."""


@pytest.fixture(scope="module")
def ours() -> list[type[Exception]]:
    """Every class of exceptions that the packages define."""
    found: dict[type[Exception], None] = {}
    for name in PACKAGES:
        package = import_module(name)
        for each in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not each.name.endswith(".__main__"):
                members = vars(import_module(each.name)).values()
                found |= dict.fromkeys(kind for kind in members if is_error(kind, each.name))
    return list(found)


def is_error(kind: object, module: str) -> bool:
    return inspect.isclass(kind) and issubclass(kind, Exception) and kind.__module__ == module


def test_every_class_of_errors_has_its_rows(ours: list[type[Exception]]) -> None:
    public = [kind for kind in ours if issubclass(kind, EXPECTED) and not kind.__name__.startswith("_")]
    without = [kind for kind in public if not issubclass(kind, ReportedError)]

    assert len(without) > 45
    assert [] == [kind for kind in without if kind not in ERROR_CLASSES]


def test_every_error_that_a_person_is_told_grows_on_one_of_the_trees(ours: list[type[Exception]]) -> None:
    assert CAUGHT == {kind.__name__ for kind in ours if not issubclass(kind, EXPECTED)}


def test_no_class_of_errors_says_itself_how_it_is_told(ours: list[type[Exception]]) -> None:
    said = {"status", "code", "exit_code"}

    assert [] == [kind for kind in ours if said & vars(kind).keys()]


@pytest.mark.slow
def test_no_attribute_of_an_error_is_guessed_above_the_providers() -> None:
    guessed = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for name in ("judge", "personalities", "server")
        for path in (ROOT / name).rglob("*.py")
        for node in guesses(path)
    ]

    assert [] == guessed


def guesses(path: Path) -> Iterator[ast.Call]:
    """Calls like ``getattr(error, "status", 500)``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id="error" | "cause"), *_]):
                yield node


class QuotaOfTheirs(RateLimited):
    """An error of a provider in another package."""

    status, code, exit_code = 999, "theirs", 9


def test_an_error_of_another_house_is_told_as_its_nearest_base() -> None:
    found = report_of(QuotaOfTheirs("no more today", retry_after_s=7.5))

    assert (429, "provider_error", 1, 7.5) == (found.status, found.code, found.exit_code, found.retry_after_s)
    assert "7" == error_response(QuotaOfTheirs("no more today", retry_after_s=7.5)).headers["retry-after"]


def test_what_is_no_error_of_ours_is_a_bug() -> None:
    found = report_of(ZeroDivisionError("inside"))

    assert (500, "error", 1, None) == (found.status, found.code, found.exit_code, found.field)


@pytest.mark.parametrize(
    ("error", "status", "code", "exit_code", "field"),
    [
        (MootError("no"), 500, "error", 1, None), (BadField("pro.model", "no"), 422, "bad_field", 2, "pro.model"),
        (BadQuery("no", field="at"), 400, "bad_request", 2, "at"), (NotFound("no"), 404, "not_found", 3, None),
        (HttpRefusal(405, "no"), 405, "method_not_allowed", 1, None),
        (RubricError("gaps", "no"), 422, "bad_rubric", 2, "gaps"),
        (RubricError("", "no"), 422, "bad_rubric", 2, "rubric"),
        (JudgeError("no"), 500, "judge_error", 1, None),
        (PersonalityError("traits.wit", "no"), 422, "bad_personality", 2, "traits.wit"),
        (LogError("no"), 500, "log_error", 1, None), (UnknownDebate("d"), 404, "unknown_debate", 3, None),
        (BrokenChain("d", 3, "no"), 422, "broken_chain", 4, None),
        (StoreUnavailable("no"), 503, "store_unavailable", 1, None),
        (ProviderError("no"), 502, "provider_error", 1, None), (NotAuthorised("no"), 401, "provider_error", 1, None),
        (TooMany("no", retry_after_s=60), 429, "too_many", 1, None), (Draining(), 503, "leaving", 1, None),
    ],
)  # fmt: skip
def test_an_error_is_told_alike_here_and_through_another_node(
    error: Exception, status: int, code: str, exit_code: int, field: str | None
) -> None:
    sent = decode_result(encode(rejection(error)))
    assert isinstance(sent, Rejected)
    there = as_error(sent)
    found = there.report

    assert (status, code, exit_code, field) == (found.status, found.code, found.exit_code, found.field)
    assert error_body(error) == error_body(there)
    assert error_response(error).body == error_response(there).body
    assert error_response(error).raw_headers == error_response(there).raw_headers
    assert exit_code == report_of(error).exit_code
    assert rejection(error) == rejection(there)
