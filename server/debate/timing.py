"""How long is waited: before a call is tried again, and for one that does not come to an end."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from providers.errors import TimedOut


def jittered_s(delay_ms: int) -> float:
    """Seconds to wait: three quarters to five quarters of the delay, so that many debates do not come back at once."""
    return delay_ms / 1000 * random.uniform(0.75, 1.25)  # noqa: S311 - nothing is guessed by it


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Turn a deadline that passes into the ``TimedOut`` that everybody expects."""
    try:
        with anyio.fail_after(seconds):
            yield
    except TimeoutError as error:
        raise TimedOut(f"no complete answer within {seconds:g} s") from error
