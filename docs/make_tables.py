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
archived and unlisted ones. Deleted debates are in no table. Debates are read one after another, so memory holds one of
them. `GET /api/debates/{debate}/tables/{table}.{form}` gives a table of one debate. While a debate runs, spectators
get no answers, no votes, and no models of a blind debate. The votes of a poll come at the end, for operators too.

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
