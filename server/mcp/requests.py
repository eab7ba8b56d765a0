"""The requests of the tools that open a debate: the bodies that the page and the commands would post.

Each function's parameters are the arguments of its tool, in order.
"""

from typing import Annotated, Any, Final

import msgspec
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from server.client.connection import AsyncClient
from server.people.names import HOSTED_PREFIX
from server.transcripts.sides import TranscriptSplit, supplied_body, with_others, with_sides

MODEL: Final = "as provider:model (list_models names them); without it, the default"
HostedName = Annotated[
    str,
    Field(
        description="Your own name, such as claude-opus: then you speak and judge for every seat that names no "
        "model, by the tool hosted_question, and no key is needed. Empty for the models of this server.",
        max_length=60,
        pattern=r"^[A-Za-z0-9._-]*$",
    ),
]
Motion = Annotated[str, Field(description="What is debated, as one statement.", min_length=1, max_length=2000)]
JudgeModel = Annotated[
    str | None, Field(description=f"The judge, {MODEL}. baseline:lexical counts and needs no model.")
]
Cap = Annotated[
    float | None, Field(description="US dollars at which it halts; the operator's cap holds beside it.", gt=0)
]
JUDGES: Final = 5


async def debate_body(
    client: AsyncClient,
    motion: Motion,
    turns: Annotated[int, Field(ge=1, le=200)] = 6,
    pro: Annotated[str | None, Field(description=f"Who speaks for it, {MODEL}.")] = None,
    con: Annotated[str | None, Field(description=f"Who speaks against it, {MODEL}.")] = None,
    judge: JudgeModel = None,
    hosted: HostedName = "",
    max_cost_usd: Cap = None,
) -> dict[str, Any]:
    """The request of a debate between two models."""
    del client
    body: dict[str, Any] = {"motion": motion, "turns": turns}
    for seat, model in (("pro", pro), ("con", con), ("judge", judge)):
        if chosen := model or _own(hosted):
            body[seat] = {"model": chosen}
    return _with_cap(body, max_cost_usd)


async def deliberation_body(
    client: AsyncClient,
    text: Annotated[str, Field(description="The text to judge: a design, a plan, a diff.", min_length=1)],
    purpose: Annotated[str, Field(description="What it is judged for: a design to build from.", max_length=300)],
    name: Annotated[str, Field(description="What the text is called, such as design.md.", max_length=1000)] = "text",
    judge: Annotated[str | None, Field(description=f"The model of all five judges, {MODEL}.")] = None,
    panel: Annotated[
        list[str] | None, Field(description="Models of the judges in place of one; they take turns.")
    ] = None,
    hosted: HostedName = "",
    max_cost_usd: Cap = None,
) -> dict[str, Any]:
    """The request of a deliberation: five judges of a text, first each for itself."""
    del client
    body: dict[str, Any] = {
        "format": "deliberation",
        "artifact": {"name": name, "text": text, "purpose": purpose},
    }
    if chosen := judge or (panel[0] if panel else "") or _own(hosted):
        body["judge"] = {"model": chosen}
    if panel:
        body["panel"] = panel
    return _with_cap(body, max_cost_usd)


async def transcript_body(
    client: AsyncClient,
    text: Annotated[str, Field(description="The transcript, with the names of the speakers.", min_length=1)],
    name: Annotated[
        str, Field(description="Its file name: the ending says its form.", max_length=200)
    ] = "transcript.txt",
    motion: Annotated[str | None, Field(description="What was debated, if the file does not say.")] = None,
    pro: Annotated[list[str] | None, Field(description="The speakers for the motion.")] = None,
    con: Annotated[list[str] | None, Field(description="The speakers against it.")] = None,
    judge: JudgeModel = None,
    hosted: HostedName = "",
    max_cost_usd: Cap = None,
) -> dict[str, Any]:
    """The request that judges a debate held elsewhere.  Raises ``ToolError`` where sides or motion are not settled."""
    found = await client.post("/api/transcripts/preview", {"name": name, "text": text})
    split = msgspec.convert(found, TranscriptSplit)
    given = {**dict.fromkeys(pro or (), "pro"), **dict.fromkeys(con or (), "con")}
    known = [each.name for each in split.speakers]
    if unknown := given.keys() - set(known):
        raise ToolError(f"{', '.join(sorted(unknown))}: none of the speakers, who are {', '.join(known)}")
    split = with_sides(split, msgspec.convert(given, dict[str, Any]))
    if guessed := [each.name for each in split.speakers if each.guessed and each.side in {"pro", "con"}]:
        raise ToolError(
            f"say in pro and con where they stand: {', '.join(guessed)}. The speakers are {', '.join(known)}"
        )
    if not (about := motion or split.motion):
        raise ToolError("the transcript names no motion: give it")
    split = with_others(split, "context")
    body: dict[str, Any] = {"motion": about, "transcript": supplied_body(split, split.source or name, split.licence)}
    if chosen := judge or _own(hosted):
        body["judge"] = {"model": chosen}
    return _with_cap(body, max_cost_usd)


def _own(hosted: str) -> str:
    return f"{HOSTED_PREFIX}{hosted}" if hosted else ""


def _with_cap(body: dict[str, Any], cap: float | None) -> dict[str, Any]:
    return body if cap is None else {**body, "max_cost_usd": cap}
