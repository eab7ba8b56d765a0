"""The table of ``docs/judge.md``, *How fair are the rules?*, with many debates.

``python -m tests.measuring.fairness [--debates N] [--rubric NAME]`` prints it as Markdown; 40,000 debates for each
figure take about five minutes of one core for each rubric.
"""

import click

from judge.fairness.table import fairness
from judge.rubrics.rubric import SHIPPED, ShippedRubric, shipped_rubric
from server.bench.fairness import fairness_table
from server.cli.measure.bench import VERSIONS
from server.export.document.markdown import blocks_markdown

DEBATES = 40_000


@click.command()
@click.option("--debates", type=click.IntRange(min=100), default=DEBATES, show_default=True)
@click.option("--rubric", "rubrics", type=click.Choice(SHIPPED), multiple=True, default=VERSIONS, show_default=True)
def main(debates: int, rubrics: tuple[ShippedRubric, ...]) -> None:
    print(blocks_markdown([fairness_table(fairness({name: shipped_rubric(name) for name in rubrics}, debates))]))


if __name__ == "__main__":
    main()
