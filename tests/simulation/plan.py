"""The plan of a schedule, drawn first: its sizes, and how often something goes wrong."""

import random

from msgspec import Struct


class Plan(Struct, frozen=True):
    """The sizes and rates of one schedule."""

    nodes: int
    clients: int
    turns: int
    high: int
    page: int
    ring: int
    recent: int
    slow_reader_s: float
    tick_ms: int
    lease_s: float
    lag_s: float
    longest: int
    break_rate: float
    loss_rate: float
    span_s: float
    blind: bool
    is_large: bool
    """Whether events are long, and buffers and pages have their real sizes."""
    is_moderated: bool
    """Whether moderators run the debate.  Otherwise a ``RandomWriter`` writes it."""
    trouble_rate: float
    """How often something goes wrong."""


def draw_plan(rng: random.Random) -> Plan:
    """Draw a plan.  Most plans are small, so that their limits are often reached; some have the real sizes."""
    is_large, is_moderated = rng.random() < 0.05, rng.random() < 0.25
    return Plan(
        nodes=2 if is_moderated else rng.choice((1, 2)),
        clients=rng.choice((1, 1, 1, 2, 3)),
        turns=rng.choice((1, 1, 2, 3) if is_moderated else (1, 1, 1, 2)),
        high=1 << 16 if is_large else rng.choice((300, 1500, 6000, 1 << 16)),
        page=1 << 16 if is_large else rng.choice((200, 3000, 1 << 16)),
        ring=4096 if is_large else rng.choice((3, 8, 40, 4096)),
        recent=rng.choice((2, 16, 256)),
        slow_reader_s=rng.choice((2.0, 10.0)),
        tick_ms=rng.choice((0, 20, 50)),
        lease_s=rng.choice((0.6, 2.0)),
        lag_s=rng.choice((0.0, 0.1, 1.5)),
        longest=2000 if is_large else rng.choice((10, 80, 600)),
        break_rate=rng.choice((0.0, 0.1, 0.4)),
        loss_rate=rng.choice((0.0, 0.0, 0.2)),
        span_s=rng.uniform(1, 8),
        blind=rng.random() < 0.2,
        is_large=is_large,
        is_moderated=is_moderated,
        trouble_rate=rng.choice((0.0, 2.0, 4.0)),
    )
