"""Format ``calibration``: raters are measured with debates whose outcome is known.

``opening`` its request and its opening · ``cases`` the debates · ``steps`` what happens next.
"""

from server.debate.formats.calibration.opening import CalibrationRequest, build
from server.debate.formats.calibration.steps import next_steps
from server.debate.formats.format import DebateFormat

FORMAT = DebateFormat(request=CalibrationRequest, build=build, next_steps=next_steps)
