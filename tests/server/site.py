"""The HTTP application with a real service, in this process."""

from collections.abc import Iterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from server.http.access import Access
from server.http.app import make_app
from server.service import running
from server.settings import Settings

MOTION = "Cities should ban cars"


class Site:
    """A server in this process, with a client like a browser on this machine."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def open(self, model: str, **request: Any) -> str:
        seats = {role: {"model": model} for role in ("pro", "con", "judge")}
        response = self.client.post("/api/debates", json={"motion": MOTION, "turns": 2, **seats, **request})

        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    def watch(self, debate: str, *types: str) -> dict[str, Any]:
        """The first event of one of these types, received through the socket."""
        here = {"host": "127.0.0.1"}
        with self.client.websocket_connect(f"/ws/debates/{debate}", headers=here) as socket:
            seen = 0
            while True:
                said = socket.receive_json()
                if said["kind"] == "snapshot":
                    seen = said["position"]
                    page = self.client.get(f"/api/debates/{debate}/frames", params={"limit": 1000}).json()
                    for frame in page["frames"]:
                        if frame["position"] <= seen and frame["event"]["type"] in types:
                            return dict(frame["event"])
                elif said["kind"] == "frame" and said["event"]["type"] in types:
                    return dict(said["event"])

    def ended(self, debate: str) -> dict[str, Any]:
        return self.watch(debate, "debate_concluded", "debate_halted")

    def get(self, path: str) -> Any:
        response = self.client.get(path)

        assert response.status_code == 200, response.text
        return response.json()


def _hosts(host: str = "127.0.0.1", **_: Any) -> str:
    return "" if host == "127.0.0.1" else "moot.example"


def serving(**settings: Any) -> Iterator[Site]:
    chosen = Settings(retry_ms=0, tick_ms=0, **{"store": "memory:", "hosts": _hosts(**settings), **settings})
    holder: dict[str, Any] = {}

    @asynccontextmanager
    async def lifespan(_: Starlette) -> Any:
        async with running(chosen) as service:
            holder["app"] = make_app(service, Access(chosen))
            holder["service"] = service
            yield

    outer = Starlette(lifespan=lifespan)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await (outer if scope["type"] == "lifespan" else holder["app"])(scope, receive, send)

    host = "127.0.0.1" if chosen.is_loopback else "moot.example"
    with TestClient(app, base_url=f"http://{host}", raise_server_exceptions=False) as client:
        site = Site(client)
        site.service = holder["service"]  # type: ignore[attr-defined]
        site.state = holder["app"].state  # type: ignore[attr-defined]
        yield site


def from_address(site: Site, address: str, path: str) -> Any:
    """The answer to a GET of a client with this address."""
    client = TestClient(site.client.app, base_url=site.client.base_url, client=(address, 50000))
    return client.get(path, headers=site.client.headers)


def refused(response: Any, status: int, field: str | None = None, says: str = "") -> dict[str, Any]:
    """Check the body of an error."""
    assert status == response.status_code, response.text
    assert {"error"} == response.json().keys()
    error = response.json()["error"]
    assert {"code", "message", "field"} == error.keys()
    assert field == error["field"]
    assert says in error["message"]
    assert error["code"]
    assert "\n" not in error["message"]
    assert "Traceback" not in response.text
    assert "default-src 'none'" in response.headers["content-security-policy"]
    return dict(error)
