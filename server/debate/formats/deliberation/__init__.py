"""Format ``deliberation``: judges of an artifact give independent opinions, then discuss them in rounds.

``opening`` its request and its opening · ``steps`` what happens next.
"""

from server.debate.formats.deliberation.opening import DeliberationRequest, build
from server.debate.formats.deliberation.steps import next_steps
from server.debate.formats.format import DebateFormat

FORMAT = DebateFormat(request=DeliberationRequest, build=build, next_steps=next_steps, is_asked_once=True)
