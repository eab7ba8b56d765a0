"""The page of a batch."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Final

import web
from events.text.figures import rounded
from events.view.batch import MAX_FAILURES, BatchDebateView, BatchView
from events.view.view import View
from server.export import document as doc
from server.export.document.html import tag, to_html

PAGE: Final = "lab/batch.html"


def page_html(view: View, batch: BatchView) -> str:
    """The whole page."""
    document = doc.Document(view.motion, tuple(_blocks(view, batch)))
    main = tag("main", to_html(document), id="batch", **{"data-id": view.id, "data-state": view.state})
    page = web.text_of(PAGE).replace("<title>A batch · Moot</title>", f"<title>{escape(view.motion)} · Moot</title>")
    return page.replace('<main id="batch"></main>', main)


def spent_in_words(batch: BatchView) -> str:
    """What a batch has spent, and its budget if it has one."""
    said = f"{'at least ' if batch.unpriced else ''}{rounded(batch.spent_usd, 4)} USD"
    return f"{said} of {rounded(batch.budget_usd, 4)} USD" if isinstance(batch.budget_usd, float) else said


def _blocks(view: View, batch: BatchView) -> Iterator[doc.Block]:
    reason = f": {view.reason}" if view.reason else ""
    yield doc.Paragraph((doc.Strong(view.state), reason), "standing")
    ended = batch.concluded + batch.failed + batch.deleted
    rows = (
        ("Done", (doc.Meter("Debates that have ended", ended, batch.debates),)),
        ("Concluded", f"{batch.concluded:,}"),
        ("Running", f"{batch.running:,}"),
        ("Failed", f"{batch.failed:,}"),
        *((("Deleted", f"{batch.deleted:,}"),) if batch.deleted else ()),
        ("Left", f"{batch.waiting:,}"),
        ("Spent", spent_in_words(batch)),
        ("Reserved for those that run", f"{rounded(batch.reserved_usd, 4)} USD"),
        ("Calls and tokens", f"{batch.calls:,} calls, {batch.tokens:,} tokens"),
        ("Winners", ", ".join(f"{name} {number:,}" for name, number in batch.winners.items()) or "none yet"),
    )
    yield doc.Table(("", ""), rows, "Progress", "progress")
    if batch.failures:
        more = f" (the first {MAX_FAILURES})" if batch.failed > MAX_FAILURES else ""
        yield _table(f"Failed debates{more}", batch.failures)
    if batch.runs:
        yield _table("Debates that run", batch.runs)
    link = doc.Link("all debates as JSON", f"/api/batches/{view.id}/debates")
    yield doc.Paragraph((f"All debates have the tag {batch.name}: ", link), "downloads")


def _table(caption: str, debates: Mapping[str, BatchDebateView]) -> doc.Table:
    rows = tuple(
        ((doc.Link(key, f"/d/{each.debate}"),), f"{each.attempt}", each.reason or "") for key, each in debates.items()
    )
    return doc.Table(("Debate", doc.Column("Attempt", "n"), "Why it cannot go on"), rows, caption)
