"""Logging, and the metrics that are counted when something happens.  Gauges are read in ``server/http/metrics.py``."""

import logging
import sys
from collections.abc import Container, MutableMapping
from typing import Any, Final

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

from providers.base import Outcome
from providers.environment import redacted

METRICS: Final = CollectorRegistry()
REHEARSED: Final = "rehearsed"
"""Bound in the context of an exhibition that is played for its page."""

DEBATES: Final = Gauge("moot_debates_running", "Debates that this process runs", registry=METRICS)
RESTED: Final = Counter(
    "moot_debates_rested_total",
    "Debates that this process ran until they rested or ended, by their state at that time",
    ["state"],
    registry=METRICS,
)
APPEND_SECONDS: Final = Histogram(
    "moot_append_seconds",
    "Time until the events of an append were durable",
    registry=METRICS,
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
EVENTS: Final = Counter("moot_events_appended_total", "Events that debates recorded", registry=METRICS)
STORE_FAILURES: Final = Counter("moot_store_failures_total", "Appends that had to be tried again", registry=METRICS)
LEASES_LOST: Final = Counter(
    "moot_leases_lost_total", "Debates that another node took over from this one", registry=METRICS
)
JOINS: Final = Counter("moot_spectators_joined_total", "Spectators that joined", registry=METRICS)
CLOSES: Final = Counter("moot_socket_closes_total", "Sockets closed by the server", ["code"], registry=METRICS)
DELTAS_SKIPPED: Final = Counter(
    "moot_deltas_skipped_total", "Deltas not sent to spectators that read too slowly", registry=METRICS
)
REQUESTS: Final = Counter("moot_requests_total", "HTTP requests", ["method", "status"], registry=METRICS)
MODEL_SECONDS: Final = Histogram(
    "moot_model_seconds",
    "Time of a model call that was answered",
    ["provider", "purpose"],
    registry=METRICS,
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160),
)
MODEL_FAILURES: Final = Counter(
    "moot_model_failures_total", "Model calls that failed", ["purpose", "provider", "kind"], registry=METRICS
)
MODEL_TOKENS: Final = Counter("moot_model_tokens_total", "Tokens used", ["provider", "direction"], registry=METRICS)
MODEL_COST: Final = Counter(
    "moot_model_cost_usd_total", "US dollars, of calls with a known price", ["provider"], registry=METRICS
)
MODEL_UNPRICED: Final = Counter(
    "moot_model_unpriced_total", "Model calls whose cost is unknown", ["provider"], registry=METRICS
)
ProcessCollector(registry=METRICS)  # memory, CPU, open files
METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
"""Methods that may be labels: clients can send any other word."""


def count_request(method: str, status: int) -> None:
    """Count one answer."""
    REQUESTS.labels(method if method in METHODS else "other", str(status)).inc()


def provider_of(model: str, known: Container[str]) -> str:
    """The provider of ``provider:model`` as a label; ``unknown`` for a name that only a debate holds."""
    name = model.partition(":")[0]
    return name if name in known else "unknown"


def count_call(provider: str, purpose: str, outcome: Outcome, *, is_answered: bool = True) -> None:
    """Count a call that the vendor charges for.  ``is_answered``: the answer could be used."""
    if is_answered:
        MODEL_SECONDS.labels(provider, purpose).observe(outcome.latency_ms / 1000)
    MODEL_TOKENS.labels(provider, "input").inc(outcome.tokens.input)
    MODEL_TOKENS.labels(provider, "output").inc(outcome.tokens.output)
    if outcome.cost_usd is None:
        MODEL_UNPRICED.labels(provider).inc()
    else:
        MODEL_COST.labels(provider).inc(outcome.cost_usd)


def measured_seconds() -> dict[tuple[str, str], float]:
    """Mean seconds of the calls that this process has made, by provider and purpose."""
    sums: dict[tuple[str, str], dict[str, float]] = {}
    for family in MODEL_SECONDS.collect():
        for sample in family.samples:
            key = sample.labels["provider"], sample.labels["purpose"]
            sums.setdefault(key, {})[sample.name.rpartition("_")[2]] = sample.value
    return {key: each["sum"] / each["count"] for key, each in sums.items() if each["count"]}


def count_unpriced(provider: str) -> None:
    """Count a call that broke off before the vendor reported its tokens."""
    MODEL_UNPRICED.labels(provider).inc()


LIBRARIES: Final = "moot.libraries"
"""The name of the handler that writes the lines of libraries."""
_TRACEBACKS: Final = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)  # keys and prompts are among the locals
)


def _without_keys(_logger: Any, _name: str, line: Any) -> Any:
    return redacted(line)


def _one_line(_logger: Any, _name: str, line: Any) -> Any:
    line["event"] = str(line["event"]).strip()
    return line


def has_json_lines() -> bool:
    """Whether log lines are JSON: stderr is no terminal."""
    return not sys.stderr.isatty()


def always() -> Any:
    """A logger whose lines are written at every level of the log."""
    write = structlog.get_config()["logger_factory"]()
    return structlog.wrap_logger(write, wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))


def _without_rehearsed(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Drops the planned failures of an exhibition that is played for its page: nothing has to be done about them."""
    del logger
    if REHEARSED in event and method not in {"error", "critical", "exception"}:
        raise structlog.DropEvent
    return event


def configure_logging(level: str, *, json_lines: bool | None = None) -> None:
    """Log to stderr: readable text on a terminal, one JSON object per line in a pipe.

    Lines of libraries have the same form.  They begin with warnings: what they do in detail is not Moot's.
    """
    as_json = has_json_lines() if json_lines is None else json_lines
    plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)  # locals hold keys
    stamps: list[Any] = [
        structlog.contextvars.merge_contextvars,
        _without_rehearsed,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    rendering: list[Any] = [
        _TRACEBACKS if as_json else structlog.processors.StackInfoRenderer(),
        structlog.processors.JSONRenderer() if as_json else plain,
        _without_keys,
    ]
    least = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*stamps, *rendering],
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.set_name(LIBRARIES)
    handler.setLevel(max(least, logging.WARNING))
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*stamps, structlog.stdlib.add_logger_name, _one_line],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
        )
    )
    root = logging.getLogger()
    for before in [each for each in root.handlers if each.get_name() == LIBRARIES]:
        root.removeHandler(before)
    root.addHandler(handler)
