"""A recorded debate as the HTML file that is exported of it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio

from events.store.open import opened_log
from events.transfer import import_debate, read_lines
from server.export.archive import archive_of
from server.export.html import html_export


async def _exported(log: Path, folder: Path) -> bytes:
    async with opened_log(f"sqlite:{folder / 'moot.db'}") as store:
        with log.open("rb") as lines:
            imported = await import_debate(store, read_lines(lines))
        archive = await archive_of(store, imported.debate, with_calls=False)
        return b"".join([part async for part in html_export(archive)])


def exported_file(log: Path, folder: Path) -> str:
    """Write the file into the folder; its address."""
    file = folder / "debate.html"
    with ThreadPoolExecutor(1) as beside:  # Playwright's event loop runs in this thread
        file.write_bytes(beside.submit(anyio.run, _exported, log, folder).result())
    return file.as_uri()
