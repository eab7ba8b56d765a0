"""Tables over HTTP: a reader gets in them what its view and its log have, and no more."""

import io
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from pyarrow import parquet

from server.export.tables import TABLES
from tests.server.debate.test_blind import Script, lines_of, take_in
from tests.server.http.test_secrets import SPECTATOR, TOKEN
from tests.server.site import Site, refused

def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


@pytest.mark.parametrize("name", ["exchange", "exchange that fails", "protocol", "protocol that fails"])
@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize("headers", [SPECTATOR, TOKEN])
def test_x(guarded: Site, script: Script, name, end, headers) -> None:
    lines = lines_of(script, name)
    take_in(guarded, lines if end else lines[:-1])
    guarded.client.headers.update(headers)
    one = "/api/debates/blind"
    q = "?director=1" if headers is TOKEN else ""
    held = [guarded.get(f"{one}{q}"), guarded.get(f"{one}/events?limit=1000" + q.replace("?", "&"))]
    pile = "\n".join(texts(held))
    bad = set()
    n = 0
    for table in TABLES:
        text = guarded.client.get(f"{one}/tables/{table}.jsonl{q}").text
        for line in text.splitlines():
            for col, v in msgspec.json.decode(line).items():
                n += 1
                if isinstance(v, str) and v not in pile:
                    bad.add((table, col, v[:70]))
    print("RESULT", name, end, headers, n, sorted(bad))
