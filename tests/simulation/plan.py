"""What a schedule draws first: how many, how large, how often things go wrong."""

import random

from msgspec import Struct


class Plan(Struct, frozen=True):
    """What is drawn first."""

    nodes: int
    watchers: int
    turns: int
    high: int
    page: int
    ring: int
    recent: int
    patience_s: float
    tick_ms: int
    lease_s: float
    lag_s: float
    longest: int
    breaks: float
    loses: float
    span_s: float
    blind: bool
    is_loud: bool
    """Whether events are long, and pipes and pages those of the product."""
    is_moderated: bool
    """Whether moderators run the debate; else a scribe writes it."""
    rough: float
    """How often something goes wrong."""


def drawn(chance: random.Random) -> Plan:
    """A plan.  Most are small, so that much happens at their limits; some have the product's own sizes."""
    is_loud, is_moderated = chance.random() < 0.05, chance.random() < 0.25
    return Plan(
        nodes=2 if is_moderated else chance.choice((1, 2)),
        watchers=chance.choice((1, 1, 1, 2, 3)),
        turns=chance.choice((1, 1, 2, 3) if is_moderated else (1, 1, 1, 2)),
        high=1 << 16 if is_loud else chance.choice((300, 1500, 6000, 1 << 16)),
        page=1 << 16 if is_loud else chance.choice((200, 3000, 1 << 16)),
        ring=4096 if is_loud else chance.choice((3, 8, 40, 4096)),
        recent=chance.choice((2, 16, 256)),
        patience_s=chance.choice((2.0, 10.0)),
        tick_ms=chance.choice((0, 20, 50)),
        lease_s=chance.choice((0.6, 2.0)),
        lag_s=chance.choice((0.0, 0.1, 1.5)),
        longest=2000 if is_loud else chance.choice((10, 80, 600)),
        breaks=chance.choice((0.0, 0.1, 0.4)),
        loses=chance.choice((0.0, 0.0, 0.2)),
        span_s=chance.uniform(1, 8),
        blind=chance.random() < 0.2,
        is_loud=is_loud,
        is_moderated=is_moderated,
        rough=chance.choice((0.0, 2.0, 4.0)),
    )
