"""The page of tables, generated from their declarations: ``uv run python docs/make_tables.py`` writes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from server.export.tables import TABLES
from server.export.tables.table import VERSION, DebateTable, TableColumn

PAGE: Final = Path(__file__).with_name("tables.md")
QUERY: Final = (
    "SELECT rule, count(*) AS winners FROM (SELECT debate, rule, lead, sum(lead_points) AS moved "
    "FROM 'ledger.parquet' JOIN 'debates.parquet' USING (debate) GROUP BY ALL) "
    "WHERE lead * (lead - moved) < 0 GROUP BY rule ORDER BY winners DESC, rule"
)
HEAD: Final = """# Tables

This page is generated from the tables: `uv run python docs/make_tables.py`. A test fails if it is out of date.

```
moot export --as csv --table turns > turns.csv
moot export ID --as jsonl --table ledger
moot export --as parquet --table all --winner pro -o DIR
```

Without an id, a table is about all debates that `moot list` shows with the same options; `--everything` adds hidden,
archived and unlisted ones. Deleted debates are in no table. Many debates are read by one process for each core, some at
a time, and written in the order of the list by one; memory does not grow with their number. `GET
/api/debates/{debate}/tables/{table}.{form}` gives a table of one debate. While a debate runs, spectators get no
answers, no votes, and no models of a blind debate. The votes of a poll come at the end, for operators too.

- **CSV** is UTF-8 with a head. A cell without a value is empty. Before a text that begins with `=`, `+`, `-`, `@`, a
  tab or a carriage return stands `'`, since a spreadsheet would take it for a formula. Numbers have none.
- **JSON Lines** has an object a line, with `null` for what a row lacks. Texts are unchanged.
- **Parquet** has the types below, texts unchanged, and `tables` and `moot` in its metadata. It needs pyarrow: `pip
  install 'moot[parquet]'`.

The tables are version `VERSION`. Within a version, tables and columns are only added, new columns at the end.

Which rule moved most winners? In DuckDB, over a folder with all tables as Parquet:

```sql
SQL
```

It counts the debates in which the other side would lead without the points that the rule moved.

How long that takes: copies of four exhibitions, all tables, read by two processes. Other programs used the two cores
too (the load was about 9, and 11 for CSV), so the time on the clock would be shorter on a machine of its own.

| form | rows | debates | events | seconds | seconds of computing | memory of the writer | of a reader |
|---|---|---|---|---|---|---|---|
| Parquet | 1,000,188 | 3,155 | 520,575 | 105 | 49 | 188 MB | 240 MB |
| Parquet | 3,000,088 | 9,464 | 1,561,560 | 325 | 209 | 211 MB | 264 MB |
| Parquet | 10,000,232 | 31,546 | 5,205,148 | 1,284 | 495 | 232 MB | 267 MB |
| CSV | 1,000,188 | 3,155 | 520,575 | 480 | 93 | 80 MB | 150 MB |

The query above takes 2 s over the 10 million rows, 2 million of them in the ledger. `uv run python -m
tests.measuring.many_rows --rows 10000000` makes the store, 10 GB, and measures; `--as csv` is the other form.
"""


def page() -> str:
    """The whole page."""
    head = HEAD.replace("SQL", QUERY).replace("VERSION", VERSION)
    return "\n".join([head, *(_section(name, table) for name, table in TABLES.items())])


def _section(name: str, table: DebateTable) -> str:
    rows = "\n".join(_rows(table.columns))
    head = f"## {name}\n\nA row: {table.says[0].lower()}{table.says[1:]}\n\n"
    return f"{head}| column | type | unit | says |\n|---|---|---|---|\n{rows}\n"


def _rows(columns: tuple[TableColumn, ...]) -> Iterator[str]:
    for each in columns:
        kind = f"{each.kind}, may lack" if each.may_lack else each.kind
        yield f"| `{each.name}` | {kind} | {each.unit} | {each.text} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
