"""Format ``lab``: a judge is measured.

``opening`` its request and its opening · ``setup`` what is measured with · ``steps`` what happens next · ``trials``
what is asked.
"""

from server.debate.formats.format import DebateFormat
from server.debate.formats.lab.opening import LabDebateRequest, build
from server.debate.formats.lab.steps import next_steps

FORMAT = DebateFormat(
    request=LabDebateRequest,
    build=build,
    next_steps=next_steps,
    is_long=True,
    loads="judge.lab.effects",
)
