"""The table of ``docs/judge.md``, *How fair are the rules?*, with many debates.

``python -m tests.measuring.fairness [--debates N] [--rubric NAME]`` prints it as Markdown; 40,000 debates for each
figure take about five minutes of one core for each rubric.  ``--write`` also makes it the table that the page shows.
"""

from importlib import resources
from pathlib import Path

import click
import msgspec

from judge.fairness.figures import SHIPPED_TABLE
from judge.fairness.table import fairness
from judge.rubrics.rubric import SHIPPED, ShippedRubric, shipped_rubric
from server.bench.fairness import fairness_table
from server.cli.measure.bench import VERSIONS
from server.export.document.markdown import blocks_markdown

DEBATES = 40_000


@click.command()
@click.option("--debates", type=click.IntRange(min=100), default=DEBATES, show_default=True)
@click.option("--rubric", "rubrics", type=click.Choice(SHIPPED), multiple=True, default=VERSIONS, show_default=True)
@click.option("--write", is_flag=True)
def main(debates: int, rubrics: tuple[ShippedRubric, ...], *, write: bool) -> None:
    measured = fairness({name: shipped_rubric(name) for name in rubrics}, debates)
    if write:
        with resources.as_file(resources.files("judge.fairness")) as folder:
            Path(folder, SHIPPED_TABLE).write_bytes(
                msgspec.json.format(msgspec.json.encode(measured), indent=1) + b"\n"
            )
    print(blocks_markdown([fairness_table(measured)]))


if __name__ == "__main__":
    main()
