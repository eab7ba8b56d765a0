"""The calls to a server of voices, also on its bad days."""

from collections.abc import Iterator

import anyio
import pytest
from anyio import to_thread
from hypothesis import given
from hypothesis import strategies as st

from providers.errors import (
    BadRequest,
    BrokenOff,
    NotAuthorised,
    Overloaded,
    ProviderError,
    RateLimited,
    TimedOut,
    Unreachable,
)
from server.errors import BadField
from server.settings import Settings
from server.speech.sound import Sound, joined
from server.speech.voice import MAX_PART, parts_of, voice_of
from server.speech.voice import SpeechServer as Voices
from tests.server.speech_server import SpeechServer, mp3_of, speaking, wav_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def server() -> Iterator[SpeechServer]:
    with speaking() as running:
        yield running


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "VOICE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def voices(server: SpeechServer, **settings: object) -> Voices:
    chosen = Settings(voice=server.voice, retry_ms=0, **settings)  # type: ignore[arg-type]
    voice = voice_of(chosen)
    assert voice is not None
    return Voices(voice, chosen)


async def test_each_side_speaks_with_its_voice(server: SpeechServer) -> None:
    asking = voices(server, voice_pro="ada", voice_con="bob")

    sounds = [await asking.sound("Cars are loud.", side) for side in ("pro", "con")]  # type: ignore[arg-type]

    body = {"model": "tts-test", "input": "Cars are loud.", "response_format": "mp3"}
    assert [body | {"voice": "ada"}, body | {"voice": "bob"}] == server.asked
    assert [joined([mp3_of("Cars are loud.")])] * 2 == sounds


async def test_a_long_turn_is_asked_for_in_parts_and_is_one_sound(server: SpeechServer) -> None:
    text = "This is a sentence of a long speech. " * 150

    sound = await voices(server).sound(text, "pro")

    assert text == "".join(each["input"] for each in server.asked)
    assert 1 < len(server.asked)
    assert all(len(each["input"]) <= MAX_PART and each["input"].rstrip().endswith(".") for each in server.asked)
    assert joined([mp3_of(text)]) == sound


@given(st.text(st.characters(codec="utf-8"), max_size=200), st.integers(8, 40))
def test_parts_are_the_text(text: str, most: int) -> None:
    parts = list(parts_of(text, most))

    assert all(len(part) <= most for part in parts)
    assert text.rstrip() == "".join(parts).rstrip()


async def test_a_server_without_mp3_is_asked_for_another_form_from_then_on(server: SpeechServer) -> None:
    del server.forms["mp3"]
    asking = voices(server)

    sounds = [await asking.sound(text, "pro") for text in ("One.", "Two.")]

    assert ["mp3", "wav", "wav"] == [each["response_format"] for each in server.asked]
    assert [joined([wav_of("One.")]), joined([wav_of("Two.")])] == sounds
    server.forms.clear()
    with pytest.raises(BadRequest, match="response_format opus is not supported"):
        await asking.sound("Three.", "pro")


@pytest.mark.parametrize(
    ("day", "error", "says"),
    [
        ("broken", Overloaded, "the server of the voices says: status 500"),
        ("a page", BrokenOff, r"no sound that Moot knows \(text/html, 35 bytes\)"),
        ("empty", BrokenOff, r"no sound that Moot knows \(audio/mpeg, 0 bytes\)"),
        ("cut", BrokenOff, "the server of the voices broke off"),
        ("busy for a moment", RateLimited, "too many requests"),
    ],
)
async def test_a_failure_that_may_pass_is_asked_again(
    server: SpeechServer, day: str, error: type[ProviderError], says: str
) -> None:
    server.days.extend([day, day])
    asking = voices(server)

    assert isinstance(await asking.sound("Cars.", "pro"), Sound)
    assert 3 == len(server.asked)
    server.days.extend([day] * 3)
    with pytest.raises(error, match=says):
        await asking.sound("Cars.", "pro")
    assert 6 == len(server.asked)


async def test_a_server_that_says_how_long_to_wait_is_left_alone_for_so_long(server: SpeechServer) -> None:
    server.days.append("busy")
    asking = voices(server)

    for _ in range(3):
        with pytest.raises(RateLimited) as caught:
            await asking.sound("Cars.", "pro")
        assert caught.value.retry_after_s is not None
        assert 0 < caught.value.retry_after_s <= 20
    assert 1 == len(server.asked)


async def test_what_will_not_pass_is_asked_once(server: SpeechServer) -> None:
    server.days.append("locked")
    with pytest.raises(NotAuthorised, match="set VOICE_API_KEY"):
        await voices(server).sound("Cars.", "pro")
    assert 1 == len(server.asked)
    server.days.append("slow")
    with pytest.raises(TimedOut, match=r"gave no whole answer within 0.05 s"):
        await voices(server, turn_timeout_s=0.05).sound("Cars.", "pro")
    gone = voice_of(Settings(voice="openai:tts-test@http://127.0.0.1:1"))
    assert gone is not None
    with pytest.raises(Unreachable, match=r"does not answer at its address"):
        await Voices(gone, Settings(attempts=1)).sound("Cars.", "pro")


async def test_a_slow_server_is_waited_for(server: SpeechServer) -> None:
    server.days.append("slow")
    made = list[Sound]()

    async def ask() -> None:
        made.append(await voices(server).sound("Cars.", "pro"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        assert await to_thread.run_sync(server.has_begun.wait, 30)
        assert not made
        server.is_free.set()

    assert 1 == len(made)


async def test_the_key_of_the_models_is_sent_to_their_address_only(
    server: SpeechServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-secret-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    await voices(server).sound("One.", "pro")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/")
    await voices(server).sound("Two.", "pro")
    monkeypatch.setenv("VOICE_API_KEY", "voice-key-0123456789")
    await voices(server).sound("Three.", "pro")

    assert [None, f"Bearer {secret}", "Bearer voice-key-0123456789"] == server.keys
    server.days.append("locked")
    with pytest.raises(NotAuthorised) as caught:
        await voices(server).sound("Four.", "pro")
    assert secret not in caught.value.message
    assert "is VOICE_API_KEY right?" in caught.value.message


def test_a_voice_is_a_model_and_perhaps_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    assert voice_of(Settings()) is None
    plain, named = voice_of(Settings(voice="openai:tts-1")), voice_of(Settings(voice="openai:k/2:x@http://host:1/v1/"))
    assert plain is not None
    assert named is not None
    assert ("tts-1", "https://api.openai.com/v1", "openai:tts-1") == (plain.model, plain.address, plain.label)
    assert ("k/2:x", "http://host:1/v1") == (named.model, named.address)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://here/v1")
    compatible = voice_of(Settings(voice="openai:tts-1"))
    assert compatible is not None
    assert "http://here/v1" == compatible.address
    for wrong in (
        "tts-1",
        "elevenlabs:x",
        "openai:",
        "openai:x@host/v1",
        "openai:x@http://me:pw@host/v1",
        "openai:x y",
    ):
        with pytest.raises(BadField, match="openai:MODEL@URL"):
            voice_of(Settings(voice=wrong))
