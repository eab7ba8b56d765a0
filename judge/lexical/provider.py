"""``baseline:lexical``: a judge without a model, as a provider.  It reads a question's material, not its prompt."""

import time
from contextlib import AbstractAsyncContextManager
from typing import Final, TypeVar

import anyio.lowlevel
import msgspec

from events.text.languages import language_name
from judge.lexical.answers import DISCLAIMER, NAME, respond
from judge.lexical.marks import languages, version
from providers.answers.schema import parse, schema
from providers.base import Answer, ModelStatus, Outcome, Request, TextStream, Tokens
from providers.errors import BadRequest, UnknownModel

T = TypeVar("T")
LEXICAL: Final = "lexical"
LONG: Final = 20_000
"""Characters of speeches from which on a thread computes the answer."""
CAVEAT: Final = (
    f"The lexical baseline is no model. {DISCLAIMER}: its scores show how often a speech uses words of cause, "
    "consequence and answer, and it names no winner. It has such words in "
    f"{', '.join(map(language_name, languages()[:-1]))} and {language_name(languages()[-1])} and judges no debate in "
    "another language."
)

DETAIL: Final = f"judges without a model: counts marks of argument ({', '.join(languages())}), understands nothing"


class BaselineProvider:
    """Judges by rules about words, in milliseconds.  It holds nothing, so there is nothing to close."""

    name = "baseline"

    def stream(self, model: str, request: Request) -> AbstractAsyncContextManager[TextStream]:
        """Raise ``BadRequest`` on entering: a baseline does not speak."""
        return _NoStream(model, request.key)

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer by the rules of ``judge.lexical.answers``.

        Raises ``BadRequest`` for a question without material, and for one that a baseline cannot know anything about.
        """
        _must_be_known(model)
        await anyio.lowlevel.checkpoint()
        if request.material is None:
            raise BadRequest(f"{NAME} reads no prompts, and this question comes without its material")
        began_at = time.monotonic()
        material, form = request.material, schema(type_)
        is_long = sum(len(speech.text) for speech in material.speeches) > LONG
        said = await anyio.to_thread.run_sync(respond, material, form) if is_long else respond(material, form)
        raw = msgspec.json.encode(said).decode()
        outcome = Outcome(
            model=model,
            tokens=Tokens(),
            latency_ms=round((time.monotonic() - began_at) * 1000),
            cost_usd=0.0,
            parameters={"marks": version()},
        )
        return Answer(value=parse(raw, type_), raw=raw, outcome=outcome)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The one baseline, which always answers; another name does not."""
        await anyio.lowlevel.checkpoint()
        wanted = model or LEXICAL
        is_known = wanted == LEXICAL
        return (
            ModelStatus(
                name=f"{self.name}:{wanted}",
                provider=self.name,
                ok=is_known,
                detail=DETAIL if is_known else f"there is only {self.name}:{LEXICAL}",
                caveat=self.caveat(wanted),
                baseline=NAME if is_known else "",
            ),
        )

    def caveat(self, model: str) -> str:
        """That it counts marks and understands nothing."""
        return CAVEAT if model == LEXICAL else ""

    async def close(self) -> None:
        """Do nothing."""


class _NoStream(AbstractAsyncContextManager[TextStream]):
    """Raises on entering."""

    def __init__(self, model: str, key: str) -> None:
        self._model, self._key = model, key

    async def __aenter__(self) -> TextStream:
        _must_be_known(self._model)
        raise BadRequest(f"{NAME} judges and does not speak: give the seat of {self._key!r} a model")

    async def __aexit__(self, *error: object) -> None:
        """Do nothing: there is no stream."""


def _must_be_known(model: str) -> None:
    if model != LEXICAL:
        raise UnknownModel(f"there is only {BaselineProvider.name}:{LEXICAL}, not {model!r}")
