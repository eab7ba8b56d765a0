"""The extras of the package ``moot``: what each is for, and whether it is installed."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final, NamedTuple


class Extra(NamedTuple):
    """``module``: what is there if the extra is installed."""

    module: str
    purpose: str


EXTRAS: Final[Mapping[str, Extra]] = {
    "embedded": Extra("xllamacpp", "a small model on this machine"),
    "inspect": Extra("inspect_ai", "a scorer for tasks of Inspect"),
    "lab": Extra("statsmodels", "the statistics of a judge lab"),
    "mcp": Extra("mcp", "tools for other programs, by the Model Context Protocol"),
    "otel": Extra("opentelemetry.sdk", "traces for OpenTelemetry"),
    "parquet": Extra("pyarrow", "tables of debates as Parquet"),
    "pdf": Extra("pypdfium2", "documents in PDF"),
    "postgres": Extra("psycopg", "a store in PostgreSQL"),
    "preview": Extra("PIL", "pictures of debates for links on other sites"),
    "receipt": Extra("cryptography", "signed receipts of debates"),
}
"""``pyproject.toml`` says what each installs."""


def is_installed(extra: str) -> bool:
    """Whether an extra is installed."""
    try:
        return find_spec(EXTRAS[extra].module) is not None
    except ModuleNotFoundError:  # nor the package that the module is in
        return False


def needed(extra: str) -> str:
    """What a person is told who needs an extra: "needs the extra pdf: pip install 'moot[pdf]'"."""
    return f"needs the extra {extra}: pip install 'moot[{extra}]'"


def missing() -> tuple[str, ...]:
    """A sentence for each extra that is not installed."""
    return tuple(
        f"{extra} is not installed ({each.purpose}): pip install 'moot[{extra}]'"
        for extra, each in EXTRAS.items()
        if not is_installed(extra)
    )
