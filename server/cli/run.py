"""``moot run``: a debate in the terminal, here or by the server that holds the store."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import click
import httpx
import msgspec
import structlog
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from judge.rubric import load_rubric
from server import observe, opening
from server.cli.options import reading, server_of, whole_id, with_json, with_store
from server.cli.output import emit, run_async, settings_of
from server.cli.transcript import Transcriber
from server.errors import BadField, CannotServe, MootError, NotAllowed, NotFound, NotNow, TokenMissing
from server.hub import Reader
from server.service import Service, running
from server.settings import Settings
from server.socket import SUBPROTOCOL

logger = structlog.get_logger()


@click.command()
@click.argument("motion", required=False)
@click.option("--turns", type=int, default=6, show_default=True)
@click.option("--pro", "pro_model", metavar="MODEL", help="Who speaks for the motion, as provider:model.")
@click.option("--con", "con_model", metavar="MODEL", help="Who speaks against it.")
@click.option("--judge", "judge_model", metavar="MODEL", help="Who judges.")
@click.option("--second", "second", metavar="MODEL", help="Another judge, for second opinions on suspect claims.")
@click.option("--appeals", type=click.Choice(["none", "serious", "all"]), default="serious", show_default=True,
              help="Flags that get a second opinion by themselves.")
@click.option("--rubric", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Another rubric than v1.")
@click.option("--exhibition", metavar="NAME", help="Play a scripted debate that ships with Moot: moot exhibitions.")
@click.option("--samples", type=int, default=1, show_default=True, help="Times a question is asked; the median counts.")
@click.option("--pro-as", "pro_as", metavar="ARCHETYPE", default="engineer", show_default=True)
@click.option("--con-as", "con_as", metavar="ARCHETYPE", default="provocateur", show_default=True)
@click.option("--max-words", type=int, default=180, show_default=True, help="Words that a turn may have.")
@click.option("--format", "form", type=click.Choice(["exchange"]), default="exchange", show_default=True)
@click.option("--max-cost", type=float, metavar="USD", help="Halt once this much has been spent.")
@click.option("--seed", type=int, help="For models that take one.")
@click.option("--resume", metavar="ID", help="Go on with a debate that was interrupted, paused or halted.")
@with_store
@with_json
@click.pass_context
def run(
    context: click.Context, /, motion: str | None, store: str | None, resume: str | None, *, as_json: bool,
    **wished: Any,
) -> None:
    r"""Hold a debate in the terminal.  Its id comes last, alone on its line.

    \b
      moot run "Cities should ban private cars from their centres" --turns 4
      moot run "Zoos should close" --pro ollama:qwen3 --con embedded:smollm2 --pro-as philosopher
      moot run --exhibition juries
      moot run --resume ID
    """
    settings = settings_of(context, store=store)
    observe.configure_logging("error" if settings.log_level == "info" else settings.log_level)
    if sum(each is not None for each in (motion, resume, wished["exhibition"])) != 1:
        raise click.UsageError("give a motion, or --exhibition NAME, or --resume ID", context)
    body = None if resume is not None else _body(motion or "", wished)
    run_async(lambda: _run(settings, body, resume, as_json=as_json))


def _body(motion: str, wished: dict[str, Any]) -> dict[str, Any]:
    """The same body that a browser would post."""
    if wished["exhibition"] is not None:
        return {"exhibition": wished["exhibition"]}
    body: dict[str, Any] = {
        "motion": motion, "turns": wished["turns"], "max_words": wished["max_words"], "format": wished["form"],
        "pro": {"archetype": wished["pro_as"]}, "con": {"archetype": wished["con_as"]},
        "judge": {"samples": wished["samples"], "appeals": wished["appeals"]},
    }
    for role in ("pro", "con", "judge"):
        if (model := wished[f"{role}_model"]) is not None:
            body[role]["model"] = model
    if wished["second"] is not None:
        body["judge"]["second"] = wished["second"]
    if wished["rubric"] is not None:
        body["rubric"] = msgspec.to_builtins(load_rubric(wished["rubric"]))
    for name, option in (("seed", "seed"), ("max_cost_usd", "max_cost")):
        if wished[option] is not None:
            body[name] = wished[option]
    return body


async def _run(settings: Settings, body: dict[str, Any] | None, resume: str | None, *, as_json: bool) -> None:
    if body is not None:
        opening.as_wish(body)  # a wrong wish fails before anything is started
    transcriber = Transcriber(as_json=as_json)
    if server := server_of(settings):
        click.echo(f"a server holds this store: asking {server}", err=True)
        debate = await _remote(settings, server, body, resume, transcriber)
    else:
        debate = await _here(settings, body, resume, transcriber)
    transcriber.finish()
    if as_json:
        emit({"id": debate})
    else:
        click.echo(debate)
    if transcriber.ended and transcriber.ended["type"] == "debate_halted":
        click.echo(f"moot: halted: {transcriber.ended['reason']}", err=True)
        raise click.exceptions.Exit(1)


async def _here(settings: Settings, body: dict[str, Any] | None, resume: str | None, transcriber: Transcriber) -> str:
    async with running(settings) as service:
        if body is not None:
            opened = await opening.opened(opening.as_wish(body), service.registry, settings)
            debate, after = await service.moderators.open(opened), 0
        else:
            assert resume is not None
            debate = await whole_id(service.log, resume)
            after = await service.log.head(debate)
            await _go_on(service, debate)
        click.echo(f"debate {debate}", err=True)
        try:
            await _watch(_messages(service, debate, after), transcriber)
        except BaseException:
            click.echo(f"\ninterrupted; go on with: moot run --resume {debate}", err=True)
            raise
        return debate


async def _go_on(service: Service, debate: str) -> None:
    """Resume a debate that rests; take up one that was cut off."""
    view = (await service.hub.view_at(debate, None)).view
    if view.state == "concluded":
        raise BadField("resume", f"debate {debate} has concluded")
    if view.state == "open":
        await service.moderators.take_up_one(debate)
    else:
        await service.moderators.resume(debate, "resumed from the command line", "operator")


async def _messages(service: Service, debate: str, after: int) -> AsyncGenerator[str]:
    room = await service.hub.room(debate)
    async with Reader(service.hub, room, after, whole=True) as reader, aclosing(reader.messages()) as batches:
        async for batch in batches:
            for message in batch:
                yield message


async def _watch(messages: Any, transcriber: Transcriber) -> None:
    async with aclosing(messages):
        async for message in messages:
            transcriber.take(message)
            if transcriber.ended is not None:
                return


async def _remote(
    settings: Settings, server: str, body: dict[str, Any] | None, resume: str | None, transcriber: Transcriber
) -> str:
    headers = {"authorization": f"Bearer {settings.token}"} if settings.token else {}
    async with httpx.AsyncClient(base_url=server, headers=headers, timeout=60, trust_env=False) as client:
        if body is not None:
            debate, after = str((await _post(client, "/api/debates", body))["id"]), 0
        else:
            assert resume is not None
            async with reading(settings) as log:
                debate = await whole_id(log, resume)
            view = await _get(client, f"/api/debates/{debate}")
            after = int(view["position"])
            if view["state"] == "concluded":
                raise BadField("resume", f"debate {debate} has concluded")
            if view["state"] in {"paused", "halted"}:
                await _post(client, f"/api/debates/{debate}/resume", {"reason": "resumed from the command line"})
        click.echo(f"debate {debate}", err=True)
        await _watch(_remote_messages(client, server, headers, debate, after), transcriber)
        return debate


async def _remote_messages(
    client: httpx.AsyncClient, server: str, headers: dict[str, str], debate: str, after: int
) -> AsyncIterator[str]:
    """Frames by the socket; what it gives as a snapshot is fetched as frames."""
    address = server.replace("http", "ws", 1) + f"/ws/debates/{debate}?after="
    while True:
        try:
            async with connect(
                address + str(after), additional_headers=headers, subprotocols=[Subprotocol(SUBPROTOCOL)],
                max_size=1 << 26, proxy=None,
            ) as socket:
                async for raw in socket:
                    message = raw if isinstance(raw, str) else raw.decode()
                    said = msgspec.json.decode(message)
                    if said["kind"] == "error":
                        raise MootError(said["message"])
                    if said["kind"] == "snapshot":
                        async for frame in _frames(client, debate, after, said["position"]):
                            yield frame
                        after = said["position"]
                        continue
                    if said["kind"] == "frame":
                        after = said["position"]
                    yield message
        except ConnectionClosed as error:
            logger.info("reconnecting", code=error.code)
        except (OSError, InvalidHandshake) as error:
            gone = f"the server at {server} has gone; the debate goes on when it is back"
            raise CannotServe(f"{gone}: {error}") from error


async def _frames(client: httpx.AsyncClient, debate: str, after: int, until: int) -> AsyncIterator[str]:
    following: int | None = after
    while following is not None and following < until:
        page = await _get(client, f"/api/debates/{debate}/frames?after={following}")
        for frame in page["frames"]:
            if frame["position"] <= until:
                yield msgspec.json.encode(frame).decode()
        following = page["next"]


async def _post(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> Any:
    return await _asked(client, client.build_request("POST", path, content=msgspec.json.encode(body)))


async def _get(client: httpx.AsyncClient, path: str) -> Any:
    return await _asked(client, client.build_request("GET", path))


async def _asked(client: httpx.AsyncClient, request: httpx.Request) -> Any:
    try:
        response = await client.send(request)
        said = msgspec.json.decode(response.content)
    except (httpx.HTTPError, msgspec.DecodeError) as error:
        raise CannotServe(f"the server at {client.base_url} holds this store but does not answer: {error}") from error
    if response.is_success:
        return said
    field, message = said["error"]["field"], said["error"]["message"]
    if field:
        raise BadField(field, message)
    kinds: dict[int, type[MootError]] = {each.status: each for each in (TokenMissing, NotAllowed, NotFound, NotNow)}
    raise kinds.get(response.status_code, MootError)(message)
