"""``moot bench``: placeholder module filled by the benchmark task below."""

import click


@click.command()
def bench() -> None:
    """Measure."""
