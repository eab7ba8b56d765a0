"""What becomes of transcripts in many forms: ``uv run python -m tests.measuring.transcript_forms``.

The files are those of ``tests/server/transcripts/forms``.  The table has a line for each form; below it stands each
file that is refused or split wrongly, with the reason.
"""

from collections import Counter
from typing import get_args

from tests.server.transcripts.form_files import Became, became, form_files


def table() -> tuple[dict[str, Counter[Became]], list[str]]:
    """What became of the files by form, and a line for each that is refused or wrong."""
    forms: dict[str, Counter[Became]] = {}
    faults = []
    for file in form_files():
        result, why = became(file)
        forms.setdefault(file.form, Counter())[result] += 1
        if result in {"doubted", "refused", "wrong"}:
            faults.append(f"{result}: {file.form}, {file.name}: {why}")
    return forms, faults


def main() -> None:
    """Print the table."""
    forms, faults = table()
    results = get_args(Became)
    print(f"{'form':<16}{'files':>7}" + "".join(f"{each:>9}" for each in results))
    whole = Counter[Became]()
    for form, counts in forms.items():
        whole += counts
        print(f"{form:<16}{counts.total():>7}" + "".join(f"{counts[each] or '':>9}" for each in results))
    print(f"{'all':<16}{whole.total():>7}" + "".join(f"{whole[each]:>9}" for each in results))
    print("\n".join(["", *faults]))


if __name__ == "__main__":
    main()
