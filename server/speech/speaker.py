"""Turns as sounds: each is made once for its words and its voice, and kept."""

import hashlib
from collections.abc import Callable
from typing import Final
from weakref import WeakValueDictionary

import anyio
import msgspec
from anyio import to_thread
from msgspec import UNSET

from events.store.log import EventLog, not_there
from events.types import Side
from events.view.turn_view import TurnView
from events.view.view import View
from server.errors import CannotServe, NotFound, NotNow
from server.settings import Settings
from server.speech.kept import KeptSounds, kept_with
from server.speech.sound import Sound
from server.speech.voice import PAGE_WAIT_S, SpeechServer, Voice, voice_of

NO_VOICE: Final = "no voice is configured here: moot serve --voice openai:MODEL@URL"
Admit = Callable[[], None]


class Speaker:
    """Speaks the debates of a log with the voice of the settings.  Without one it only forgets."""

    def __init__(self, settings: Settings, log: EventLog) -> None:
        voice = voice_of(settings)
        self._log = log
        self._kept: KeptSounds = kept_with(settings.store)
        self._server = None if voice is None else SpeechServer(voice, settings)
        self._locks: WeakValueDictionary[tuple[str, str], anyio.Lock] = WeakValueDictionary()

    @property
    def voice(self) -> Voice | None:
        """The voice; None without one."""
        return None if self._server is None else self._server.voice

    def needed_voice(self) -> Voice:
        """The voice.  Raises ``NotFound`` without one."""
        if self.voice is None:
            raise NotFound(NO_VOICE)
        return self.voice

    async def sound(self, debate: str, text: str, side: Side, *, admit: Admit, wait_s: float = PAGE_WAIT_S) -> Sound:
        """A text of a debate in the voice of a side, kept or made.  ``admit`` raises if none may be made now.

        Raises ``ProviderError``; ``NotFound`` without a voice, ``DebateDeleted`` if the debate was deleted meanwhile.
        """
        voice = self.needed_voice()
        assert self._server is not None
        spoken = (voice.model, voice.address, voice.names[side], text)
        digest = hashlib.sha256(msgspec.json.encode(spoken)).hexdigest()
        lock = self._locks.setdefault((debate, digest), anyio.Lock())
        async with lock:
            try:
                if (found := await to_thread.run_sync(self._kept.get, debate, digest)) is not None:
                    return found
                admit()
                made = await self._server.sound(text, side, wait_s)
                await to_thread.run_sync(self._kept.put, debate, digest, made)
            except OSError as error:
                raise CannotServe(f"the sounds cannot be kept: {error.strerror}") from error
        if not await self._log.head(debate):
            self.forget(debate)
            raise await not_there(self._log, debate)
        return made

    def forget(self, debate: str) -> None:
        """Forget the sounds of a deleted debate."""
        self._kept.forget(debate)


def spoken_turn(view: View, number: str) -> TurnView:
    """A turn that has been spoken.  Raises ``NotFound``, ``NotNow``."""
    turn = view.turns.get(number)
    if turn is None:
        raise NotFound(f"debate {view.id} has no turn {number[:10]}")
    if turn.spoken is UNSET or not turn.text.strip():
        raise NotNow(f"turn {number} has not been spoken yet")
    return turn
