"""Webhooks: what receivers get, that nothing is lost, whom a hook may reach, and what stays private.

``standardwebhooks``, which nobody here wrote, checks the signatures.
"""

import base64
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

import anyio
import httpcore
import msgspec
import pytest
from standardwebhooks.webhooks import Webhook

from events.errors import StoreUnavailable
from events.store.log import EventLog
from events.store.memory import MemoryLog
from events.transfer import parse_lines
from events.types import ClaimFlagged, DebateConcluded, DebateHalted, DebateLabelled
from events.view import view as views
from providers.registry import Registry
from server.debate.moderators import Moderators
from server.debate.ownership import SOLE_OWNER
from server.errors import BadField, NotFound
from server.feed.hub import Hub
from server.hooks import deliveries, messages, network
from server.hooks.deliveries import WAITING, HookWatcher, Letter, Waiting, retry, states_of
from server.hooks.hook import Hook
from server.settings import load
from tests.events.samples import opened
from tests.server.site import Site, refused, serving

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
OTHER = "whsec_" + base64.b64encode(bytes(24)).decode()
HALTED = DebateHalted(reason="enough", by="operator")
GOLDEN = Path(__file__).parents[2] / "events/view/golden"


class Receiver:
    """An HTTP server on this machine; it answers with ``statuses`` in their order, then with 204."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.got: SimpleQueue[tuple[str, Mapping[str, str], bytes]] = SimpleQueue()

    def next(self) -> tuple[str, Mapping[str, str], Any]:
        """The next request: its path, its headers, and its body once ``standardwebhooks`` has verified it."""
        path, headers, body = self.got.get(timeout=60)
        return path, headers, Webhook(SECRET).verify(body.decode(), dict(headers))


@contextmanager
def receiving(*statuses: int) -> Iterator[tuple[Receiver, Hook]]:
    receiver = Receiver(*statuses)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.got.put((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(receiver.statuses.pop(0) if receiver.statuses else 204)
            self.send_header("location", "/elsewhere")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield (
                receiver,
                Hook(url=f"http://127.0.0.1:{server.server_port}/in", secret=f"{OTHER} {SECRET}", private=True),
            )
        finally:
            server.shutdown()


def test_a_receiver_gets_what_spectators_see_signed(script: Any) -> None:
    says = script(says={"pro": ["Trams carry people."], "con": ["No."]})
    with receiving() as (receiver, hook):
        for site in serving(hooks={"chat": hook}, public_url="https://moot.example/"):
            debate = site.open(says)
            site.ended(debate)
            got = [receiver.next()]
            while got[-1][2]["type"] != "debate.concluded":
                got.append(receiver.next())
            view = site.get(f"/api/debates/{debate}")
            (state,) = site.get("/api/hooks")["hooks"]

    path, headers, said = got[-1]
    assert ("/in", "application/json") == (path, headers["content-type"])
    assert 2 == len(headers["webhook-signature"].split())
    data = said["data"]
    assert f"https://moot.example/d/{debate}" == data["url"]
    assert (view["outcome"]["headline"], view["outcome"]["text"]) == (data["outcome"], data["text"])
    assert view["conclusion"] == {"winner": data["winner"], "by_rule": data["by_rule"]}
    assert headers["webhook-id"] == f"{debate}_{data['position']}_debate-concluded"
    assert "scripted" not in json.dumps([each for *_, each in got])
    assert ("chat", False, []) == (state["name"], state["stopped"], state["dead"])
    assert hook.url not in str(state)
    assert SECRET not in str(state)


def test_the_types_follow_from_the_log() -> None:
    """Of a golden log: one message for each flag and the end, and a lead only where a turn begins or at the end."""
    fold, led, found = views.INITIAL, "", []
    records = list(parse_lines((GOLDEN / "0.1-juries.ndjson").read_bytes().splitlines(keepends=True)))
    for record in records:
        fold = views.apply(fold, record)
        for kind in messages.found_in(led, record, fold):
            body = messages.body_of(kind, record, fold, "https://moot.example")
            found.append((record, kind, msgspec.json.decode(body)["data"]))
            led = messages.leader_of(fold.view) if kind == "lead.changed" else led

    flags = [each for each in records if isinstance(each.event, ClaimFlagged)]
    assert flags
    assert flags == [record for record, kind, _ in found if kind == "claim.flagged"]
    leads = [data["side"] for _, kind, data in found if kind == "lead.changed"]
    assert leads
    assert all(one != other for one, other in pairwise(leads))
    assert [leads[-1]] == [data["winner"] for _, kind, data in found if kind == "debate.concluded"]
    assert all(len(data.get("quote", "")) <= messages.MAX_QUOTE for *_, data in found)


class Sent:
    """In place of the network: statuses in order, then 200; ``None`` is no answer."""

    def __init__(self, *statuses: int | None) -> None:
        self.statuses, self.ids = list(statuses), list[str]()
        self.came = anyio.Event()

    async def __call__(self, _: Hook, headers: Mapping[str, str], __: bytes) -> int:
        self.ids.append(headers["webhook-id"])
        self.came.set()
        status = self.statuses.pop(0) if self.statuses else 200
        if status is None:
            raise network.NotDelivered("refused")
        return status


CHAT = {"chat": Hook(url="https://chat.example/in", secret=SECRET)}


@asynccontextmanager
async def watching(log: EventLog, post: Any, ownership: Any = SOLE_OWNER, waits: int = 3) -> AsyncIterator[HookWatcher]:
    watcher = HookWatcher(log, CHAT, "http://here", schedule=(0.0,) * waits, post=post, check_s=0.01)
    moderators = Moderators(log, Registry(), Hub(log), ownership=ownership, watchers=[watcher])
    async with anyio.create_task_group() as tasks:
        await tasks.start(watcher.run, moderators)
        yield watcher
        tasks.cancel_scope.cancel()


async def until(condition: Any) -> None:
    with anyio.fail_after(60):
        while not await condition():  # noqa: ASYNC110 - a note in the store wakes nobody
            await anyio.sleep(0.005)


async def nothing_waits(log: EventLog) -> None:
    async def is_empty() -> bool:
        return not await log.notes(WAITING)

    await until(is_empty)


@pytest.mark.anyio
async def test_a_killed_process_loses_nothing_and_the_id_stays() -> None:
    """The first process ends before the receiver has answered, the second one finds the rest in log and store."""
    async with MemoryLog() as log:
        await log.append("d1", 0, [opened()])
        down = Sent(*[None] * 1000)
        async with watching(log, down, waits=1000) as first:
            await first.watch("d1", 1)
            await log.append("d1", 1, [HALTED])
            with anyio.fail_after(60):
                await down.came.wait()
        await log.append("d1", 2, [DebateConcluded(winner="pro", by_rule="scorecard")])  # killed before it was read
        up = Sent()
        async with watching(log, up):
            await nothing_waits(log)

        assert {"d1_2_debate-halted"} == set(down.ids)
        assert ["d1_2_debate-halted", "d1_3_debate-concluded"] == sorted(up.ids)
        async with watching(log, up) as third:  # what was there before a debate is watched is not told
            await third.watch("d1", 3)
            await nothing_waits(log)
        assert 2 == len(up.ids)


@pytest.mark.anyio
async def test_only_2xx_is_a_success_and_a_dead_letter_can_be_tried_again() -> None:
    async with MemoryLog() as log:
        await log.append("d1", 0, [opened(), HALTED])
        post = Sent(302, 500, None)
        async with watching(log, post):
            await log.note(WAITING, "d1", b'{"position": 1}')
            await nothing_waits(log)
            (state,) = await states_of(log, CHAT)
            assert [(3, "refused")] == [(each.attempts, each.failed) for each in state.dead]
            assert 3 == len(post.ids)
            with pytest.raises(NotFound, match="the settings have no hook 'other'"):
                await retry(log, CHAT, "other")
            assert 1 == await retry(log, CHAT, "chat")

            async def is_told() -> bool:
                return len(post.ids) == 4

            await until(is_told)
            await nothing_waits(log)
            (state,) = await states_of(log, CHAT)
            assert () == state.waiting + state.dead
        assert 1 == len(set(post.ids))


@pytest.mark.anyio
async def test_410_stops_a_hook_until_an_operator_tries_again() -> None:
    async with MemoryLog() as log:
        await log.append("d1", 0, [opened()])
        post = Sent(410)
        async with watching(log, post) as watcher:
            await watcher.watch("d1", 1)
            await log.append("d1", 1, [HALTED, HALTED, HALTED])
            await nothing_waits(log)
            await watcher.watch("d1", 4)
            await log.append("d1", 4, [HALTED])
            await nothing_waits(log)
            (state,) = await states_of(log, CHAT)
            assert state.stopped
            assert {2, 3, 4} >= {each.position for each in state.dead} >= {2}
        assert "d1_5_debate-halted" not in post.ids


@pytest.mark.anyio
@pytest.mark.parametrize("label", [DebateLabelled(by="o", hidden=True), DebateLabelled(by="o", link="00" * 32)])
async def test_nothing_is_told_of_a_debate_that_spectators_do_not_find(label: DebateLabelled) -> None:
    """Also of what waits when the label comes, and of a debate that is deleted meanwhile."""
    async with MemoryLog() as log:
        await log.append("d1", 0, [opened(), label, HALTED])
        await log.append("d2", 0, [opened(), HALTED, label])
        await log.append("d3", 0, [opened(), HALTED])
        await log.delete("d3", 2, "taken back")
        await log.note(WAITING, "d1", b'{"position": 1}')
        for debate in ("d2", "d3"):
            letter = Letter(hook="chat", type="debate.halted", debate=debate, position=2)
            await log.note(WAITING, debate, msgspec.json.encode(Waiting(position=2, letters=(letter,))))
        post = Sent()
        async with watching(log, post):
            await nothing_waits(log)
        assert [] == post.ids


@pytest.mark.anyio
async def test_a_node_tells_nothing_of_another_nodes_debate_and_a_store_that_is_away_delays_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deliveries, "STORE_WAIT_S", 0.0)
    asked = anyio.Event()

    class OtherOwner:
        runs_what_is_open = True
        owns = False

        async def acquire(self, _: str) -> bool:
            asked.set()
            return self.owns

        def release(self, _: str) -> None:
            pass

        async def forward(self, *_: Any) -> int | None:
            return None

    class AwayLog(MemoryLog):
        fails = 2

        async def head(self, debate: str) -> int:
            self.fails -= 1
            if self.fails >= 0:
                raise StoreUnavailable("away")
            return await super().head(debate)

    async with AwayLog() as log:
        await log.append("d1", 0, [opened(), HALTED])
        await log.note(WAITING, "d1", b'{"position": 1}')
        post, owner = Sent(), OtherOwner()
        async with watching(log, post, owner):
            with anyio.fail_after(60):
                await asked.wait()
            assert [] == post.ids
            owner.owns = True  # the other node has left
            await nothing_waits(log)
        assert ["d1_2_debate-halted"] == post.ids


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "224.0.0.1",
        "255.255.255.255", "192.0.2.1", "::1", "::", "fe80::1%eth0", "fc00::1", "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
        "2001:0:53aa:64c::1", "2001:db8::1",
    ],
)  # fmt: skip
def test_addresses_inside_the_network_are_refused(address: str) -> None:
    assert not network.is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::", "64:ff9b::5db8:d822", "2002:5db8:d822::"])
def test_public_addresses_are_not(address: str) -> None:
    assert network.is_public(address)


@pytest.mark.anyio
async def test_a_name_that_leads_inside_is_refused_and_is_resolved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, connected = list[str](), list[str]()
    answers = [["93.184.216.34", "127.0.0.1"], ["93.184.216.34"], ["127.0.0.1"]]

    async def resolve(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        return [(2, 1, 6, "", (address, port)) for address in answers.pop(0)]

    async def connect(_: Any, host: str, *__: Any, **___: Any) -> Any:
        connected.append(host)
        raise httpcore.ConnectError("no network in a test")

    monkeypatch.setattr(network.anyio, "getaddrinfo", resolve)
    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect)
    hook = Hook(url="https://rebinding.example/in", secret=SECRET)
    with pytest.raises(network.NotDelivered, match=r"rebinding.example is 127.0.0.1, inside a network"):
        await network.post(hook, {}, b"")
    with pytest.raises(network.NotDelivered, match="no network"):
        await network.post(hook, {}, b"")
    assert (["rebinding.example"] * 2, ["93.184.216.34"]) == (asked, connected)


@pytest.mark.anyio
async def test_a_redirect_is_not_followed_and_loopback_needs_leave() -> None:
    with receiving(307) as (receiver, hook):
        assert 307 == await network.post(hook, hook.headers("m", 1, b"{}"), b"{}")
        assert "/in" == receiver.got.get(timeout=60)[0]
        assert receiver.got.empty()
        port = hook.url.split(":")[2]
        with pytest.raises(network.NotDelivered, match="inside a network"):
            await network.post(Hook(url=f"https://localhost:{port}", secret=SECRET), {}, b"")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"url": "http://chat.example"}, "url must begin with https:// unless private is true"),
        ({"url": "ftp://chat.example"}, "url must be https://HOST/"),
        ({"url": "https://user:pass@chat.example"}, "url must have no user"),
        ({"secret": "whsec_AAAA"}, "secret must be whsec_ and base64 of 24 to 64 bytes"),
        ({"secret": ""}, "secret is missing"),
        ({"events": ["turn.spoken"]}, "turn.spoken"),
    ],
)
def test_a_hook_that_cannot_work_is_refused_without_its_secret(
    fields: dict[str, Any], says: str, tmp_path: Path
) -> None:
    said = {"url": "https://chat.example/in", "secret": SECRET, **fields}
    with pytest.raises(BadField) as refusal:
        load({}, {"MOOT_HOOKS": json.dumps({"chat": said})}, tmp_path)
    assert "hooks.chat" == refusal.value.field
    assert says in str(refusal.value)
    assert SECRET not in str(refusal.value)
    (tmp_path / "moot.toml").write_text(f'[hooks.chat]\nurl = "https://chat.example"\nsecret = "{SECRET}"\n')
    assert "https://chat.example" == load({}, {}, tmp_path).hooks["chat"].url


def test_only_operators_see_hooks(guarded: Site) -> None:
    refused(guarded.client.get("/api/hooks"), 401)
    refused(guarded.client.post("/api/hooks/chat/retry"), 401)
    guarded.client.headers["authorization"] = "Bearer s3cret-0123456789"
    assert {"hooks": []} == guarded.get("/api/hooks")
    refused(guarded.client.post("/api/hooks/chat/retry"), 404, says="the settings have no hook 'chat'")
