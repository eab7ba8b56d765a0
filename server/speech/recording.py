"""A debate as one recording with chapters, which begins by saying that it is generated."""

from collections.abc import Sequence
from typing import Final

import anyio
from anyio import to_thread
from msgspec import UNSET

from events.types import SIDES, Side
from events.view.origin import WRITERS
from events.view.turn_view import TurnView
from events.view.view import View
from server.errors import EXPECTED, NotNow
from server.export.debate.exchange import first_side
from server.export.preview.card import title_of
from server.export.text import one_line
from server.export.wording import NAMES
from server.speech.sound import Recording, Sound, recorded
from server.speech.speaker import Admit, Speaker
from server.speech.voice import Voice

EXPORT_WAIT_S: Final = 60.0
"""Seconds that a recording waits before a further attempt at a sound."""
ABOUT: Final = "About this recording"
OUTCOME: Final = "The outcome"


def spoken_turns(view: View) -> dict[str, TurnView]:
    """The turns that have been spoken, by number, in their order."""
    spoken = (number for number, turn in view.turns.items() if turn.spoken is not UNSET and turn.text.strip())
    return {number: view.turns[number] for number in sorted(spoken, key=int)}


def generated_sentence(view: View, voice: Voice) -> str:
    """That the voices are generated, and whose the words are."""
    turns = spoken_turns(view).values()
    origins = [(turn.side, turn.origin) for turn in turns if turn.origin is not UNSET]
    by = {side: sorted({WRITERS[origin.kind] for of, origin in origins if of == side}) for side in SIDES}
    said = f"This recording is generated. The voices are synthetic, made by the model {voice.model}. "
    named = [(NAMES[side], " and ".join(writers)) for side, writers in by.items() if writers]
    if {writers for _, writers in named} == {WRITERS["model"]}:
        return f"{said}The words are generated too: {WRITERS['model']} wrote them."
    if len({writers for _, writers in named}) == 1:
        return f"{said}The words are by {named[0][1]}."
    return said + " ".join(f"The words of {side} are by {writers}." for side, writers in named)


def script_of(view: View, voice: Voice) -> tuple[tuple[str, str, Side], ...]:
    """The chapters: title, text, and the side whose voice speaks.  Raises ``NotNow`` if nothing was spoken yet.

    The side that speaks second has the voice of the frame, so that the first turn begins with another voice.
    """
    turns = spoken_turns(view)
    if not turns:
        is_spoken = view.format == "exchange"
        raise NotNow("nothing has been spoken yet" if is_spoken else f"the format {view.format} has no turns to speak")
    first = first_side(turns)
    frame: Side = "con" if first == "pro" else "pro"
    motion = one_line(view.motion).rstrip(".")
    about = f"{generated_sentence(view, voice)} The motion is: {motion}. {NAMES[first]} speaks first."
    if view.state != "concluded":
        about += f" The debate has not ended: this recording ends with turn {list(turns)[-1]}."
    chapters: list[tuple[str, str, Side]] = [(ABOUT, about, frame)]
    chapters += [(f"Turn {number}: {NAMES[turn.side]}", turn.text, turn.side) for number, turn in turns.items()]
    if view.state == "concluded" and view.outcome is not UNSET:
        chapters.append((OUTCOME, f"The outcome. {view.outcome.headline}.", frame))
    return tuple(chapters)


async def record(speaker: Speaker, view: View, admit: Admit) -> Recording:
    """The recording of a debate, as ``view`` shows it.

    A sound that fails does not stop the others: they are kept, so that the next attempt asks only for what is missing.
    Raises as ``Speaker.sound``; ``NotNow`` if nothing was spoken, or if the sounds cannot be one file.
    """
    voice = speaker.needed_voice()
    chapters = script_of(view, voice)
    sounds, failures = dict[int, Sound](), list[Exception]()

    async def make(n: int, text: str, side: Side) -> None:
        try:
            sounds[n] = await speaker.sound(view.id, text, side, admit=admit, wait_s=EXPORT_WAIT_S)
        except EXPECTED as error:
            failures.append(error)

    async with anyio.create_task_group() as tasks:
        for n, (_, text, side) in enumerate(chapters):
            tasks.start_soon(make, n, text, side)
    if failures:
        raise failures[0]
    told = {
        "title": title_of(view),
        "artist": f"Moot, generated voices ({voice.label})",
        "comment": generated_sentence(view, voice),
    }
    return await to_thread.run_sync(_joined, [(chapters[n][0], sounds[n]) for n in range(len(chapters))], told)


def _joined(parts: Sequence[tuple[str, Sound]], told: dict[str, str]) -> Recording:
    whole = recorded(parts, told)
    if whole is None:
        kinds = " and ".join(sorted({sound.kind for _, sound in parts}))
        raise NotNow(f"a recording with chapters needs MP3 or WAV of one form, and this voice gives {kinds}")
    return whole
