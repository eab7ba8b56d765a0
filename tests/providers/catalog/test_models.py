"""The model catalog: its entries with their sources, and the names that mean the same model."""

from datetime import date, timedelta
from typing import get_args

import anthropic.types.model
import openai.types.shared.chat_model as openai_models
import pytest
from anthropic.resources.messages.messages import DEPRECATED_MODELS
from hypothesis import given
from hypothesis import strategies as st

from providers.catalog.models import Model, known_model, likely_model, model_catalog, model_notice, normalized_name

NAMED_BY_ANTHROPIC = get_args(get_args(anthropic.types.model.Model)[0])
NAMED_BY_OPENAI = get_args(openai_models.ChatModel)
NO_CHAT = ("audio", "search-preview", "codex-mini-latest", "gpt-5.1-mini")
"""Models of the SDK's list that cannot debate, and one that is not a model."""


def found(name: str) -> Model:
    model = known_model(name)
    assert model is not None, name
    return model


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt-5-mini", "gpt-5-mini"), ("openai:gpt-5-mini-2025-08-07", "gpt-5-mini"),
        ("openai:openai/gpt-5-mini", "gpt-5-mini"), ("gpt-5-chat-latest", "gpt-5-chat"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"), ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-6-v1:0", "claude-sonnet-4-6"), ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("models/gemini-2.5-flash-001", "gemini-2.5-flash"), ("gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"),
        ("ollama:qwen3:8b", "qwen3:8b"), ("hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M", "qwen3-8b-gguf:q4_k_m"), ("", ""),
    ],
)  # fmt: skip
def test_a_name_loses_its_provider_its_prefix_and_its_date(name: str, expected: str) -> None:
    assert expected == normalized_name(name)


@pytest.mark.parametrize(
    ("name", "pattern", "thinks"),
    [
        ("gpt-5-mini-2025-08-07", "gpt-5-mini", "always"), ("gpt-6-luna", "gpt-6-luna", "by_default"),
        ("gpt-5.4", "gpt-5.4", "on_request"), ("gpt-4.1", "gpt-4.1", "never"), ("o4-mini", "o4-mini", "always"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13", "never"), ("gpt-4o-2024-08-06", "gpt-4o", "never"),
        ("claude-sonnet-5-5", "claude-sonnet-5-5", "by_default"), ("claude-opus-5-5", "claude-opus-5-5", "always"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku", "never"), ("gemini-2.5-pro", "gemini-2.5-pro", "always"),
        ("gemini-3.8-flash", "gemini-3.8-flash", "always"), ("gemini-flash-latest", "gemini-flash", "always"),
        ("ollama:qwen3", "qwen3*", "by_default"), ("qwen3:30b-a3b-instruct-2507", "qwen3*instruct*", "never"),
        ("deepseek/deepseek-r1:free", "deepseek-r1*", "always"), ("gpt-oss:120b-cloud", "gpt-oss*", "always"),
        ("deepseek-r1-distill-llama-70b", "deepseek-r1*", "always"), ("magistral:24b", "magistral*", "always"),
        ("z-ai/glm-4.6", "glm-4.[5-9]*", "by_default"), ("moonshotai/kimi-k2-thinking", "kimi-k2-thinking*", "always"),
        ("llama3.2:1b", "llama*", "never"), ("phi4-reasoning", "phi*reasoning*", "always"),
        ("embedded:smollm2", "smollm*", "never"),
    ],
)  # fmt: skip
def test_the_most_specific_row_counts(name: str, pattern: str, thinks: str) -> None:
    assert (pattern, thinks) == (found(name).pattern, found(name).thinks)


@pytest.mark.parametrize("name", NAMED_BY_ANTHROPIC)
def test_every_model_of_anthropics_sdk_is_known(name: str) -> None:
    assert "anthropic" == found(name).vendor


@pytest.mark.parametrize("name", [name for name in NAMED_BY_OPENAI if not any(word in name for word in NO_CHAT)])
def test_every_chat_model_of_openais_sdk_is_known(name: str) -> None:
    assert "openai" == found(name).vendor


@pytest.mark.parametrize("name", [name for name in DEPRECATED_MODELS if known_model(name)])
def test_models_that_anthropics_sdk_calls_ended_have_an_end_date(name: str) -> None:
    assert found(name).ends_on is not None


def test_an_unknown_name_is_unknown_and_a_new_model_of_a_family_is_guessed() -> None:
    newest = likely_model("gpt-7-sol")

    assert known_model("unheard-of") is likely_model("unheard-of") is None
    assert known_model("gpt-7-sol") is None
    assert newest is not None
    assert (True, "by_default", False) == (newest.is_guess, newest.thinks, newest.takes_sampling)


@pytest.mark.parametrize("name", ["whisper-1", "text-embedding-3-small", "gpt-image-2", "gemini-3.8-flash-tts"])
def test_a_model_without_text_output_is_unknown(name: str) -> None:
    assert likely_model(name) is None


def test_the_data_are_consistent() -> None:
    data = model_catalog()
    rows = [(group, row) for group in data.groups for row in group.rows]
    patterns = [row.pattern for _, row in rows]

    assert sorted(set(patterns)) == sorted(patterns)
    assert all(group.source and group.as_of <= data.as_of for group in data.groups)
    assert all(row.default in ("", *row.levels) for _, row in rows)
    assert all(row.off == "" for _, row in rows if row.thinks in {"always", "never"})
    assert all(not row.levels and row.budget is None for _, row in rows if row.thinks == "never")
    assert all(set(row.levels) <= set(data.thought.tokens) for _, row in rows)
    assert all(row.types for group, row in rows if group.vendor == "anthropic" and row.thinks != "never")
    assert data.unconfirmed


@given(st.text(max_size=60))
def test_any_text_is_a_name(name: str) -> None:
    assert normalized_name(normalized_name(name)) == normalized_name(name) or ":" in name or "/" in name
    assert likely_model(name) is None or isinstance(likely_model(name), Model)


def test_a_notice_says_when_a_model_ends_and_what_takes_its_place() -> None:
    model = found("gemini-2.5-flash")
    assert model.ends_on is not None

    before, after = (model_notice("gemini-2.5-flash", model.ends_on + timedelta(days=days)) for days in (-1, 1))

    assert "is announced to end on 2026-12-01; gemini-3.5-flash-lite takes its place" == before
    assert after.startswith("was announced to end on 2026-12-01")
    assert "" == model_notice("gpt-6-luna", date(2026, 11, 22))
    assert model_notice("unheard-of", date(2026, 11, 22)).startswith("not among the models that Moot knows")
    assert "" == model_notice("unheard-of", date(2026, 11, 22), is_vendors=False)
