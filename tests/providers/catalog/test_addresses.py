"""Which server answers a model: told apart without the name of a host."""

import pytest

from providers.catalog.addresses import VENDOR, server_of


@pytest.fixture(autouse=True)
def no_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)


def test_two_servers_that_offer_one_name_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for address in ("http://one.example:8000/v1", "http://two.example:8000/v1", "http://one.example:8000/v1/"):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        found.append(server_of("openai:qwen3"))

    one, two, again = found
    assert (one, True) == (again, one != two)
    assert all(len(each) == 12 and "example" not in each for each in found)


def test_a_vendor_and_a_provider_without_addresses_are_named_so() -> None:
    assert VENDOR == server_of("openai:gpt-6") == server_of("anthropic:claude-haiku-5-5")
    assert "" == server_of("scripted:juries") == server_of("baseline:lexical") == server_of("embedded:smollm2")
    assert 12 == len(server_of("ollama:qwen3"))  # on this machine
