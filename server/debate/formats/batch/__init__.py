"""Format ``batch``: many debates by one plan, each opened exactly once, within one budget.

``opening`` its request and its opening · ``plan`` the debates that a plan means · ``steps`` what happens next.  How a
debate of it is opened and waited for: ``server.debate.setup.debates``.
"""

from server.debate.formats.batch.opening import BatchDebateRequest, build
from server.debate.formats.batch.steps import next_steps
from server.debate.formats.format import DebateFormat

FORMAT = DebateFormat(request=BatchDebateRequest, build=build, next_steps=next_steps, is_long=True)
