"""Formats ``answers`` and ``consultancy``: a judge says which of two answers to a question is right.

In the first it does so alone, alone again and again, after a debate, or before and after a critique; in the second
after one model has argued for an assigned answer.

``opening`` their request and their opening ·
``speeches`` what is said for an answer · ``steps`` what happens next · ``cells`` the debates of a study.
"""

from server.debate.formats.answers.opening import AnswersRequest, ConsultancyRequest, build
from server.debate.formats.answers.steps import next_steps
from server.debate.formats.format import DebateFormat

FORMAT = DebateFormat(request=AnswersRequest, build=build, next_steps=next_steps)
CONSULTANCY = DebateFormat(request=ConsultancyRequest, build=build, next_steps=next_steps)
