"""Parts of the view as spectators of a blind debate see them before it has concluded: no model is named."""

from msgspec import UNSET
from msgspec.structs import replace

from events.state.briefing import ONE_MODEL
from events.state.debate import UNNAMED
from events.state.panel import PanelState, RaterState
from events.state.rounds import ProtocolState
from events.types import DebateOpened
from events.view.turn_view import TurnView


def unnamed_turn(turn: TurnView) -> TurnView:
    """Without the model that answered, and without what providers said of a failure."""
    failures = tuple(replace(each, message=UNNAMED) for each in turn.failures)
    return replace(turn, model="", failures=failures)


def unnamed_panel(panel: PanelState) -> PanelState:
    """The raters by their seats alone."""
    opinions = {
        number: {rater: replace(each, model="") for rater, each in said.items()}
        for number, said in panel.opinions.items()
    }
    return replace(panel, raters={name: _unnamed(each) for name, each in panel.raters.items()}, opinions=opinions)


def unnamed_protocol(protocol: ProtocolState, opened: DebateOpened) -> ProtocolState:
    """The briefing without the cautions that tell one model from another."""
    said = protocol.briefing
    if said is UNSET:
        return protocol
    raters = (each.caveat for each in opened.panel)
    telling = {ONE_MODEL, opened.pro.caveat, opened.con.caveat, opened.judge.caveat, *raters}
    kept = tuple(each for each in said.cautions if each not in telling)
    return replace(protocol, briefing=replace(said, cautions=kept))


def _unnamed(heard: RaterState) -> RaterState:
    scored = heard.scored if heard.scored is UNSET else replace(heard.scored, model="")
    return replace(heard, seat=replace(heard.seat, model="", caveat=""), scored=scored)
