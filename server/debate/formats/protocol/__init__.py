"""Format ``protocol``: rounds of two statements, then the judgement.

``opening`` its request and its opening · ``steps`` what happens next · ``statements`` what a side is asked in a round ·
``material`` what a person reads with the form of a statement.
"""

from server.debate.formats.format import DebateFormat
from server.debate.formats.protocol.opening import ProtocolRequest, build
from server.debate.formats.protocol.steps import next_steps

FORMAT = DebateFormat(request=ProtocolRequest, build=build, next_steps=next_steps)
