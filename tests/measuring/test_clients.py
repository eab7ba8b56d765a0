"""The processes of a fan-out, compiled and in Python."""

import math

import pytest

from tests.measuring import clients, fanout, served
from tests.measuring.clients import affordable_sockets, readers, sender
from tests.measuring.served import moot

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, bool]]:
    return "asyncio", {"use_uvloop": True}


@pytest.fixture(autouse=True, params=["compiled", "python"])
def processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "QUIET_S", 0.1)
    monkeypatch.setattr(fanout, "QUIET_S", 0.1)
    if request.param == "python":
        monkeypatch.setattr(clients, "COMPILER", None)
        monkeypatch.setattr(clients, "_compiled", {})
    elif clients.COMPILER is None:
        pytest.skip("NOT TESTED: no C compiler")


@pytest.mark.slow
async def test_a_fan_out_and_its_limit_are_measured() -> None:
    reached, limit, count = await fanout.fanout(quick=True, sockets=4, joined=3)

    assert count == 4
    assert all(math.isfinite(value) and value > 0 for value in (reached, limit))


@pytest.mark.slow
async def test_every_client_receives_what_is_expected() -> None:
    async with moot() as server, readers(server.port, 3, f"{server.path}?after=0", stalled=1) as watching:
        await watching.expect_position(2)
        assert (await watching.received()).gaps == 0
        head = await server.append(5)
        await watching.expect_position(head)
        received = await watching.received()
        assert received.half_ns <= received.most_ns <= received.last_ns
        await watching.resume_stalled()
        await watching.expect_position(head)

        assert (await watching.received()).gaps == 0


@pytest.mark.slow
async def test_the_limit_sends_the_given_number_of_messages() -> None:
    async with sender(2, 1000, 16) as (loop, reading):
        await reading.expect(32)
        spent_s = await loop.send(2)
        received = await reading.received()

    assert received.bytes == 2 * 2 * 16 * 1004
    assert spent_s > 0


def test_the_limit_of_open_files_is_respected() -> None:
    assert affordable_sockets(10) == 10
    assert affordable_sockets(10**9) < 10**9
