"""The opening of format ``deliberation``: a text, and the judges of it."""

import hashlib
from typing import Annotated, ClassVar, Final

from msgspec import UNSET, Meta, Struct

from events.types import Artifact
from server.debate.opening.build import Desk, Opening, opened, rubric_of, seated
from server.debate.opening.request import DebateRequest, Name
from server.debate.opening.seats import artifact_panel
from server.debate.speech import clean
from server.errors import BadField

MAX_ARTIFACT: Final = 200_000
"""Characters of an artifact: more than any judge's model reads."""
Purpose = Annotated[str, Meta(max_length=300, pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$")]
NO_ARTIFACT: Final = "format deliberation judges an artifact, and no other format does"


class ArtifactRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A text to judge."""

    name: Name = "artifact"
    text: str
    purpose: Purpose | None = None
    """What it is judged for."""


class DeliberationRequest(DebateRequest, kw_only=True, forbid_unknown_fields=True):
    """A request for format ``deliberation``."""

    only: ClassVar[dict[str, tuple[str, str]]] = {"artifact": ("artifact", NO_ARTIFACT)}

    artifact: ArtifactRequest | None = None

    def usual_motion(self) -> str:
        """The question whether the artifact passes, and as what."""
        if self.artifact is None:
            return ""
        purpose = f" as {self.artifact.purpose}" if self.artifact.purpose else ""
        return f"Does {self.artifact.name} pass{purpose}?"

    def check(self) -> None:
        """Raise ``BadField`` without an artifact, or for samples of a judge: opinions have no median."""
        if self.artifact is None:
            raise BadField("artifact", NO_ARTIFACT)
        samples = {"judge.samples": self.judge.samples}
        for number, each in enumerate(self.panel or ()):
            if not isinstance(each, str):
                samples[f"panel.{number}.samples"] = each.samples
        for field, count in samples.items():
            if count > 1:
                raise BadField(field, "an artifact's judges are asked once in each round")
        super().check()


async def build(request: DeliberationRequest, desk: Desk) -> Opening:
    """The opening.  Raises ``BadField``."""
    rubric = rubric_of(request)
    panel = artifact_panel(request, rubric)
    seats = await seated(request, desk, judges=False, panel=panel, may_count=lambda _: False)
    assert request.artifact is not None, "the request was checked"
    return Opening(await opened(request, desk, rubric, seats, artifact=_artifact(request.artifact)))


def _artifact(request: ArtifactRequest) -> Artifact:
    text = clean(request.text)
    if not text.strip() or len(text) > MAX_ARTIFACT:
        bounds = f"an artifact has 1 to {MAX_ARTIFACT:,} characters, this one has {len(text):,}"
        raise BadField("artifact.text", bounds)
    digest, purpose = hashlib.sha256(text.encode()).hexdigest(), clean(request.purpose or "").strip()
    return Artifact(name=request.name, text=text, digest=digest, purpose=purpose or UNSET)
