"""Exports of a debate, reports on it, what differs between positions or judgings, and its page for others' frames."""

import hashlib
import re
import unicodedata
from collections.abc import AsyncIterator
from functools import partial
from html import escape
from typing import Any, Final

import msgspec
from anyio import to_thread
from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import NotModifiedResponse

from events.state.parts.evidence import INITIAL as NO_EVIDENCE
from events.state.parts.evidence import EvidencePack
from events.store.log import read_all
from events.transfer import export
from events.types import SIDES, Missing, Side
from events.view.evidence_view import EvidenceView, whole_pack
from events.view.turn_view import TurnView
from events.view.view import View
from providers.imports import load
from server.errors import EXPECTED, BadQuery, NotFound, report_of
from server.export.archive import archive_of
from server.export.argument_audit import argument_audits
from server.export.audit import auditor_of
from server.export.debate.exchange import first_side
from server.export.debate.transcript import as_markdown, origin_text
from server.export.diff import difference
from server.export.html import PAGE, html_export
from server.export.kept import KeptAnswers, Key, Make, whole
from server.export.moved import ToldDiff, told
from server.export.preview.card import mark_meta
from server.export.preview.course import course_of
from server.export.reports.debater import report_for
from server.export.reports.document import report_html, report_markdown, style_digest
from server.export.reports.judgings import JudgingComparison, compare_judgings
from server.export.reports.judgings_text import comparison_page, refusal_page
from server.export.tables import TABLES
from server.export.tables.forms import FORMS, PARQUET, writer_of
from server.export.tables.read import pages_of
from server.export.tables.table import seen_by
from server.export.wording import SIGNS
from server.http.access import POLICY, access_of, check_link, is_director
from server.http.contract import DIRECTOR, MAX_POSITION, QueryNumber, QueryText, answers
from server.http.events import is_revealed
from server.http.limits import RateLimit
from server.http.requests import json_response, packed_response, service_of, turn_number
from server.http.static import FILES, made_page
from server.process.extras import is_installed, needed

FRAMED: Final = {
    "content-security-policy": POLICY.replace("frame-ancestors 'self'", "frame-ancestors *"),
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "no-cache",
}
CARD: Final = "debate/card.html"
MENU: Final = '<details class="drop" id="menu">'
"""Where an embedded page has its link to the whole one."""
MAX_QUOTE: Final = 400
"""Characters of a quote on a card."""
MEDIA_TYPES: Final = {
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "jsonl": "application/jsonl",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}
EXPORTS_PER_MINUTE: Final = 60
"""Exports that are made for a spectator's address; one that is there already does not count."""
MAX_WORDS: Final = 48
"""Characters of the motion in a file's name."""
FROM: Final = QueryNumber("from", 0, 0, MAX_POSITION)
TO: Final = QueryNumber("to", None, 0, MAX_POSITION)
"""Without it, the head."""
CALLS: Final = QueryNumber("calls", 1, 0, 1)
EVIDENCE: Final = QueryText("evidence", ("cited", "all"))
PREVIEWS_PER_MINUTE: Final = 60
PREVIEW_AGE_S: Final = 60
ID_PREFIX: Final = 13
"""Characters of the id in a file's name: the time to the millisecond, enough for every command."""


@answers(ToldDiff, FROM, TO, DIRECTOR)
async def show_diff(request: Request) -> Response:
    """GET /api/debates/{id}/diff: what changed after ``from`` up to and with ``to``, as this client may see it."""
    service, debate = service_of(request), request.path_params["debate"]
    revealed = await is_revealed(request, debate)
    head = await service.log.head(debate)
    start = FROM.read(request)
    end = TO.read(request, head)
    if end > head:
        raise BadQuery(f"to={end} is beyond the head {head}", field="to")

    async def made() -> AsyncIterator[bytes]:
        yield msgspec.json.encode(told(await difference(service.hub.folds, debate, start, end, revealed=revealed)))

    return await _answer(request, ("diff", debate, start, end, revealed), made, "application/json")


@answers(JudgingComparison, QueryText("a", required=True), QueryText("b", required=True), DIRECTOR)
async def show_comparison(request: Request) -> Response:
    """GET /api/compare: two judgings of the same turns, ``a`` and ``b``, as this client may see them."""
    found, _ = await _comparison(request)
    return json_response(found)


async def compare_page(request: Request) -> Response:
    """GET /compare: the same as a page, which also says why a comparison is refused."""
    status = 200
    try:
        found, first = await _comparison(request)
        page = await to_thread.run_sync(comparison_page, found, first)
    except EXPECTED as error:
        report = report_of(error)
        page, status = refusal_page(report.message), report.status
    return HTMLResponse(page, status, headers={"cache-control": "no-cache"})


async def _comparison(request: Request) -> tuple[JudgingComparison, Side]:
    """The comparison, and the side that spoke first."""
    rate: RateLimit = request.app.state.whatif_rate
    rate.check_address(request)
    names = [request.query_params.get(name, "") for name in ("a", "b")]
    for name, debate in zip(("a", "b"), names, strict=True):
        if not debate:
            raise BadQuery(f"{name} must name a debate", field=name)
        await check_link(request, debate)
    hub, director = service_of(request).hub, is_director(request)
    one, two = [await hub.view_at(debate, None) for debate in names]
    seen = [await hub.view(debate, director=director) for debate in names]
    await load("judge.panel.kappa")  # numpy: importing it on the loop would block every debate
    limiter = request.app.state.report_limiter
    found = await to_thread.run_sync(compare_judgings, one, two, (seen[0], seen[1]), limiter=limiter)
    return found, first_side(seen[0].turns)


@answers("text/html text/markdown", QueryText("side", SIDES, required=True), QueryText("as", ("html", "md")), DIRECTOR)
async def debater_report(request: Request) -> Response:
    """GET /api/debates/{id}/report: a report for one side, ``as=html`` (a page that prints) or ``md``."""
    side, kind = request.query_params.get("side", ""), request.query_params.get("as", "html")
    if side not in SIDES:
        raise BadQuery(f"side must be pro or con, not {side[:20]!r}", field="side")
    if kind not in {"html", "md"}:
        raise BadQuery(f"as must be html or md, not {kind[:20]!r}", field="as")
    service, debate = service_of(request), request.path_params["debate"]
    fold, view = await service.hub.view_at(debate, None), await _view(request)
    base = str(request.base_url).rstrip("/")

    async def made() -> AsyncIterator[bytes]:
        records = [record async for record in read_all(service.log, debate)]
        report = await to_thread.run_sync(report_for, records, fold, view, side)
        yield (report_markdown if kind == "md" else report_html)(report, base).encode()

    policy = POLICY.replace("style-src 'self'", f"style-src {style_digest()}")
    shown = {"content-security-policy": policy, "cache-control": "no-cache"}
    headers = attachment(view.motion, debate, kind) if kind == "md" else shown
    return await _export(request, view, kind, ("report", side, base, is_director(request)), made, headers)


@answers("application/x-ndjson", QueryText("names", ("short",)), DIRECTOR)
async def export_events(request: Request) -> Response:
    """GET /api/debates/{id}/events.ndjson: the whole log; ``names=short`` leaves folders of scripts out."""
    service, debate = service_of(request), request.path_params["debate"]
    revealed = await is_revealed(request, debate)
    is_short = request.query_params.get("names") == "short"
    withhold, shorten = not revealed, is_short or not access_of(request).is_operator(request)
    view = await service.hub.view(debate)
    seal = view.state != "concluded"
    made = partial(export, service.log, debate, withhold=withhold, shorten=shorten, seal=seal)
    return await _export(request, view, "ndjson", (withhold, shorten), made)


@answers(View, DIRECTOR)
async def export_json(request: Request) -> Response:
    """GET /api/debates/{id}/export.json: the view."""
    view = await _view(request)
    return await _export(request, view, "json", (is_director(request),), lambda: whole(msgspec.json.encode(view)))


@answers("text/markdown", EVIDENCE, DIRECTOR)
async def export_markdown(request: Request) -> Response:
    """GET /api/debates/{id}/export.md: a transcript; ``evidence=all`` adds all documents."""
    view, all_evidence = await _view(request), _all_evidence(request)

    async def made() -> AsyncIterator[bytes]:
        auditor = await auditor_of(service_of(request).hub, view.id)
        pack = await _evidence(request) if all_evidence else NO_EVIDENCE
        text = await to_thread.run_sync(as_markdown, view, auditor.audits(), pack, argument_audits(auditor))
        yield text.encode()

    return await _export(request, view, "md", (is_director(request), all_evidence), made)


@answers("text/csv application/jsonl application/vnd.apache.parquet", DIRECTOR)
async def export_table(request: Request) -> Response:
    """GET /api/debates/{id}/tables/{table}.{form}: a table of the debate, as this client may see it."""
    name, form = request.path_params["table"], request.path_params["form"]
    if name not in TABLES or form not in FORMS:
        raise NotFound(f"a table is one of {', '.join(TABLES)}, as {', '.join(FORMS)}")
    if form == PARQUET:
        if not is_installed(PARQUET):
            raise NotFound(f"a table as Parquet {needed(PARQUET)}")
        await load("pyarrow.parquet")  # importing it on the loop would block every debate
    service, director = service_of(request), is_director(request)
    fold = await service.hub.view_at(request.path_params["debate"], None)

    async def made() -> AsyncIterator[bytes]:
        table, seen = TABLES[name], seen_by(fold, director=director)
        writer = writer_of(form, table)
        async for records in pages_of(service.log, seen, table):
            yield await to_thread.run_sync(lambda page: writer.add(writer.pack(table.rows(seen, page))), records)
        yield await to_thread.run_sync(writer.end)

    return await _export(request, fold.view, form, ("table", name, director), made)


@answers(EvidenceView)
async def show_evidence(request: Request) -> Response:
    """GET /api/debates/{id}/evidence: the documents with all their passages, as in the view."""
    return json_response(whole_pack(await _evidence(request)))


@answers("text/html", CALLS, EVIDENCE, DIRECTOR)
async def export_html(request: Request) -> Response:
    """GET /api/debates/{id}/export.html: one file that replays offline; ``calls=0`` leaves the calls out.

    Of documents it has the cited passages, and all with ``evidence=all``.
    """
    with_calls = bool(CALLS.read(request))
    director, all_evidence, view = is_director(request), _all_evidence(request), await _view(request)

    async def made() -> AsyncIterator[bytes]:
        archive = await archive_of(
            service_of(request).log, view.id, director=director, with_calls=with_calls, all_evidence=all_evidence
        )
        async for part in html_export(archive):
            yield part

    return await _export(request, view, "html", (director, with_calls, all_evidence), made)


async def _export(
    request: Request, view: View, kind: str, variant: Key, make: Make, headers: dict[str, str] | None = None
) -> Response:
    """An export of the debate as it is in ``view``; a file without ``headers``.  Spectators cause a limited number."""
    rate: RateLimit = request.app.state.export_rate

    async def made() -> AsyncIterator[bytes]:
        if not access_of(request).is_operator(request):
            rate.check_address(request)
        async for part in make():
            yield part

    headers = headers or attachment(view.motion, view.id, kind)
    return await _answer(request, (kind, view.id, view.position, *variant), made, MEDIA_TYPES[kind], headers)


async def _answer(
    request: Request, key: Key, make: Make, media_type: str, headers: dict[str, str] | None = None
) -> Response:
    """An answer that is the same for all who get this key."""
    answers: KeptAnswers = request.app.state.exports
    return packed_response(request, await answers.answer(key, make), media_type, headers)


def _all_evidence(request: Request) -> bool:
    """Whether an export has all documents.  Raises ``BadQuery``."""
    wanted = request.query_params.get("evidence", "cited")
    if wanted not in {"cited", "all"}:
        raise BadQuery("evidence is cited or all", field="evidence")
    return wanted == "all"


async def embed(request: Request) -> Response:
    """GET /d/{id}/embed: a small page that other sites may show in a frame; it can only be read."""
    debate = escape(request.path_params["debate"])
    link = f'<a class="source" href="/d/{debate}" target="_blank" rel="noopener">Open in Moot</a>'
    by = {
        '<body class="page">': '<body class="page embed">',
        MENU: f"{link}\n  {MENU}",
    }
    return _framed(made_page(request, PAGE, by))


async def card(request: Request) -> Response:
    """GET /d/{id}/turns/{turn}/card: a turn for other sites' frames; ``quote`` chooses words of it."""
    view = await _view(request)
    number = str(turn_number(request))
    if number not in view.turns:
        raise NotFound(f"there is no turn {request.path_params['turn']} in this debate")
    quote = " ".join(request.query_params.get("quote", "").split())
    if quote not in " ".join(view.turns[number].text.split()):
        raise BadQuery("these words are not in the turn", field="quote")
    by = {"<!-- card -->": card_html(view, number, quote[:MAX_QUOTE]), "<!-- mark -->": mark_meta(view.mark)}
    return _framed(made_page(request, CARD, by))


def _framed(response: Response) -> Response:
    """A page that other sites may show in a frame."""
    response.headers.update(FRAMED)
    return response


async def preview(request: Request) -> Response:
    """GET /d/{id}/preview.png: the picture that other sites show with a link to the debate, as spectators see it."""
    rate: RateLimit = request.app.state.preview_rate
    rate.check_address(request)
    debate = request.path_params["debate"]
    view = await service_of(request).hub.view(debate)
    if view.format in {"lab", "batch"}:
        raise NotFound(f"a {view.format} has no preview")
    if not is_installed("preview"):
        raise NotFound(f"a picture of a debate {needed('preview')}")
    await load("server.export.preview.picture")  # Pillow: few servers are asked for pictures
    from server.export.preview.picture import Previews  # noqa: PLC0415 - it was just loaded in a thread

    state = request.app.state
    if state.previews is None:
        state.previews = Previews()
        service_of(request).hub.caches.append(state.previews)
    body = await state.previews.picture(view, course_of(await service_of(request).hub.view_at(debate, None)))
    headers = {
        "etag": f'"{hashlib.sha256(body).hexdigest()[:16]}"',
        "cache-control": f"{'private' if view.unlisted else 'public'}, max-age={PREVIEW_AGE_S}",
        "cross-origin-resource-policy": "cross-origin",
    }
    response = Response(body, media_type="image/png", headers=headers)
    is_known = FILES.is_not_modified(response.headers, request.headers)
    return NotModifiedResponse(response.headers) if is_known else response


def card_html(view: View, number: str, quote: str) -> str:
    """Who said which words, what the judge thinks of the turn, and a link to it.  Without a quote, the best words."""
    turn = view.turns[number]
    seat = view.pro if turn.side == "pro" else view.con
    character = escape(seat.archetype.replace("_", " ")) if seat else ""
    words = quote or _best_words(turn)
    language = escape(view.language or "en")
    doubts = {
        claim.kind.replace("_", " ")
        for claim in view.claims.values()
        if str(claim.turn) == number and claim.state != "cleared" and (claim.quote in words or words in claim.quote)
    }
    doubt = f'<p class="doubt">The judge doubts these words: {escape(", ".join(sorted(doubts)))}.</p>' if doubts else ""
    link = f"/d/{escape(view.id)}?turn={number}"
    return f"""<article class="turn-card {turn.side}">
<p class="motion" lang="{language}" dir="auto">{escape(view.motion)}</p>
<blockquote lang="{language}" dir="auto">“{escape(words)}”</blockquote>
{doubt}
<footer>
<span><b class="{turn.side}">{SIGNS[turn.side]}</b> {character}, turn {number}</span>
<span class="origin">{escape(origin_text(turn))}</span>
<span class="score">{_score(turn)}</span>
<a class="source" href="{link}" target="_blank" rel="noopener">Read the debate in Moot</a>
</footer>
</article>"""


def _score(turn: TurnView) -> str:
    if isinstance(turn.composite, Missing):
        return "no score"
    if turn.composite is UNSET:
        return "not judged yet"
    first = "" if turn.composite_admitted is UNSET else f", at first {turn.composite_admitted:.4g}"
    return f"<b>{turn.composite:.4g}</b>/100{first}"


def _best_words(turn: TurnView) -> str:
    """The verified quote with the largest share of its points, or else the first words of the turn."""
    quotes = (each for found in turn.components.values() for each in found.values() if each.verified and each.quote)
    best = max(quotes, key=lambda each: (each.admitted / each.maximum, len(each.quote)), default=None)
    if best is not None:
        return best.quote
    return turn.text if len(turn.text) <= MAX_QUOTE else turn.text[:MAX_QUOTE].rsplit(" ", 1)[0] + " …"


async def _view(request: Request) -> Any:
    return await service_of(request).hub.view(request.path_params["debate"], director=is_director(request))


async def _evidence(request: Request) -> EvidencePack:
    """All documents of the debate, from its fold."""
    return (await service_of(request).hub.view_at(request.path_params["debate"], None)).debate.evidence


def file_name(motion: str, debate: str, kind: str) -> str:
    """``moot-cities-should-ban-private-cars-019a8b7c-4e21.html``: the motion in ASCII letters, if it has any."""
    plain = unicodedata.normalize("NFKD", motion).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    name = ""
    for word in words:
        if len(name) + len(word) >= MAX_WORDS:
            break
        name += f"-{word}"
    short = re.sub(r"[^A-Za-z0-9-]", "", debate[:ID_PREFIX]).rstrip("-")
    return f"moot{name}-{short}.{kind}"


def attachment(motion: str, debate: str, kind: str) -> dict[str, str]:
    """The header with the name under which a browser saves a debate."""
    return {"content-disposition": f'attachment; filename="{file_name(motion, debate, kind)}"'}
