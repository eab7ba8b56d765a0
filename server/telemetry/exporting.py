"""Hands spans and results to the SDK of OpenTelemetry, which sends them from a thread of its own."""

from typing import Final
from urllib.parse import urlsplit

from opentelemetry._logs import LogRecord
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider, LogRecordProcessor
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from server.errors import BadField
from server.process.version import VERSION
from server.telemetry import names
from server.telemetry.trace import Result, Span, span_id, trace_id

KINDS: Final = {"internal": SpanKind.INTERNAL, "client": SpanKind.CLIENT}
SCOPE: Final = "moot"
_SAMPLED: Final = TraceFlags(TraceFlags.SAMPLED)


class _Ids(IdGenerator):
    """Gives the ids that were set before the span is started."""

    trace = span = 0

    def generate_trace_id(self) -> int:
        return self.trace

    def generate_span_id(self) -> int:
        return self.span


class Exporter:
    """A tracer and a logger over processors of the SDK."""

    def __init__(self, spans: SpanProcessor, results: LogRecordProcessor) -> None:
        resource = Resource.create({"service.name": SCOPE, "service.version": VERSION})
        self._ids = _Ids()
        self._tracing = TracerProvider(resource=resource, id_generator=self._ids, shutdown_on_exit=False)
        self._tracing.add_span_processor(spans)
        self._logging = LoggerProvider(resource=resource, shutdown_on_exit=False)
        self._logging.add_log_record_processor(results)
        self._tracer = self._tracing.get_tracer(SCOPE, VERSION)
        self._logger = self._logging.get_logger(SCOPE, VERSION)

    def send(self, debate: str, ended: Span | Result) -> None:
        """Queue a span or a result of a debate; what does not fit the queue is dropped, as the SDK does."""
        if isinstance(ended, Result):
            record = LogRecord(
                timestamp=ended.at,
                observed_timestamp=ended.at,
                context=_context(debate, ended.parent),
                event_name=names.EVALUATION,
                attributes=ended.attributes,
            )
            self._logger.emit(record)
            return
        self._ids.trace, self._ids.span = trace_id(debate), span_id(debate, ended.position)
        span = self._tracer.start_span(
            ended.name,
            context=Context() if ended.parent is None else _context(debate, ended.parent),
            kind=KINDS[ended.kind],
            attributes=ended.attributes,
            start_time=ended.start,
        )
        if ended.error:
            span.set_status(Status(StatusCode.ERROR, ended.error))
        span.end(ended.end)

    def close(self) -> None:
        """Send what is queued; blocks for as long as the collector takes."""
        self._tracing.shutdown()
        self._logging.shutdown()


def _context(debate: str, position: int) -> Context:
    parent = SpanContext(trace_id(debate), span_id(debate, position), is_remote=False, trace_flags=_SAMPLED)
    return set_span_in_context(NonRecordingSpan(parent), Context())


def exporting_to(collector: str) -> Exporter:
    """An exporter to a collector's OTLP over HTTP.  Raises ``BadField`` for an address that is none.

    ``OTEL_EXPORTER_OTLP_HEADERS`` and the other variables of the SDK apply.
    """
    parts = urlsplit(collector)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise BadField("telemetry", "telemetry must be the address of a collector, as http://127.0.0.1:4318")
    base = collector.rstrip("/")
    return Exporter(
        BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{base}/v1/traces")),
        BatchLogRecordProcessor(OTLPLogExporter(endpoint=f"{base}/v1/logs")),
    )
