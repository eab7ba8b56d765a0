"""What an operator does to a debate, by its place in the API: one table for the routes and the terminal.

``read`` makes the command of a request, and what the answer says besides the position of its event.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final
from urllib.parse import quote

from msgspec import Meta, Struct

from events.types import POLL_ROUNDS, PollRound
from server.debate.acts import LabelRequest, label_event, read_decision, read_labels, read_word
from server.debate.commands import (
    AddWord,
    AnswerHosted,
    Appeal,
    ClosePoll,
    Command,
    Decide,
    Halt,
    Label,
    MakeSeatLink,
    Pause,
    Resume,
    RevokeSeatLink,
)
from server.errors import BadField
from server.people.links import digest_of_link, new_token

MAX_REASON: Final = 500
"""Characters."""


class OperatorRequest(Struct, frozen=True, kw_only=True):
    """What an operator asks for.  ``place``: the parts of the path, ``debate`` among them; ``by``: who asks."""

    fields: dict[str, Any]
    place: Mapping[str, str]
    by: str


class OperatorAct(Struct, frozen=True):
    """A command, and what its answer says besides the position."""

    command: Command
    answer: dict[str, str] = {}


Read = Callable[[OperatorRequest], OperatorAct]


class Act(Struct, frozen=True):
    """How the command of a request is made, and the type of the request's body; None without one."""

    read: Read
    body: Any = None

    def __call__(self, asked: OperatorRequest) -> OperatorAct:
        """Raises ``BadField``."""
        return self.read(asked)


class ReasonBody(Struct, frozen=True, kw_only=True):
    """Why, in the words of the operator."""

    reason: Annotated[str, Meta(max_length=MAX_REASON)] = ""


class ResumeBody(ReasonBody, frozen=True, kw_only=True):
    """Why, and the new cap on cost, if it gets one."""

    max_cost_usd: Annotated[float, Meta(gt=0)] | None = None


class WordBody(Struct, frozen=True, kw_only=True):
    """A message to both debaters."""

    text: str
    by: str = "moderator"


class DecisionBody(Struct, frozen=True, kw_only=True):
    """What a person decides where the panel names no winner."""

    decision: str
    reason: str
    by: str = "moderator"


class ClosePollBody(Struct, frozen=True, kw_only=True):
    """The vote to close, if it may be no other."""

    when: PollRound | None = None


class HostedAnswer(Struct, frozen=True, kw_only=True):
    """The answer to a hosted question: a text, or JSON values where the question has a schema."""

    question: str
    answer: str | dict[str, Any]


def _label(asked: OperatorRequest) -> OperatorAct:
    labelled, token = label_event(read_labels(asked.fields), asked.by)
    link = {"link": f"/d/{quote(asked.place['debate'])}?link={token}"} if token else {}
    return OperatorAct(Label(labelled), link)


def _close_poll(asked: OperatorRequest) -> OperatorAct:
    when = asked.fields.get("when")
    if when is not None and when not in POLL_ROUNDS:
        raise BadField("when", f"when is one of {', '.join(POLL_ROUNDS)}")
    return OperatorAct(ClosePoll(when, asked.by))


def _answer_hosted(asked: OperatorRequest) -> OperatorAct:
    question, answer = asked.fields.get("question"), asked.fields.get("answer")
    if not isinstance(question, str) or not isinstance(answer, str | dict):
        raise BadField("answer", "give the id of the question, and the answer as a text or a JSON object")
    return OperatorAct(AnswerHosted(question, answer))


def seat_link(asked: OperatorRequest) -> OperatorAct:
    """A new link of a person's seat; an earlier one is void."""
    token = new_token(asked.place["debate"], asked.place["seat"])
    command = MakeSeatLink(asked.place["seat"], digest_of_link(token), asked.by)
    return OperatorAct(command, {"link": f"/seat/{quote(token)}"})


ACTS: Final[dict[tuple[str, str], Act]] = {
    ("POST", "pause"): Act(lambda asked: OperatorAct(Pause(_reason(asked.fields), asked.by)), ReasonBody),
    ("POST", "resume"): Act(
        lambda asked: OperatorAct(Resume(_reason(asked.fields), asked.by, _cap(asked.fields))), ResumeBody
    ),
    ("POST", "halt"): Act(lambda asked: OperatorAct(Halt(_reason(asked.fields), asked.by)), ReasonBody),
    ("POST", "say"): Act(lambda asked: OperatorAct(AddWord(read_word({"by": asked.by, **asked.fields}))), WordBody),
    ("POST", "labels"): Act(_label, LabelRequest),
    ("POST", "decision"): Act(
        lambda asked: OperatorAct(Decide(**read_decision({"by": asked.by, **asked.fields}))), DecisionBody
    ),
    ("POST", "poll/close"): Act(_close_poll, ClosePollBody),
    ("POST", "hosted/answer"): Act(_answer_hosted, HostedAnswer),
    ("POST", "claims/{claim}/appeal"): Act(lambda asked: OperatorAct(Appeal(asked.place["claim"], asked.by))),
    ("POST", "seats/{seat}/link"): Act(seat_link),
    ("DELETE", "seats/{seat}/link"): Act(lambda asked: OperatorAct(RevokeSeatLink(asked.place["seat"], asked.by))),
}
"""By method, and by the path behind that of the debate."""


def _reason(fields: dict[str, Any]) -> str:
    """Raises ``BadField``."""
    reason = fields.get("reason", "")
    if not isinstance(reason, str) or len(reason) > MAX_REASON:
        raise BadField("reason", f"a reason is a text of at most {MAX_REASON} characters")
    return reason


def _cap(fields: dict[str, Any]) -> float | None:
    """The new cap on cost that a resumption may bring.  Raises ``BadField``."""
    cap = fields.get("max_cost_usd")
    if cap is None:
        return None
    if isinstance(cap, bool) or not isinstance(cap, int | float) or not 0 < cap < float("inf"):
        raise BadField("max_cost_usd", "a cap is a number of US dollars above 0")
    return float(cap)
