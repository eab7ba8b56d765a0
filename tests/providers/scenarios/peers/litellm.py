"""LiteLLM's proxy: a gateway with OpenAI's protocol."""

import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from providers.errors import ContextExceeded, Overloaded, ProviderError, RateLimited
from tests.providers.scenarios.peers.peer import Peer, PeerSession, answer_of, free_port, running
from tests.providers.scenarios.scenario import score
from tests.providers.scenarios.session import SPEECH

LITELLM_KEY: Final = "sk-peer"
CONFIG: Final = """\
model_list:
  - {{model_name: speaks, litellm_params: {{model: openai/gpt-5-mini, api_key: x, mock_response: {speech}}}}}
  - {{model_name: scores, litellm_params: {{model: openai/gpt-5-mini, api_key: x, mock_response: {score}}}}}
  - {{model_name: limited, litellm_params: {{model: openai/gpt-5-mini, api_key: x,
      mock_response: litellm.RateLimitError}}}}
  - {{model_name: breaks, litellm_params: {{model: openai/gpt-5-mini, api_key: x,
      mock_response: litellm.InternalServerError}}}}
  - {{model_name: overflows, litellm_params: {{model: openai/gpt-5-mini, api_key: x,
      mock_response: litellm.ContextWindowExceededError}}}}
litellm_settings: {{num_retries: 0}}
general_settings: {{master_key: {key}}}
"""


@asynccontextmanager
async def litellm(executable: str) -> AsyncIterator[Mapping[str, str]]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        values = {"speech": json.dumps(SPEECH), "score": json.dumps(answer_of(score())), "key": LITELLM_KEY}
        path.write_text(CONFIG.format(**values))
        command = (
            executable,
            "--config",
            str(path),
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--telemetry",
            "False",
        )
        offline = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        async with running(*command, health=f"{url}/health/liveliness", **offline):
            yield {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": LITELLM_KEY}


LITELLM: Final = Peer(models={"openai": "speaks"}, opened=litellm, variable="MOOT_LITELLM")


@LITELLM.row("it speaks")
async def _(session: PeerSession) -> None:
    await session.check_speech()


@LITELLM.row("a typed question is answered: the score of rubric v1")
async def _(session: PeerSession) -> None:
    answer = await session.ask(score(), "scores")

    assert isinstance(answer.value, score())


@LITELLM.row("usage is reported")
async def _(session: PeerSession) -> None:
    _, outcome = await session.speak()

    assert outcome.tokens.input > 0
    assert outcome.tokens.output > 0


for model, kind_of_error in {"limited": RateLimited, "breaks": Overloaded, "overflows": ContextExceeded}.items():

    @LITELLM.row(f"{kind_of_error.__name__}, and the next call works")
    async def _(session: PeerSession, model: str = model, error: type[ProviderError] = kind_of_error) -> None:
        await session.fails(error, model=model)
        await session.check_speech()


@LITELLM.row("an unknown model is refused")
async def _(session: PeerSession) -> None:
    await session.fails(ProviderError, model="nobody")
    await session.check_speech()


@LITELLM.row("doctor has a row for the model, with the reason")
async def _(session: PeerSession) -> None:
    status = await session.check()

    assert status.ok, status.detail
