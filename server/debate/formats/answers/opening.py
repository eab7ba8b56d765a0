"""The opening of formats ``answers`` and ``consultancy``: a question, two answers, and how the judge is helped."""

from typing import Annotated, ClassVar, Final, Literal

from msgspec import UNSET, Meta, Struct
from msgspec.structs import replace

from events.types import SIDES, AnswersSetup, Arm, Event, ItemSpeech, Letter, PassageReaders, PassageSupplied, Side
from judge.answers.prompt import SIDE_OF, TEMPLATE
from judge.templates import load_template
from server.debate.opening.build import Desk, Opening, opened, or_unset, rubric_of, seated
from server.debate.opening.request import MAX_MOTION, DebateRequest
from server.debate.opening.sides import debater
from server.debate.speech import clean
from server.errors import BadField

NO_QUESTION: Final = "formats answers and consultancy have a question with two answers, and no other format does"
MAX_PASSAGE: Final = 200_000
"""Characters of a passage."""
MAX_ANSWER: Final = 1000
MAX_ROUNDS: Final = 10
MAX_SPEECHES: Final = 100
MAX_SUPPLIED: Final = 20_000
"""Characters of a speech that was given elsewhere."""
WORDS: Final = 150
CONSULTANT_WORDS: Final = 200
ROUNDS: Final = 3
CRITIC: Final = "question.critic"
LANGUAGE_FROM: Final = 2000
"""Characters of a passage that its language is told from.  Cutting it short saves time."""
JUDGE_TEMPERATURE: Final = 0.0
"""As in Khan et al. 2024; the samples of a vote have the temperature of a debater."""

AnswersArm = Literal["naive", "debate", "critique", "vote"]
Text = Annotated[str, Meta(min_length=1, max_length=MAX_ANSWER, pattern=r"\S")]


class QuestionRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The part ``question`` of a request."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_MOTION, pattern=r"\S")]
    answers: Annotated[list[Text], Meta(min_length=2, max_length=2)]
    """A and B."""
    arm: AnswersArm = "debate"
    assigned: Letter | None = None
    """The answer that a consultant has to argue for, or a critic; without it a critic chooses."""
    critic: Annotated[str, Meta(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*$")] | None = None
    """The model of the critic."""
    passage: Annotated[str, Meta(max_length=MAX_PASSAGE)] = ""
    """The text that the question is about."""
    sees: PassageReaders = "debaters"
    rounds: Annotated[int, Meta(ge=1, le=MAX_ROUNDS)] = ROUNDS
    vote_tokens: Annotated[int, Meta(ge=1, le=10_000_000)] | None = None
    """Tokens after which no further sample is asked for, in a vote."""
    speeches: Annotated[list[ItemSpeech], Meta(max_length=MAX_SPEECHES)] = []
    """Speeches that were given elsewhere, in place of debaters; ``answer`` 0 is A."""


class AnswersRequest(DebateRequest, kw_only=True, forbid_unknown_fields=True):
    """A request for format ``answers``."""

    only: ClassVar[dict[str, tuple[str, str]]] = {"question": ("question", NO_QUESTION)}
    question: QuestionRequest | None = None

    def usual_motion(self) -> str:
        """The question."""
        return "" if self.question is None else clean(self.question.text).strip()

    def check(self) -> None:
        """Raise ``BadField`` for what does not go together."""
        asked = self.question
        if asked is None:
            raise BadField("question", NO_QUESTION)
        if self.panel is not None:
            raise BadField("panel", "a question with two answers has one judge and no panel")
        if self.judge.samples > 1:
            raise BadField("judge.samples", "a judge answers once; arm vote asks it again and again")
        if clean(asked.answers[0]).strip() == clean(asked.answers[1]).strip():
            raise BadField("question.answers", "the two answers are the same")
        if (asked.vote_tokens is None) == (self.arm == "vote"):
            raise BadField("question.vote_tokens", "arm vote needs the tokens after which it ends, and no other arm")
        if asked.speeches and self.arm != "debate":
            raise BadField("question.speeches", "supplied speeches are those of arm debate")
        if any(len(each.text) > MAX_SUPPLIED or each.round < 1 for each in asked.speeches):
            why = f"a speech has a round from 1 and at most {MAX_SUPPLIED:,} characters"
            raise BadField("question.speeches", why)
        if asked.assigned is not None and self.arm not in {"consultancy", "critique"}:
            raise BadField("question.assigned", "an answer is assigned to a consultant or a critic")
        if bool(asked.critic) != (self.arm == "critique"):
            raise BadField("question.critic", "arm critique has a critic, and no other arm does: name its model")
        super().check()

    @property
    def arm(self) -> Arm:
        """How the judge is helped."""
        assert self.question is not None, "the request was checked"
        return self.question.arm


class ConsultancyRequest(AnswersRequest, kw_only=True, forbid_unknown_fields=True):
    """A request for format ``consultancy``: the consultant is the debater of the side of the assigned answer."""

    def check(self) -> None:
        """Raise ``BadField`` without an assigned answer."""
        if self.question is not None and self.question.assigned is None:
            raise BadField("question.assigned", "a consultant has an answer to argue for: A or B")
        super().check()

    @property
    def arm(self) -> Arm:
        """It is part of the format."""
        return "consultancy"


async def build(request: AnswersRequest, desk: Desk) -> Opening:
    """The opening, and the passage that follows it.  Raises ``BadField``."""
    asked, arm = request.question, request.arm
    assert asked is not None, "the request was checked"
    speaks = _speaking(asked, arm)
    seats = await seated(
        request,
        desk,
        debaters=speaks,
        also={CRITIC: asked.critic} if arm == "critique" else {},
        may_count=lambda _: False,
    )
    speeches = tuple(replace(each, text=clean(each.text).strip()) for each in asked.speeches)
    setup = AnswersSetup(
        question=clean(asked.text).strip(),
        answers=(clean(asked.answers[0]).strip(), clean(asked.answers[1]).strip()),
        arm=arm,
        assigned=or_unset(asked.assigned),
        critic=seats.names.get(CRITIC, UNSET),
        sees=asked.sees,
        has_passage=bool(asked.passage.strip()),
        rounds=asked.rounds if speaks else max((each.round for each in speeches), default=0),
        vote_tokens=asked.vote_tokens or 0,
        speeches=speeches,
    )
    made = await opened(
        request,
        desk,
        rubric_of(request),
        seats,
        heard=(*asked.answers, asked.passage[:LANGUAGE_FROM]),
        turns=len(speeches) or len(speaks) * asked.rounds,
        max_words=request.max_words or (CONSULTANT_WORDS if arm in {"consultancy", "critique"} else WORDS),
        prompts={name: load_template(name) for name in (TEMPLATE, "whole")},
        question=setup,
        **{side: debater(request, side, seats) for side in speaks},
    )
    made = replace(made, settings=replace(made.settings, judge_temperature=JUDGE_TEMPERATURE))
    return Opening(made, _passage(asked))


def _speaking(asked: QuestionRequest, arm: Arm) -> tuple[Side, ...]:
    """The sides that have a debater."""
    if arm == "consultancy":
        return (SIDE_OF[asked.assigned or "A"],)
    return SIDES if arm == "debate" and not asked.speeches else ()


def _passage(asked: QuestionRequest) -> tuple[Event, ...]:
    text = clean(asked.passage).strip()
    if not text:
        return ()
    return (PassageSupplied(text=text) if asked.sees == "all" else PassageSupplied(withheld=text),)
