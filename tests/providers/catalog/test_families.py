"""Models of one family are found by whole words of their names."""

import pytest

from providers.catalog.models import family


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("anthropic:claude-opus-4-7", "claude"), ("openai:anthropic/claude-sonnet-5", "claude"),
        ("openai:gpt-5.5-mini", "gpt"), ("ollama:gpt-oss:120b-cloud", "gpt"), ("openai:o3-mini", "gpt"),
        ("gemini:gemini-3.8-flash", "gemini"), ("ollama:gemma3:4b", "gemini"), ("ollama:llama3.2:1b", "llama"),
        ("openai:meta-llama/Llama-4-Scout", "llama"), ("ollama:qwen3", "qwen"), ("ollama:qwq", "qwen"),
        ("ollama:deepseek-r1:7b", "deepseek"), ("openai:deepseek-r1-distill-llama-70b", "deepseek"),
        ("embedded:smollm2", "smollm"), ("embedded:/models/SmolLM2-135M-Instruct.gguf", "smollm"),
        ("ollama:phi4", "phi"), ("openai:mixtral-8x7b", "mistral"),
    ],
)  # fmt: skip
def test_the_family_follows_from_the_name(model: str, expected: str) -> None:
    assert expected == family(model)


def test_a_word_that_only_begins_alike_is_another() -> None:
    assert family("ollama:philosopher") != family("ollama:phi3")


def test_a_script_has_no_family() -> None:
    assert "" == family("scripted:claude.json")


def test_an_unknown_model_is_its_own_family_wherever_it_runs() -> None:
    assert family("ollama:newcomer") == family("openai:newcomer")
