"""The provider `person`: open requests, answers, cancellation, resignation, drafts, presence."""

import anyio
import pytest
from msgspec import Struct

from providers.base import Request
from providers.errors import Malformed, Resigned
from providers.registry import Registry
from server.people.names import is_person, seat_of
from server.people.provider import AWAY_S, People

pytestmark = pytest.mark.anyio


class Opinion(Struct):
    """A small typed answer."""

    winner: str


def request(key: str, *, turn: int = 1, limit_s: float | None = 60.0) -> Request:
    return Request(
        key=key, turn=turn, attempt=1, prompt=(), max_tokens=1, temperature=0.0, debate="d1", limit_s=limit_s
    )


async def test_a_speech_is_an_open_request_until_it_is_sent() -> None:
    people, heard = People(), list[str]()

    async def speak() -> None:
        async with people.stream("Ann", request("speak:pro")) as stream:
            heard.extend([piece async for piece in stream])
            assert stream.outcome.cost_usd == 0

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(speak)
        await anyio.wait_all_tasks_blocked()
        (asked,) = people.open_requests("d1", "pro")
        assert (asked.kind, asked.id, asked.schema) == ("speak", "speak:pro/1", None)
        assert people.open_requests("d1", "con") == ()
        assert people.open_requests("d2", "pro") == ()
        people.send(asked, "Streets are for people.")

    assert heard == ["Streets are for people."]
    assert people.open_requests("d1", "pro") == ()


async def test_a_question_is_answered_with_its_type() -> None:
    people, answers = People(), list[Opinion]()

    async def ask() -> None:
        answers.append((await people.answer("Ben", request("score:1"), Opinion)).value)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        (asked,) = people.open_requests("d1", "judge")
        assert asked.schema is not None
        assert list(asked.schema["properties"]) == ["winner"]
        with pytest.raises(Malformed):
            asked.check("pro")
        assert [(each.path, each.message) for each in asked.check("{}")] == [
            (("winner",), "This part of the answer is missing.")
        ]
        assert asked.check('{"winner": "pro"}') == ()
        people.send(asked, '{"winner": "pro"}')

    assert answers == [Opinion("pro")]


async def test_a_call_that_is_cancelled_leaves_nothing_open() -> None:
    people = People()

    with anyio.move_on_after(0):
        await people.answer("Ben", request("score:1"), Opinion)

    assert people.open_requests("d1", "judge") == ()


async def test_a_resignation_ends_what_is_open() -> None:
    people, errors = People(), list[Exception]()

    async def ask() -> None:
        try:
            await people.answer("Ben", request("panel:general@x"), Opinion)
        except Resigned as error:
            errors.append(error)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        people.resign("d1", "general")

    assert [error.kind for error in errors if isinstance(error, Resigned)] == ["resigned"]


async def test_only_the_newest_drafts_of_a_seat_are_kept_and_none_after_its_debate() -> None:
    people = People()

    for number in range(20):
        people.keep_draft("d1", "pro", f"speak:pro/{number}", f"draft {number}")

    assert people.draft("d1", "pro", "speak:pro/19") == "draft 19"
    assert people.draft("d1", "pro", "speak:pro/0") == ""
    assert people.draft("d1", "con", "speak:pro/19") == ""
    people.forget("d1")
    assert people.draft("d1", "pro", "speak:pro/19") == ""


async def test_a_page_that_is_not_heard_of_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    people = People()
    people.hear("d1", "pro")
    assert not people.is_away("d1", "pro")

    monkeypatch.setattr("server.people.provider.AWAY_S", -1.0)

    assert people.is_away("d1", "pro")
    assert AWAY_S > 0


async def test_the_registry_asks_people_without_a_queue_and_lists_none() -> None:
    registry, people = Registry([]), People()
    registry.add(people.name, lambda: people)

    status = await registry.check("person:Ann")
    async with registry.call("person:Ann", "d1") as call:
        found = call.provider, call.model

    assert status.ok
    assert found == (people, "Ann")
    assert registry.names == ()
    assert registry.loads() == ()
    assert await registry.default_model({}) == "embedded:smollm2"


@pytest.mark.parametrize(
    ("key", "seat"),
    [
        ("speak:con", "con"),
        ("panel:general", "general"),
        ("panel:sceptic@case", "sceptic"),
        ("compare:1-2", "judge"),
        ("deliberate:risk:2", "risk"),
    ],
)
def test_the_seat_of_a_question(key: str, seat: str) -> None:
    assert seat_of(key) == seat


def test_a_person_is_told_from_a_model() -> None:
    assert is_person("person:Ann")
    assert not is_person("embedded:smollm2")
