"""Log lines and metrics."""

import logging
import sys
from typing import Any, Final

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from providers.redaction import redacted

METRICS: Final = CollectorRegistry()

DEBATES: Final = Gauge("moot_debates_running", "Debates that this process runs", registry=METRICS)
SPECTATORS: Final = Gauge("moot_spectators", "Open spectator sockets", registry=METRICS)
ROOMS: Final = Gauge("moot_rooms", "Debates folded in memory for readers", registry=METRICS)
CLOSES: Final = Counter("moot_socket_closes_total", "Sockets closed by the server", ["code"], registry=METRICS)
DELTAS_SKIPPED: Final = Counter(
    "moot_deltas_skipped_total", "Deltas not sent to spectators who did not keep up", registry=METRICS
)
REQUESTS: Final = Counter("moot_requests_total", "HTTP requests", ["method", "status"], registry=METRICS)
STORE_FAILURES: Final = Counter("moot_store_failures_total", "Appends that had to be tried again", registry=METRICS)
LEASES_LOST: Final = Counter(
    "moot_leases_lost_total", "Debates that another node took over from this one", registry=METRICS
)
BUS_UP: Final = Gauge("moot_bus_up", "1 while other nodes are reached by the bus", registry=METRICS)
BUS_DROPPED: Final = Gauge("moot_bus_dropped", "Messages of text in flight that could not be sent", registry=METRICS)
MODEL_SECONDS: Final = Histogram(
    "moot_model_seconds", "Time of a model call", ["purpose"], registry=METRICS,
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160),
)
MODEL_FAILURES: Final = Counter(
    "moot_model_failures_total", "Model calls that failed", ["purpose", "provider", "kind"], registry=METRICS
)
PROVIDER_RUNNING: Final = Gauge("moot_provider_running", "Calls under way", ["provider"], registry=METRICS)
PROVIDER_WAITING: Final = Gauge("moot_provider_waiting", "Calls that wait for a place", ["provider"], registry=METRICS)
PROVIDER_RESTS: Final = Gauge(
    "moot_provider_breaker_open", "1 while a provider is left alone after failures", ["provider"], registry=METRICS
)


_TRACEBACKS: Final = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)   # keys and prompts are among the locals
)


def _without_keys(_logger: Any, _name: str, line: Any) -> Any:
    return redacted(line)


def configure_logging(level: str, *, json_lines: bool | None = None) -> None:
    """Log to stderr: readable on a terminal, one JSON object a line in a pipe."""
    as_json = not sys.stderr.isatty() if json_lines is None else json_lines
    renderer = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _TRACEBACKS if as_json else structlog.processors.StackInfoRenderer(),
            renderer,
            _without_keys,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
