"""The names of attributes, in this one place: the conventions for generative AI are in development.

Source: open-telemetry/semantic-conventions-genai, v0.1.0.  What has no name there begins with ``moot.``.
"""

from typing import Final

OPERATION: Final = "gen_ai.operation.name"
CHAT: Final = "chat"
INVOKE_AGENT: Final = "invoke_agent"
AGENT: Final = "gen_ai.agent.name"
CONVERSATION: Final = "gen_ai.conversation.id"
PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
TEMPERATURE: Final = "gen_ai.request.temperature"
MAX_TOKENS: Final = "gen_ai.request.max_tokens"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
ERROR_TYPE: Final = "error.type"

EVALUATION: Final = "gen_ai.evaluation.result"
EVALUATION_NAME: Final = "gen_ai.evaluation.name"
SCORE: Final = "gen_ai.evaluation.score.value"
LABEL: Final = "gen_ai.evaluation.score.label"
EXPLANATION: Final = "gen_ai.evaluation.explanation"

PROVIDERS: Final = {"gemini": "gcp.gemini"}
"""The conventions' names of our providers, where they differ."""

FORMAT: Final = "moot.format"
STATE: Final = "moot.state"
TURN: Final = "moot.turn"
SIDE: Final = "moot.side"
ATTEMPT: Final = "moot.attempt"
WORDS: Final = "moot.words"
CALL: Final = "moot.call"
PURPOSE: Final = "moot.purpose"
COST: Final = "moot.cost_usd"
POSITION: Final = "moot.position"
