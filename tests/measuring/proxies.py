"""The proxies of ``deploy/`` in front of two nodes, with TLS: what clients see through them, also while a node ends.

``python -m tests.measuring.proxies nginx`` (or ``caddy``) takes a minute and prints what holds.  The proxy must be
installed, and ``openssl``.  The files of ``deploy/`` are used as they are, but for the ports and the certificate.
"""

import os
import re
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
import click
import httpx
import msgspec
from anyio import to_thread
from msgspec import Struct
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from tests.events.store.postgres_server import started
from tests.providers.scenarios.peers.peer import free_port
from tests.server.children import Cli, address_of

DEPLOY: Final = Path(__file__).parents[2] / "deploy"
NAME: Final = "moot.example.org"
TOKEN: Final = "s3cret-of-the-operators"
PASSWORD: Final = "n4tspassword"
WITHIN_S: Final = 40.0
SCRIPT: Final = {
    "label": "Test",
    "says": {"pro": ["Trams carry two hundred people each. " * 6], "con": ["Tracks cost more than buses. " * 6]},
    "pace": {"chunk_ms": 60, "chunk_chars": 6, "answer_ms": 60},
}


class Stand(Struct, kw_only=True):
    """The nodes and the proxy in front of them."""

    port: int
    plain: int
    """The port without TLS."""
    nodes: list[Any]
    addresses: list[str]
    start: Callable[[int], tuple[Any, str]]
    """Starts a node again, by its number."""
    certificate: Path
    folder: Path
    access_log: Path
    model: str

    @property
    def trust(self) -> ssl.SSLContext:
        """Trusts the proxy's certificate, and no other one."""
        return ssl.create_default_context(cafile=str(self.certificate))

    @asynccontextmanager
    async def client(self, address: str = "127.0.0.1", **headers: str) -> AsyncIterator[httpx.AsyncClient]:
        """A browser at an address of its own."""
        transport = httpx.AsyncHTTPTransport(verify=self.trust, local_address=address)
        host = f"{NAME}:{self.port}"
        async with httpx.AsyncClient(
            transport=transport,
            base_url=f"https://127.0.0.1:{self.port}",
            headers={"host": host, **headers},
            timeout=30,
        ) as made:
            made.event_hooks["request"].append(_as_named)
            yield made


async def _as_named(request: httpx.Request) -> None:
    """Ask for the certificate of the name, although the address is that of this machine."""
    request.extensions["sni_hostname"] = NAME


def certified(folder: Path) -> tuple[Path, Path]:
    """A certificate of the name, signed by itself, and its key."""
    certificate, key = folder / "fullchain.pem", folder / "privkey.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", str(key),
         "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


# the proxies


def nginx(folder: Path, ports: Sequence[int], nodes: Sequence[int], certificate: Path, key: Path) -> list[str]:
    """The command of nginx with our file, for other ports."""
    secure, plain = ports
    site = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    for before, after in (
        (r"127\.0\.0\.1:8484", f"127.0.0.1:{nodes[0]}"),
        (r"127\.0\.0\.1:8485", f"127.0.0.1:{nodes[1]}"),
        (r"listen 80;", f"listen 127.0.0.1:{plain};"),
        (r"listen 443 ", f"listen 127.0.0.1:{secure} "),
        (r" *listen \[::\].*\n", ""),
        (r"/etc/ssl/moot/fullchain\.pem", str(certificate)),
        (r"/etc/ssl/moot/privkey\.pem", str(key)),
        (r"/var/log/nginx/moot\.log", str(folder / "access.log")),
    ):
        site, changed = re.subn(before, after, site)
        assert changed, before
    (folder / "site.conf").write_text(site, encoding="utf-8")
    (folder / "nginx.conf").write_text(
        f"daemon off; user root; pid {folder}/pid; error_log {folder}/error.log; events {{ }}\n"
        f"http {{ include /etc/nginx/mime.types; access_log off; client_body_temp_path {folder}/body;\n"
        f"proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;\n"
        f"scgi_temp_path {folder}/s; include {folder}/site.conf; }}\n",
        encoding="utf-8",
    )
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def caddy(folder: Path, ports: Sequence[int], nodes: Sequence[int], certificate: Path, key: Path) -> list[str]:
    """The command of Caddy with our file, for other ports and with a certificate of ours."""
    secure, plain = ports
    site = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    for before, after in (
        (r"127\.0\.0\.1:8484 127\.0\.0\.1:8485", f"127.0.0.1:{nodes[0]} 127.0.0.1:{nodes[1]}"),
        (
            rf"^{re.escape(NAME)} {{$",
            f"{{\n\tadmin off\n\thttp_port {plain}\n\thttps_port {secure}\n}}\n{NAME} {{\n\ttls {certificate} {key}",
        ),
    ):  # fmt: skip
        site, changed = re.subn(before, after, site, flags=re.MULTILINE)
        assert changed, before
    (folder / "Caddyfile").write_text(site, encoding="utf-8")
    return ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


PROXIES: Final = {"nginx": nginx, "caddy": caddy}


@contextmanager
def child(command: Sequence[str], folder: Path, name: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends with the context; its output is in a file."""
    with (folder / f"{name}.log").open("wb") as log:
        made = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "HOME": str(folder), **environment})
        try:
            yield made
        finally:
            made.terminate()
            made.wait()


@contextmanager
def stand(proxy: str, ending: ExitStack) -> Iterator[Stand]:
    """PostgreSQL, NATS with the password of the compose file, two nodes, and the proxy."""
    folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="moot-proxy-")))
    (folder / "debate.json").write_bytes(msgspec.json.encode(SCRIPT))
    store = anyio.run(ending.enter_context(started()).database, "proxied")
    bus_port, *ports = free_port(), free_port(), free_port()
    nats = [str(Path(sys.executable).with_name("nats-server")), "-c", str(DEPLOY / "nats.conf"), "-p", str(bus_port)]
    ending.enter_context(child(nats, folder, "nats", NATS_PASSWORD=PASSWORD))
    numbers = [free_port(), free_port()]
    settings: dict[str, Any] = {
        "MOOT_STORE": store,
        "MOOT_BUS": f"nats://moot:{PASSWORD}@127.0.0.1:{bus_port}",
        "MOOT_TOKEN": TOKEN,
        "MOOT_HOSTS": NAME,
        "MOOT_LEASE_S": "3",
    }
    cli = Cli(folder)

    def start(number: int) -> tuple[Any, str]:
        process = cli.start("serve", "--port", str(numbers[number]), **settings)
        ending.callback(process.communicate)
        ending.callback(process.kill)
        return process, address_of(process)

    running = [start(number) for number in range(2)]
    certificate, key = certified(folder)
    ending.enter_context(child(PROXIES[proxy](folder, ports, numbers, certificate, key), folder, proxy))
    yield Stand(
        port=ports[0],
        plain=ports[1],
        nodes=[process for process, _ in running],
        addresses=[address for _, address in running],
        start=start,
        certificate=certificate,
        folder=folder,
        access_log=folder / "access.log",
        model=f"scripted:{folder}/debate.json",
    )


# what is tried


async def until(holds: Callable[[], Any]) -> None:
    with anyio.fail_after(WITHIN_S):
        while True:
            try:
                if await holds():
                    return
            except (httpx.TransportError, OSError):
                pass
            await anyio.sleep(0.1)


async def opened(client: httpx.AsyncClient, model: str, turns: int = 4, **more: Any) -> Any:
    seats = {role: {"model": model} for role in ("pro", "con", "judge")}
    body = {"motion": "Cities should build trams", "turns": turns, **seats, **more}
    response = await client.post("/api/debates", json=body, headers={"authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 201, response.text
    return response.json()


async def a_page_comes_over_tls(stand: Stand) -> str:
    """The page, its modules and HTTP/2; HTTP leads to HTTPS."""
    async with stand.client() as client:
        page = await client.get("/")
        module = await client.get("/static/home/home.js")
    assert (200, 200) == (page.status_code, module.status_code)
    assert "max-age" in page.headers["strict-transport-security"]
    assert "default-src 'none'" in page.headers["content-security-policy"]
    resolve = f"{NAME}:{stand.port}:127.0.0.1"
    asked = ["curl", "-s", "--http2", "--resolve", resolve, "--cacert", str(stand.certificate), "-o", "/dev/null"]
    asked += ["-w", "%{http_version} %{http_code}", f"https://{NAME}:{stand.port}/api/debates"]
    second = await to_thread.run_sync(partial(subprocess.run, asked, capture_output=True, text=True, check=True))
    assert second.stdout == "2 200", second.stdout
    async with httpx.AsyncClient() as plain:
        moved = await plain.get(f"http://127.0.0.1:{stand.plain}/d/x", headers={"host": NAME})
    assert moved.headers["location"] == f"https://{NAME}/d/x"
    return f"{moved.status_code} from HTTP, HTTP/2 to clients"


async def a_session_is_secure(stand: Stand) -> str:
    """The cookie is for TLS only and holds on both nodes; requests of other origins and names are refused."""
    async with stand.client() as client:
        refused = await client.post("/api/session", json={"token": TOKEN}, headers={"origin": "https://evil.example"})
        response = await client.post(
            "/api/session", json={"token": TOKEN}, headers={"origin": f"https://{NAME}:{stand.port}"}
        )
        assert (403, 200) == (refused.status_code, response.status_code)
        assert "Secure" in response.headers["set-cookie"]
        cookie = {"cookie": response.headers["set-cookie"].partition(";")[0]}
        roles = {(await client.get("/api/session", headers=cookie)).json()["role"] for _ in range(6)}
        names = [await client.get("/api/debates", headers={"host": host}) for host in ("evil.example", NAME)]
    assert roles == {"operator"}
    assert (names[0].status_code, names[0].content) in {(403, names[0].content), (200, b"")}, names[0].text
    assert names[1].is_success
    return f"Secure cookie on both nodes; another name: {names[0].status_code}, {len(names[0].content)} bytes"


async def addresses_are_those_of_clients(stand: Stand) -> str:
    """Each address has its own limit; a client cannot choose its address by a header."""
    statuses: dict[str, list[int]] = {}
    for address in ("127.0.0.7", "127.0.0.8"):
        async with stand.client(address) as client:
            for number in range(30):
                forged = {"x-forwarded-for": f"198.51.100.{number}", "forwarded": f"for=198.51.100.{number}"}
                response = await client.post("/api/session", json={"token": "wrong"}, headers=forged)
                statuses.setdefault(address, []).append(response.status_code)
    for found in statuses.values():
        assert 10 <= found.count(403) <= 20, found  # ten on each node
        assert found[-1] == 429
    return f"wrong tokens: {statuses['127.0.0.8'].count(403)} × 403 and then 429, for each of two addresses"


async def what_is_not_for_all_stays_inside(stand: Stand) -> str:
    """``/metrics`` and a large body."""
    async with stand.client() as client:
        status = (await client.get("/metrics")).status_code
        body = b'{"x": "' + b"y" * (8 << 20) + b'"}\n'
        sent = await client.post("/api/import", content=body, headers={"authorization": f"Bearer {TOKEN}"})
    assert status == 403
    assert sent.status_code == 422, sent.text[:200]
    return f"/metrics {status}; a log of 8 MB reaches a node"


async def watched(stand: Stand, debate: str, address: str) -> tuple[int, int, int]:
    """Watch a debate to its end, with new connections where one breaks: frames, deltas, connections."""
    position, frames, deltas, connections = 0, 0, 0, 0
    with anyio.fail_after(WITHIN_S):
        while True:
            try:
                after = f"?after={position}" if position else ""
                uri = f"wss://{NAME}:{stand.port}/ws/debates/{debate}{after}"
                async with connect(
                    uri, host="127.0.0.1", port=stand.port, ssl=stand.trust, local_addr=(address, 0), proxy=None,
                    subprotocols=[Subprotocol("moot.v1")], max_size=None,
                ) as opened_socket:  # fmt: skip
                    connections += 1
                    async for message in opened_socket:
                        said = msgspec.json.decode(message)
                        deltas += said["kind"] == "delta"
                        if said["kind"] in {"snapshot", "frame"}:
                            assert said["kind"] == "snapshot" or said["position"] == position + 1 or not position
                            frames, position = frames + 1, said["position"]
                            ended = (said.get("view") or said.get("patch") or {}).get("state")
                            if ended in {"concluded", "halted"}:
                                assert ended == "concluded"
                                return frames, deltas, connections
            except (OSError, WebSocketException):
                pass
            await anyio.sleep(0.1)


async def spectators_of_both_nodes_see_the_words(stand: Stand) -> str:
    """Eight sockets, some on the node that does not run the debate: its words come over NATS."""
    found: list[tuple[int, int, int]] = []

    async def watch(number: int) -> None:
        found.append(await watched(stand, debate, f"127.0.0.{20 + number}"))

    async with stand.client() as client:
        debate = (await opened(client, stand.model))["id"]
        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(watch, number)
        counts = []
        for address in stand.addresses:
            text = (await httpx.AsyncClient().get(f"{address}/metrics")).text
            counts.append(int(float(re.findall(r"^moot_spectators_joined_total (\S+)$", text, re.MULTILINE)[0])))
            assert "moot_bus_up 1.0" in text
    assert all(deltas > 20 for _, deltas, _ in found), found
    assert min(counts) > 0, counts
    return f"8 sockets, {counts[0]} and {counts[1]} on the nodes, each got {min(d for _, d, _ in found)} pieces or more"


async def a_node_may_be_killed(stand: Stand) -> str:
    """Requests go on, sockets come back, the other node ends the debate; then the node is there again."""
    async with stand.client() as client:
        debates = [(await opened(client, stand.model, turns=4))["id"] for _ in range(4)]
        found: list[tuple[int, int, int]] = []

        async def watch(debate: str, number: int) -> None:
            found.append(await watched(stand, debate, f"127.0.0.{40 + number}"))

        statuses: list[int] = []
        async with anyio.create_task_group() as tasks:
            for number, debate in enumerate(debates):
                tasks.start_soon(watch, debate, number)
            await anyio.sleep(1)
            stand.nodes[0].kill()
            began = time.monotonic()
            while time.monotonic() - began < 5:
                statuses.append((await client.get("/api/debates")).status_code)
                await anyio.sleep(0.02)
        stand.nodes[0], _ = await to_thread.run_sync(stand.start, 0)

        async def both() -> bool:
            async with httpx.AsyncClient() as direct:
                return all([(await direct.get(f"{each}/readyz")).is_success for each in stand.addresses])

        await until(both)
    assert set(statuses) == {200}, statuses
    assert max(connections for *_, connections in found) > 1
    most = max(connections for *_, connections in found)
    return f"{len(statuses)} requests, all 200; 4 debates concluded; sockets connected up to {most} times"


async def the_proxys_log_holds_no_secret(stand: Stand) -> str:
    """A seat's address and the token of a link are not in the log of nginx; Caddy logs only if it is told to."""
    async with stand.client() as client:
        mine = await opened(client, stand.model, turns=2, pro={"person": "Ann"})
        seat = mine["links"]["pro"]
        bearer = {"authorization": f"Bearer {TOKEN}"}
        hidden = await client.post(f"/api/debates/{mine['id']}/labels", json={"unlisted": True}, headers=bearer)
        token = (
            re.findall(r"[?&]link=([\w-]+)", hidden.json()["link"])[0]
            if "link=" in hidden.json()["link"]
            else hidden.json()["link"]
        )
        assert (await client.get(seat)).status_code == 200
        assert (await client.get(f"/api/seats/{seat.rpartition('/')[2]}")).status_code == 200
        assert (await client.get(f"/d/{mine['id']}?link={token}")).status_code == 200
    await anyio.sleep(0.5)
    if not stand.access_log.exists():
        return "no log"
    log = stand.access_log.read_text(encoding="utf-8", errors="replace")
    assert log
    assert seat.rpartition("/")[2] not in log, "the log has the address of a seat"
    assert token not in log, "the log has the token of a link"
    return f"{len(log.splitlines())} lines, no secret"


TRIED: Final = (
    a_page_comes_over_tls,
    a_session_is_secure,
    addresses_are_those_of_clients,
    what_is_not_for_all_stays_inside,
    spectators_of_both_nodes_see_the_words,
    a_node_may_be_killed,
    the_proxys_log_holds_no_secret,
)


@click.command
@click.argument("proxy", type=click.Choice([*PROXIES]))
def main(proxy: str) -> None:
    """Try everything, and print what holds."""
    failed = 0
    with ExitStack() as ending, stand(proxy, ending) as made:

        async def there() -> None:
            async def answers() -> bool:
                async with made.client() as client:
                    return (await client.get("/readyz")).is_success

            await until(answers)

        anyio.run(there)
        for each in TRIED:
            name = each.__name__.replace("_", " ")
            try:
                click.echo(f"  {name}: {anyio.run(each, made)}")
            except Exception as error:  # noqa: BLE001 - the others are tried too
                failed += 1
                click.echo(f"! {name}: {type(error).__name__} {error}"[:600])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
