"""A person who judges a question with two answers: asks a consultant, and answers with a probability."""

from collections.abc import Callable

import pytest

from tests.server.debate.test_answers import PASSAGE, body
from tests.server.people.test_judging import send
from tests.server.people.test_protocol_seats import asked, faults_of
from tests.server.people.test_seats import seated
from tests.server.site import Site

pytestmark = pytest.mark.slow


def test_a_person_asks_a_consultant_and_says_which_answer_is_right(site: Site, script: Callable[..., str]) -> None:
    model = script(answers={"speech:*": {"speech": "She <quote>left the lamp burning</quote>, <quote>alas</quote>."}})
    debate = site.open(model, **{**body(model, "consultancy"), "judge": {"person": "Ben", "time_s": 600}})
    path = seated(site, debate, "judge")
    rules = " ".join(site.get(path)["says"]["rules"])
    assert "ask the consultant a question. Then you say which of the two answers is right" in rules
    assert "You do not read the passage" in rules
    assert "which side a speaker is on" not in rules
    question = asked(site, path, "inquire:1/0")

    assert question["form"]["title"] == "Ask the consultant"
    assert send(site, path, question, {"question": " "}).status_code == 422
    assert send(site, path, question, {"question": "Who put it out?"}).status_code == 200
    final = asked(site, path, "choose:final/0")
    read = {each["name"]: each["text"] for each in final["form"]["reading"]}
    assert read["1"] == "She “left the lamp burning” [in the passage], “alas” [not in the passage]."
    assert "After speech 1 you asked: Who put it out?" in str(final["form"]["context"])
    assert "rowed out" not in str(final), "the judge does not read the passage"
    shown = [site.client.get(f"/api/debates/{debate}{path}").text for path in ("", "/frames?limit=1000", "/log")]
    assert not any("rowed out" in each for each in shown)
    wrong = send(site, path, final, {"reason": "", "p_a": 0.9, "answer": "B"})
    assert faults_of(wrong) == {"answer": "By the probability that you give, A is right."}
    assert send(site, path, final, {"reason": "", "p_a": 0.1, "answer": "B"}).status_code == 200
    assert site.ended(debate)["winner"] == "con"
    view = site.get(f"/api/debates/{debate}")
    assert view["answers"]["passage"] == PASSAGE
    assert view["answers"]["questions"] == {"1": "Who put it out?"}
