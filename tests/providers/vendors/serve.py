"""``python -m tests.providers.vendors.serve``: runs the fake vendors and prints their addresses."""

import argparse
import asyncio
import contextlib
import sys

from tests.providers.vendors.running import running_vendors


async def serve(thought: int, words: int) -> None:
    async with running_vendors(thought=thought, words=words) as vendors:
        for name, value in vendors.environment.items():
            sys.stdout.write(f"export {name}={value}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--thought", type=int, default=600, help="unseen tokens that a model thinks by default")
    parser.add_argument("--words", type=int, default=60, help="words of a speech")
    arguments = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(arguments.thought, arguments.words))


if __name__ == "__main__":
    main()
