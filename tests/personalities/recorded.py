"""Debates with a record: turns in given words, and what a judge found in them, located by quote."""

from events.state.debate import Debate
from events.types import (
    ClaimFlagged,
    ContradictionFound,
    DirectiveIssued,
    Event,
    FlagKind,
    LogicGapAdjusted,
    OpponentAnswered,
    PenaltyApplied,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    PremiseWithdrawn,
    Side,
)
from events.types.scores import Passage
from judge.rubrics.rubric import rubric_v2
from personalities.pressure import after_exchange
from personalities.prompt import debater_template
from tests.judge.turns import spoken_turn
from tests.personalities.exchanges import GOOD, compared, fold, opened, scored, speaker

RUBRIC = rubric_v2()


class RecordedDebate:
    """A debate of ``turns`` turns that grows turn by turn; ``told`` has the directives by the turn that gets them."""

    def __init__(self, turns: int = 8) -> None:
        opening = opened(turns=turns, rubric=RUBRIC, prompts={"debater": debater_template()})
        self.turns = turns
        self.events: list[Event] = []
        self.debate = Debate()
        self.add(opening)
        self.texts: dict[int, str] = {}
        self.told: dict[int, str] = {}

    def add(self, *events: Event) -> None:
        self.events += events
        self.debate = fold(self.debate, *events)

    def turn(self, text: str) -> None:
        """The next turn is spoken and scored; its findings follow, then ``exchange``."""
        number = len(self.texts) + 1
        self.texts[number] = text
        started, score = scored(number, GOOD)
        self.add(started, spoken_turn(number, text), score)

    def exchange(self, winner: Side | None = None) -> str:
        """Compare the two newest turns and record what follows; return the directive for the next turn."""
        newest = len(self.texts)
        self.add(compared(newest, winner))
        for event in after_exchange(self.debate, self.debate.exchanges.comparisons[newest]):
            self.add(event)
            if isinstance(event, DirectiveIssued):
                assert event.side == speaker(newest + 1)
                self.told[newest + 1] = event.text
        return self.told.get(newest + 1, "")

    def passage(self, turn: int, quote: str) -> Passage:
        start = self.texts[turn].index(quote)
        return Passage(turn=turn, quote=quote, span=(start, start + len(quote)))

    def claim(self, turn: int, quote: str, reason: str = "", cost: float = 1, kind: FlagKind = "overclaim") -> str:
        found = self.passage(turn, quote)
        name = f"C{turn}.{1 + sum(each.turn == turn for each in self.debate.claims.values())}"
        self.add(
            ClaimFlagged(claim=name, turn=turn, quote=quote, span=found.span, kind=kind, reason=reason, by="judge")
        )
        if cost:
            at = self.debate.position
            self.add(
                PenaltyApplied(
                    turn=turn, dimension="logic", requested=-cost, applied=-cost, rule=kind, because_of=at, claim=name
                )
            )
        return name

    def flaw(self, turn: int, fails: str, exposed_by: str, reason: str = "", cost: float = 2) -> None:
        newest = len(self.texts)
        self.add(
            LogicGapAdjusted(
                turn=turn,
                dimension="logic",
                requested=-cost,
                applied=-cost,
                rule="logic_gap",
                because_of=self.debate.position,
                reason=reason,
                fails=self.passage(turn, fails),
                exposed_by=self.passage(newest, exposed_by),
            )
        )

    def premise(self, quote: str, text: str) -> str:
        newest = len(self.texts)
        name = f"P{newest}.{1 + sum(each.turn == newest for each in self.debate.spine.premises.values())}"
        found = self.passage(newest, quote)
        self.add(
            PremiseStated(premise=name, side=speaker(newest), turn=newest, text=text, quote=quote, span=found.span)
        )
        return name

    def revise(self, name: str, text: str) -> None:
        self.add(PremiseRevised(premise=name, turn=len(self.texts), text=text))

    def drop(self, name: str) -> None:
        self.add(PremiseDropped(premise=name, turn=len(self.texts), reason="not a word"))

    def withdraw(self, name: str, quote: str) -> None:
        newest = len(self.texts)
        found = self.passage(newest, quote)
        self.add(PremiseWithdrawn(premise=name, turn=newest, quote=quote, span=found.span))

    def contradict(self, *names: str, reason: str = "") -> None:
        newest = len(self.texts)
        turns = tuple(sorted({self.debate.spine.premises[name].turn for name in names} | {newest}))
        self.add(ContradictionFound(side=speaker(newest), turns=turns, premises=names, reason=reason))

    def answer(self, *names: str) -> None:
        self.add(OpponentAnswered(turn=len(self.texts), answered=names))
