"""Traces: what the SDK's own exporters and a collector get of a debate, and that nothing is sent without the switch."""

import gzip
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

import anyio
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from events.record import Recorded
from events.store.memory import MemoryLog
from events.transfer import parse_lines
from events.types import ModelAnswered, ModelFailed, TurnScored, TurnSpoken
from server.errors import BadField
from server.telemetry import names
from server.telemetry.exporting import Exporter, exporting_to
from server.telemetry.trace import DebateTrace, span_id, trace_id
from server.telemetry.watcher import TelemetryWatcher
from tests.server.site import serving

GOLDEN = Path(__file__).parents[2] / "events/view/golden/0.1-juries.ndjson"
RECORDS = tuple(parse_lines(GOLDEN.read_bytes().splitlines(keepends=True)))
DEBATE = RECORDS[0].debate


class Memory:
    """The exporters of the SDK that keep everything in memory."""

    def __init__(self) -> None:
        self.spans, self.logs = InMemorySpanExporter(), InMemoryLogRecordExporter()
        self.exporter = Exporter(SimpleSpanProcessor(self.spans), SimpleLogRecordProcessor(self.logs))

    def play(self, records: tuple[Recorded, ...], *, has_texts: bool = False) -> Any:
        trace = DebateTrace(has_texts=has_texts)
        for record in records:
            for ended in trace.take(record):
                self.exporter.send(record.debate, ended)
        return {span.context.span_id: span for span in self.spans.get_finished_spans()}


def of_type(*kinds: type) -> list[Recorded]:
    return [each for each in RECORDS if isinstance(each.event, kinds)]


def test_a_debate_is_one_trace_of_turns_and_calls() -> None:
    spans = Memory().play(RECORDS)
    root = spans[span_id(DEBATE, 1)]
    children = [span for span in spans.values() if span is not root]

    assert root.parent is None
    assert {trace_id(DEBATE)} == {span.context.trace_id for span in spans.values()}
    assert all(span.parent.span_id in spans for span in children)
    assert all(span.start_time <= span.end_time <= root.end_time for span in spans.values())
    calls = {each.position: spans[span_id(DEBATE, each.position)] for each in of_type(ModelAnswered, ModelFailed)}
    assert {SpanKind.CLIENT} == {span.kind for span in calls.values()}
    turns = [span for span in children if span.name.startswith("invoke_agent")]
    assert len(turns) == len(of_type(TurnSpoken))
    assert len(children) == len(turns) + len(calls)
    for record in of_type(ModelAnswered):
        said, event = calls[record.position].attributes, record.event
        assert isinstance(event, ModelAnswered)
        assert ("chat", DEBATE, "scripted", "juries") == tuple(
            said[name] for name in (names.OPERATION, names.CONVERSATION, names.PROVIDER, names.REQUEST_MODEL)
        )
        assert (event.usage.input_tokens, event.usage.output_tokens) == (
            said["gen_ai.usage.input_tokens"],
            said["gen_ai.usage.output_tokens"],
        )
        assert calls[record.position].end_time - calls[record.position].start_time == event.latency_ms * 1_000_000
    failed = [calls[record.position] for record in of_type(ModelFailed)]
    assert failed
    assert all(span.status.status_code is StatusCode.ERROR and span.attributes["error.type"] for span in failed)


def test_scores_are_evaluation_results_in_the_span_of_their_call() -> None:
    memory = Memory()
    spans = memory.play(RECORDS)
    records = [each.log_record for each in memory.logs.get_finished_logs()]
    scored = [each for each in records if "gen_ai.evaluation.score.value" in each.attributes]
    expected = [
        (record.event.turn, name, score.admitted)
        for record in of_type(TurnScored)
        for name, score in (record.event.dimensions or {}).items()  # type: ignore[union-attr]
    ]

    assert expected
    members = ("moot.turn", "gen_ai.evaluation.name", "gen_ai.evaluation.score.value")
    assert expected == [tuple(each.attributes[name] for name in members) for each in scored]
    assert {"gen_ai.evaluation.result"} == {each.event_name for each in records}
    assert {trace_id(DEBATE)} == {each.trace_id for each in records}
    assert {"score"} == {spans[each.span_id].attributes["moot.purpose"] for each in scored}
    last = records[-1].attributes
    assert ("winner", "pro") == (last["gen_ai.evaluation.name"], last["gen_ai.evaluation.score.label"])


@pytest.mark.parametrize("has_texts", [False, True])
def test_texts_are_sent_only_if_asked_for(has_texts: bool) -> None:
    memory = Memory()
    spans = memory.play(RECORDS, has_texts=has_texts)
    sent = str([dict(span.attributes) for span in spans.values()])
    sent += str([dict(each.log_record.attributes) for each in memory.logs.get_finished_logs()])
    spoken = [record.event.text for record in of_type(TurnSpoken)]  # type: ignore[union-attr]

    assert has_texts is (names.OUTPUT_MESSAGES in sent)
    assert has_texts is (names.EXPLANATION in sent)
    assert has_texts is any(text[:40] in sent for text in spoken)


@pytest.mark.anyio
async def test_a_process_that_goes_on_sends_the_rest_of_the_same_trace() -> None:
    """The trace of another process ends in the middle; this one ends before its tasks have run."""
    first, second, whole = Memory(), Memory(), Memory()
    half = of_type(TurnSpoken)[2].position
    before, expected = first.play(RECORDS[:half]), whole.play(RECORDS)
    async with MemoryLog() as log, anyio.create_task_group() as tasks:
        await log.adopt(RECORDS)
        watcher = TelemetryWatcher(log, second.exporter, has_texts=False)
        await tasks.start(watcher.run, None)
        await watcher.watch(DEBATE, half)
        await watcher.watch("d2", 1)
        watcher.rested(DEBATE)
        tasks.cancel_scope.cancel()

    watcher.rested("d2")  # the moderators end after the watchers
    after = {span.context.span_id for span in second.spans.get_finished_spans()}
    assert before
    assert after
    assert not before.keys() & after
    assert expected.keys() == before.keys() | after


@contextmanager
def collecting() -> Iterator[tuple[str, SimpleQueue[Any]]]:
    """A collector on this machine, which decodes with the classes of OpenTelemetry's own protocol."""
    kinds = {"/v1/traces": ExportTraceServiceRequest, "/v1/logs": ExportLogsServiceRequest}
    got: SimpleQueue[Any] = SimpleQueue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            body = gzip.decompress(body) if self.headers["content-encoding"] == "gzip" else body
            got.put(kinds[self.path].FromString(body))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", got
        finally:
            server.shutdown()


def test_a_collector_gets_the_trace_of_a_debate(script: Any) -> None:
    with collecting() as (address, got):
        for site in serving(telemetry=address):
            debate = site.open(script())
            site.ended(debate)
        messages = [got.get(timeout=60) for _ in range(got.qsize())]

    spans = [
        span
        for each in messages
        if isinstance(each, ExportTraceServiceRequest)
        for resource in each.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    results = [
        record
        for each in messages
        if isinstance(each, ExportLogsServiceRequest)
        for resource in each.resource_logs
        for scope in resource.scope_logs
        for record in scope.log_records
    ]
    assert {trace_id(debate).to_bytes(16)} == {each.trace_id for each in (*spans, *results)}
    (root,) = [span for span in spans if not span.parent_span_id]
    assert ("invoke_agent moot", span_id(debate, 1).to_bytes(8)) == (root.name, root.span_id)
    assert 2 == sum(span.name in {"invoke_agent pro", "invoke_agent con"} for span in spans)
    assert {"gen_ai.evaluation.result"} == {each.event_name for each in results}


@pytest.mark.slow
def test_without_the_switch_nothing_is_imported() -> None:
    code = "import sys, server.http.app; print([name for name in sys.modules if name.startswith('opentelemetry.')])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert "sdk" not in done.stdout
    assert "exporter" not in done.stdout
    with pytest.raises(BadField, match="telemetry must be the address of a collector"):
        exporting_to("collector:4318")
