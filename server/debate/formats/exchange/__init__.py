"""Format ``exchange``: the two sides speak in turn, and every turn is judged before the next one is prompted.

``opening`` its request and its opening · ``transcripts`` turns that were held elsewhere · ``steps`` what happens next ·
``judging`` the judge's questions and what follows from the answers.
"""

from server.debate.formats.exchange.opening import ExchangeRequest, build
from server.debate.formats.exchange.steps import next_steps
from server.debate.formats.format import DebateFormat

FORMAT = DebateFormat(request=ExchangeRequest, build=build, next_steps=next_steps)
