"""What Moot installs may be used together with code under Apache-2.0, and docs/licences.md names it.

Licences are those of the distributions that are installed here, so what only another system needs is not read.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

import pytest
from packaging.licenses import canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.docs.pages import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DEVELOPMENT = "dev"
"""The group for those who change Moot: nothing that Moot installs for its users."""
PERMISSIVE = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "CNRI-Python",
    "ISC",
    "MIT",
    "MIT-0",
    "MIT-CMU",
    "PSF-2.0",
    "Zlib",
}
ACCEPTED = {
    "certifi": "MPL-2.0",  # it asks for the source of its own files, which nobody here changes
    # A separate library that Moot imports and does not change, and that anyone can replace by another version: the
    # LGPL allows this to programs of any licence.  Moot loads it for a PostgreSQL store only.
    "psycopg": "LGPL-3.0-only",
    "psycopg-binary": "LGPL-3.0-only",
}
"""Packages under a licence that asks for more than the permissive ones; for each a reason."""
IN_FILES = {"agent-client-protocol": "Apache-2.0", "tiktoken": "MIT", "zipfile-zstd": "MIT"}
"""Licences that a file of the package holds and its metadata do not name; needed by the extra ``inspect``."""
NAMED = {
    "2-clause BSD": "BSD-2-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",  # the same duties as with two clauses, and one more
    "BSD License": "BSD-3-Clause",
    "BSD-3-Clause, Apache-2.0, dependency licenses": "BSD-3-Clause AND Apache-2.0",
    "Dual License": "Apache-2.0 OR BSD-3-Clause",  # python-dateutil
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""SPDX expressions of licences that packages name in other words."""
PAGE = ROOT / "docs/licences.md"


def groups() -> dict[str, list[str]]:
    """Everything that Moot asks for, by extra or group; the empty name for what a plain install has."""
    project = PROJECT["project"]
    named = project.get("optional-dependencies", {}) | PROJECT["dependency-groups"]
    asked = {name: each for name, each in named.items() if name != DEVELOPMENT}
    return {"": project["dependencies"]} | asked


def installed(asked: Sequence[str]) -> dict[str, Distribution]:
    """The distributions that these requirements need, directly or not.  Raises ``PackageNotFoundError``."""
    replaced = {Requirement(each).name for each in PROJECT["tool"]["uv"]["override-dependencies"]}
    found: dict[str, Distribution] = {}
    seen, wanted = set[tuple[str, str]](), [Requirement(each) for each in asked]
    while wanted:
        each = wanted.pop()
        if each.name in replaced or not (each.marker is None or each.marker.evaluate()):
            continue
        for extra in {"", *each.extras}:
            if (each.name, extra) in seen:
                continue
            seen.add((each.name, extra))
            known = found.setdefault(canonicalize_name(each.name), distribution(each.name))
            needed = (Requirement(text) for text in known.requires or ())
            wanted += [need for need in needed if need.marker is None or need.marker.evaluate({"extra": extra})]
    return found


def licence(of: Distribution) -> str:
    """The licence of a distribution as an SPDX expression; the words of the package if it names no known one."""
    metadata = of.metadata
    if expression := metadata.get("License-Expression"):
        return str(canonicalize_license_expression(expression))
    words = " ".join((metadata.get("License") or "").split())
    classified = [each for each in metadata.get_all("Classifier", []) if each.startswith("License ::")]
    named = [words] if words and len(words) < 60 else [each.rpartition(" :: ")[2] for each in classified]
    return " AND ".join(NAMED.get(each, each) for each in named) or "unknown"


def is_accepted(name: str, found: str) -> bool:
    """Whether Moot may install a package under this licence: one of each choice is permissive, or it is accepted."""
    if name in ACCEPTED:
        return ACCEPTED[name] == found
    parts = re.split(r"\s+AND\s+", found)
    return all(any(each.strip("() ") in PERMISSIVE for each in re.split(r"\s+OR\s+", part)) for part in parts)


def refused(distributions: dict[str, Distribution]) -> Iterator[str]:
    for name, each in sorted(distributions.items()):
        found = licence(each)
        if not is_accepted(name, IN_FILES.get(name, found) if found.lower() == "unknown" else found):
            yield f"{name}: {found}"


@pytest.mark.parametrize("group", groups())
def test_nothing_that_moot_installs_is_under_another_licence(group: str) -> None:
    try:
        needed = installed(groups()[group])
    except PackageNotFoundError as missing:
        pytest.fail(f"{missing}: `uv sync --all-groups` installs what is checked here")

    assert needed
    assert [] == list(refused(needed))


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ("License-Expression: GPL-3.0-or-later", False),
        ("License-Expression: MIT AND AGPL-3.0-only", False),
        ("License-Expression: LGPL-3.0-only", False),
        ("License-Expression: MIT OR GPL-2.0-only", True),
        ("License: GPLv3", False),
        ("License: MIT", True),
        ("Classifier: License :: OSI Approved :: GNU Affero General Public License v3", False),
        ("Classifier: License :: OSI Approved :: MIT License", True),
        ("Summary: it names no licence", False),
    ],
)
def test_a_licence_is_read_and_an_unknown_one_refused(metadata: str, expected: bool, tmp_path: Any) -> None:
    folder = tmp_path / "other-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.4\nName: other\nVersion: 1\n{metadata}\n")

    assert expected is not any(refused({"other": Distribution.at(folder)}))


def test_the_page_names_what_moot_asks_for_with_its_licence() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", text.partition("|---|---|\n")[2], re.MULTILINE)
    shown = {name: each for each, names in rows for name in names.split(", ")}
    asked = {canonicalize_name(Requirement(each).name) for group in groups().values() for each in group} - {"moot"}

    assert {name: licence(distribution(name)) for name in asked | ACCEPTED.keys()} == shown
    assert [] == [each for each in PERMISSIVE if each not in text]
