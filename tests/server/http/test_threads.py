"""What takes long for a large debate is computed beside the event loop: other requests are answered meanwhile."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import pytest

from server.export import archive, html
from server.http import exports
from server.http.people import commands
from tests.server.site import Site


@pytest.mark.parametrize(
    ("module", "name", "path", "body"),
    [
        (archive.views, "apply_all", "/export.html", None),
        (html, "offline", "/export.html", None),
        (exports, "as_markdown", "/export.md", None),
        (commands, "told", "/whatif", {"rubric": {"quote_minimum": 3}}),
    ],
)
def test_a_thread_computes_it(
    site: Site, script: Any, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, path: str, body: Any
) -> None:
    debate = site.open(script())
    site.ended(debate)
    made, threads = getattr(module, name), set[int]()

    def spy(*args: Any, **kwargs: Any) -> Any:
        threads.add(threading.get_ident())
        return made(*args, **kwargs)

    monkeypatch.setattr(module, name, spy)
    loop: Any = site.client.portal
    url = f"/api/debates/{debate}{path}"
    response = site.client.get(url) if body is None else site.client.post(url, json=body)

    assert 200 == response.status_code, response.text
    assert threads
    assert loop.call(threading.get_ident) not in threads


@pytest.mark.slow
def test_the_records_of_one_what_if_are_in_memory_at_a_time(
    site: Site, script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    debate = site.open(script())
    site.ended(debate)
    read, under_way, most = commands.records_of, 0, 0

    async def spy(*args: Any) -> Any:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await anyio.wait_all_tasks_blocked()
        records = await read(*args)
        under_way -= 1
        return records

    monkeypatch.setattr(commands, "records_of", spy)
    with ThreadPoolExecutor(4) as clients:
        body = {"rubric": {"quote_minimum": 3}}
        answers = list(clients.map(lambda _: site.client.post(f"/api/debates/{debate}/whatif", json=body), range(4)))

    assert [200] * 4 == [answer.status_code for answer in answers]
    assert 1 == most
