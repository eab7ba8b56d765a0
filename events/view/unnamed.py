"""Parts of the view without names of models, for spectators of a blind debate that has not concluded."""

from msgspec import UNSET
from msgspec.structs import replace

from events.state.debate import UNNAMED
from events.state.folds.briefing import ONE_MODEL
from events.state.parts.panel import PanelState, RaterState
from events.state.parts.rounds import ProtocolState
from events.types import DebateOpened
from events.view.origin import unnamed_origin
from events.view.turn_view import TurnView


def unnamed_turn(turn: TurnView) -> TurnView:
    """The turn without its model, its speaker, and the messages of providers."""
    failures = tuple(replace(each, message=UNNAMED) for each in turn.failures)
    return replace(turn, model="", speaker=UNSET, origin=unnamed_origin(turn.origin), failures=failures)


def unnamed_panel(panel: PanelState) -> PanelState:
    """The panel without the raters' models."""
    opinions = {
        number: {rater: replace(each, model="") for rater, each in said.items()}
        for number, said in panel.opinions.items()
    }
    return replace(panel, raters={name: _unnamed(each) for name, each in panel.raters.items()}, opinions=opinions)


def unnamed_protocol(protocol: ProtocolState, opened: DebateOpened) -> ProtocolState:
    """The protocol whose briefing lacks the cautions that identify a model."""
    briefing = protocol.briefing
    if briefing is UNSET:
        return protocol
    raters = (each.caveat for each in opened.panel)
    judge = "" if opened.judge.baseline else opened.judge.caveat
    identifying = {ONE_MODEL, opened.pro.caveat, opened.con.caveat, judge, *raters}
    kept = tuple(each for each in briefing.cautions if each not in identifying)
    return replace(protocol, briefing=replace(briefing, cautions=kept))


def _unnamed(heard: RaterState) -> RaterState:
    scored = heard.scored if heard.scored is UNSET else replace(heard.scored, model="")
    return replace(heard, seat=replace(heard.seat, model="", caveat=""), scored=scored)
