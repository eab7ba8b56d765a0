"""No default and no example names a model that its vendor is about to switch off."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from providers.catalog.addresses import VENDORS
from providers.catalog.models import known_model, model_catalog
from providers.catalog.pricing import price
from providers.registry import KEYED

ROOT = Path(__file__).parents[2]
LEFT = timedelta(days=180)
NAMED = re.compile(rf"\b(?:{'|'.join(VENDORS)}):(?:claude|gpt|gemini|o[1-9]|chatgpt)[\w.-]*\w")
PATTERNS = ("README.md", "docs/**/*.md", "server/**/*.py", "providers/scripted/exhibitions/*.json", "web/**/*.html")
FILES = sorted(path for pattern in PATTERNS for path in ROOT.glob(pattern))


def named() -> list[tuple[str, str]]:
    """Every ``provider:model`` of a vendor, with the file that names it."""
    texts = [(path, path.read_text(encoding="utf-8")) for path in FILES]
    return sorted({(str(path.relative_to(ROOT)), name) for path, text in texts for name in NAMED.findall(text)})


def test_examples_are_found() -> None:
    assert {"README.md", "server/cli/measure/calibrate.py"} <= {path for path, _ in named()}


@pytest.mark.parametrize("name", sorted({name for _, name in named()} | {model for _, model in KEYED}))
def test_what_is_named_is_known_priced_and_stays(name: str) -> None:
    model = known_model(name)

    assert model is not None
    assert model.ends_on is None or model.ends_on > model_catalog().as_of + LEFT
    assert price(*name.split(":", 1)) is not None
