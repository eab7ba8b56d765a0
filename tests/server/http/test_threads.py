"""What takes long for a large debate is computed beside the event loop: other requests are answered meanwhile."""

import threading
from typing import Any

import pytest

from server.export import archive
from server.http import commands, exports
from tests.server.site import Site


@pytest.mark.parametrize(
    ("module", "name", "path", "body"),
    [
        (archive, "_archive", "/export.html", None),
        (exports, "html_export", "/export.html", None),
        (exports, "as_markdown", "/export.md", None),
        (commands, "what_if", "/whatif", {"rubric": {"tie_within": 3}}),
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
