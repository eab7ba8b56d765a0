"""Log lines of Moot and of its libraries have one form, and hold neither local variables nor line breaks."""

import json
import logging
from typing import Any

import pytest
import structlog

from tests.server.site import Site, refused


def fail(secret: str) -> None:
    local = f"{secret} is a local variable"
    try:
        int("not a number")
    except ValueError:
        structlog.get_logger().exception("request_failed", path="/")
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application\n")
    assert local


def test_every_line_in_a_pipe_is_one_json_object(logging_to: Any) -> None:
    stream = logging_to(json_lines=True)
    structlog.get_logger().info("server_started", port=1)
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request %s.", "received")
    logging.getLogger("uvicorn.error").info("not shown")
    fail("hunter2")
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]

    assert ["server_started", "Invalid HTTP request received.", "request_failed", "Exception in ASGI application"] == [
        line["event"] for line in lines
    ]
    assert ["info", "warning", "error", "error"] == [line["level"] for line in lines]
    assert all(line["timestamp"] for line in lines)
    assert "hunter2" not in stream.getvalue()


def test_a_trace_on_a_terminal_shows_no_local_variables(logging_to: Any) -> None:
    stream = logging_to(json_lines=False)
    fail("hunter2")

    assert 2 == stream.getvalue().count("ValueError: invalid literal")
    assert "hunter2 is" not in stream.getvalue()


def test_a_failure_inside_moot_is_logged_once(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("server.http.debates.archetypes", lambda: 1 / 0)
    with structlog.testing.capture_logs() as logged:
        error = refused(site.client.get("/api/archetypes"), 500)

    assert error["message"] == "an error inside Moot: the server's log has the details"
    assert ["request_failed"] == [line["event"] for line in logged]
    assert [] == caplog.records
