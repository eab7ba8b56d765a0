"""Turns as speech and recordings over HTTP: who may hear what, what is made once, and what a failure looks like."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.view.origin import OriginKind, OriginView
from events.view.view import View
from server.http import speech
from server.speech import mp3
from server.speech.recording import generated_sentence, script_of
from server.speech.sound import Sound, joined
from server.speech.voice import Voice
from tests.server.debate.test_supplied import TOWN_HALL
from tests.server.http.test_labels import label
from tests.server.http.test_origins import supplied
from tests.server.http.test_secrets import SPECTATOR, TOKEN
from tests.server.site import Site, from_address, refused, serving
from tests.server.speech_server import SpeechServer, mp3_of, speaking

PRO, CON = "Trams carry people.", "No."
VOICE = Voice("tts-test", "http://host/v1", {"pro": "alloy", "con": "onyx"})


@pytest.fixture
def server() -> Iterator[SpeechServer]:
    with speaking() as running:
        yield running


@pytest.fixture
def voiced(server: SpeechServer, request: pytest.FixtureRequest) -> Iterator[Site]:
    """A server beyond loopback with a token and a voice; spectators ask it."""
    settings = getattr(request, "param", {})
    for site in serving(host="0.0.0.0", token="s3cret-0123456789", voice=server.voice, **settings):
        site.client.headers.update(SPECTATOR)
        yield site


@pytest.fixture
def debate(voiced: Site, script: Any) -> str:
    return opened(voiced, script)


def opened(site: Site, script: Any, **request: Any) -> str:
    site.client.headers.update(TOKEN)
    debate = site.open(script(says={"pro": [PRO], "con": [CON]}), **request)
    site.ended(debate)
    site.client.headers.update(SPECTATOR)
    return debate


def spoken(server: SpeechServer) -> list[str]:
    return [each["input"] for each in server.asked]


def test_a_turn_is_spoken_once_in_the_voice_of_its_side(voiced: Site, debate: str, server: SpeechServer) -> None:
    paths = [f"/api/debates/{debate}/turns/{n}/speech" for n in (1, 2)]
    first, second = (voiced.client.get(path) for path in paths)

    sound = joined([mp3_of(PRO)])
    assert sound is not None
    assert (200, "audio/mpeg", sound.body) == (first.status_code, first.headers["content-type"], first.content)
    assert "private, no-cache" == first.headers["cache-control"]
    assert "media-src blob:" in first.headers["content-security-policy"]
    assert 200 == second.status_code
    assert first.content == voiced.client.get(paths[0]).content
    assert 304 == voiced.client.get(paths[0], headers={"if-none-match": first.headers["etag"]}).status_code
    assert [(PRO, "alloy"), (CON, "onyx")] == [(each["input"], each["voice"]) for each in server.asked]
    assert "openai:tts-test" == voiced.get("/api/session")["voice"]


def test_listeners_who_ask_at_once_share_one_call(voiced: Site, debate: str, server: SpeechServer) -> None:
    server.days.append("slow")
    path, bodies = f"/api/debates/{debate}/turns/1/speech", list[bytes]()
    asking = [threading.Thread(target=lambda: bodies.append(voiced.client.get(path).content)) for _ in range(3)]
    for thread in asking:
        thread.start()
    assert server.has_begun.wait(30)
    server.is_free.set()
    for thread in asking:
        thread.join()

    assert 1 == len(server.asked)
    assert 1 == len(set(bodies))
    assert 3 == len(bodies)


def test_what_cannot_be_spoken(voiced: Site, debate: str, slow: str, server: SpeechServer) -> None:
    path = f"/api/debates/{debate}/turns"
    refused(voiced.client.get(f"{path}/3/speech"), 404, says="has no turn 3")
    refused(voiced.client.get(f"{path}/x/speech"), 404, says="has no turn x")
    refused(voiced.client.get("/api/debates/none/turns/1/speech"), 404)
    voiced.client.headers.update(TOKEN)
    running = voiced.open(slow)
    voiced.watch(running, "turn_started")
    refused(voiced.client.get(f"/api/debates/{running}/turns/1/speech"), 409, says="turn 1 has not been spoken yet")
    refused(voiced.client.get(f"/api/debates/{running}/export.audio"), 409, says="nothing has been spoken yet")

    assert not server.asked


def test_without_a_voice_there_is_no_speech(site: Site, script: Any) -> None:
    debate = opened(site, script)

    for path in ("turns/1/speech", "export.audio"):
        refused(site.client.get(f"/api/debates/{debate}/{path}"), 404, says="no voice is configured here")
    assert "voice" not in site.get("/api/session")


@pytest.mark.parametrize(
    ("day", "status", "says"),
    [("busy", 429, "too many requests"), ("broken", 503, "status 500"), ("a page", 502, "text/html")],
)
def test_a_failure_of_the_voice_is_an_error_in_words(
    voiced: Site, debate: str, server: SpeechServer, day: str, status: int, says: str
) -> None:
    server.days.extend([day] * 3)
    path = f"/api/debates/{debate}/turns/1/speech"

    answer = voiced.client.get(path)

    refused(answer, status, says=says)
    assert ("20" if day == "busy" else None) == answer.headers.get("retry-after")
    if day != "busy":
        assert 200 == voiced.client.get(path).status_code


@pytest.mark.slow
@pytest.mark.parametrize("path", ["turns/1/speech", "export.audio"])
def test_speech_is_as_private_as_its_debate(voiced: Site, debate: str, server: SpeechServer, path: str) -> None:
    link = label(voiced, debate, unlisted=True)["link"].partition("link=")[2]
    assert link
    address = f"/api/debates/{debate}/{path}"

    refused(voiced.client.get(address), 404)
    refused(voiced.client.get(f"{address}?link=wrong"), 404)
    assert not server.asked
    assert 200 == voiced.client.get(f"{address}?link={link}").status_code
    refused(voiced.client.get(address), 404)


@pytest.mark.parametrize("voiced", [{"voice_per_minute": 1}], indirect=True)
def test_spectators_together_have_a_limited_number_of_turns_spoken_anew(
    voiced: Site, debate: str, server: SpeechServer
) -> None:
    one, two = (f"/api/debates/{debate}/turns/{n}/speech" for n in (1, 2))
    assert [200, 200] == [voiced.client.get(one).status_code for _ in range(2)]

    over = from_address(voiced, "198.51.100.9", two)
    refused(over, 429, says="too many turns were spoken from all spectators in a minute: the limit is 1")
    assert int(over.headers["retry-after"]) > 0
    assert [PRO] == spoken(server)
    assert 200 == voiced.client.get(two, headers=TOKEN).status_code
    assert 200 == from_address(voiced, "198.51.100.9", two).status_code


@pytest.mark.parametrize("voiced", [{"voice_per_minute": 0}], indirect=True)
def test_without_an_allowance_only_operators_have_turns_spoken(voiced: Site, debate: str, server: SpeechServer) -> None:
    path = f"/api/debates/{debate}/turns/1/speech"

    refused(voiced.client.get(path), 401)
    assert not server.asked
    assert 200 == voiced.client.get(path, headers=TOKEN).status_code
    assert 200 == voiced.client.get(path).status_code


@pytest.mark.slow
def test_a_recording_begins_by_saying_that_it_is_generated(voiced: Site, debate: str, server: SpeechServer) -> None:
    answer = voiced.client.get(f"/api/debates/{debate}/export.audio")

    assert 200 == answer.status_code, answer.text
    about, headline = script_of(hub_view(voiced, debate), VOICE)[0][1], voiced.get(f"/api/debates/{debate}")["outcome"]
    told = [about, PRO, CON, f"The outcome. {headline['headline']}."]
    assert about.startswith("This recording is generated. The voices are synthetic, made by the model tts-test. ")
    assert sorted(told) == sorted(spoken(server))
    frames = mp3.frames_of(answer.content)
    assert sum(map(len, told)) + 4 * 29 == len(frames)
    assert answer.content.startswith(b"ID3")
    assert b"This recording is generated." in answer.content
    assert 'filename="moot-cities-should-ban-cars-' in answer.headers["content-disposition"]
    assert answer.headers["content-disposition"].endswith('.mp3"')
    assert answer.content == voiced.client.get(f"/api/debates/{debate}/export.audio").content
    assert 4 == len(server.asked)


@pytest.mark.slow
def test_a_recording_that_fails_keeps_what_was_made(voiced: Site, debate: str, server: SpeechServer) -> None:
    server.days.extend(["locked"])
    path = f"/api/debates/{debate}/export.audio"

    refused(voiced.client.get(path), 401, says="VOICE_API_KEY")
    assert 4 == len(server.asked)
    assert 200 == voiced.client.get(path).status_code
    assert 5 == len(server.asked)


def test_a_voice_that_gives_opus_speaks_and_records_nothing(voiced: Site, debate: str, server: SpeechServer) -> None:
    server.forms = {"opus": lambda text: b"OggS" + text.encode()}
    turn = voiced.client.get(f"/api/debates/{debate}/turns/1/speech")

    assert ("audio/ogg", b"OggS" + PRO.encode()) == (turn.headers["content-type"], turn.content)
    refused(voiced.client.get(f"/api/debates/{debate}/export.audio"), 409, says="this voice gives opus")


def test_sounds_that_are_being_sent_take_a_bounded_room(
    voiced: Site, debate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/api/debates/{debate}/turns/1/speech"
    etag = voiced.client.get(path).headers["etag"]
    other = Sound("mp3", b"x" * 10_000)
    voiced.state.sounds["other"] = other  # type: ignore[attr-defined]
    monkeypatch.setattr(speech, "MAX_SENDING", 10_000)

    refused(voiced.client.get(path), 429, says="as many long answers as it can")
    assert 304 == voiced.client.get(path, headers={"if-none-match": etag}).status_code
    monkeypatch.setattr(speech, "MAX_SENDING", 20_000)
    assert 200 == voiced.client.get(path).status_code


def test_the_sounds_of_a_deleted_debate_are_gone(voiced: Site, debate: str, server: SpeechServer) -> None:
    path = f"/api/debates/{debate}/turns/1/speech"
    assert 200 == voiced.client.get(path).status_code
    kept = voiced.state.speaker._kept._kept  # type: ignore[attr-defined]
    assert 1 == len(kept)

    assert 200 == voiced.client.delete(f"/api/debates/{debate}", headers=TOKEN).status_code

    refused(voiced.client.get(path), 410)
    refused(voiced.client.get(f"/api/debates/{debate}/export.audio"), 410)
    assert not kept


def test_a_debate_that_is_deleted_while_it_is_spoken_keeps_no_sound(
    voiced: Site, debate: str, server: SpeechServer
) -> None:
    server.days.append("slow")
    answers = list[Any]()
    path = f"/api/debates/{debate}/turns/1/speech"
    asking = threading.Thread(target=lambda: answers.append(voiced.client.get(path)))
    asking.start()
    assert server.has_begun.wait(30)
    assert 200 == voiced.client.delete(f"/api/debates/{debate}", headers=TOKEN).status_code
    server.is_free.set()
    asking.join()

    refused(answers[0], 410)
    assert not voiced.state.speaker._kept._kept  # type: ignore[attr-defined]


def hub_view(site: Site, debate: str) -> View:
    found: View = site.client.portal.call(site.service.hub.view, debate)  # type: ignore[attr-defined,union-attr]
    return found


@pytest.mark.slow
def test_a_recording_says_whose_the_words_are_and_no_more(voiced: Site, debate: str) -> None:
    view = hub_view(voiced, debate)
    town_hall = hub_view(voiced, supplied(voiced, *TOWN_HALL, **TOKEN))

    def by(pro: OriginKind, con: OriginKind) -> View:
        kinds = {"pro": pro, "con": con}
        turns = {
            number: replace(each, origin=OriginView(kind=kinds[each.side], text=""))
            for number, each in view.turns.items()
        }
        return replace(view, turns=turns)

    script = "a script that was written beforehand"
    begins = "This recording is generated. The voices are synthetic, made by the model tts-test. "
    for shown, says in (
        (view, f"The words are by {script}."),
        (by("model", "model"), "The words are generated too: language models wrote them."),
        (by("person", "person"), "The words are by people."),
        (by("model", "script"), f"The words of Pro are by language models. The words of Con are by {script}."),
        (town_hall, "The words are by speakers in a debate that was held elsewhere."),
    ):  # fmt: skip
        assert begins + says == generated_sentence(shown, VOICE)


def test_a_recording_of_a_debate_that_goes_on_says_where_it_ends(voiced: Site, debate: str) -> None:
    view = hub_view(voiced, debate)
    turns = {"1": view.turns["1"], "2": replace(view.turns["2"], spoken=UNSET)}

    ended = script_of(view, VOICE)
    running = script_of(replace(view, state="open", turns=turns), VOICE)

    assert ["About this recording", "Turn 1: Pro", "Turn 2: Con", "The outcome"] == [title for title, _, _ in ended]
    assert "has not ended" not in ended[0][1]
    assert ["About this recording", "Turn 1: Pro"] == [title for title, _, _ in running]
    assert running[0][1].endswith("Pro speaks first. The debate has not ended: this recording ends with turn 1.")
    assert ["con", "pro", "con", "con"] == [side for _, _, side in ended]
