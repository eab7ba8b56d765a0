"""Figures as text, rounded alike in every document; ``number`` in web/words/formatting.js rounds alike on the page."""

import math


def rounded(value: float, decimals: int = 1) -> str:
    """A value with exactly so many decimals, a half away from zero: 83.25 is 83.3."""
    scale: int = 10**decimals
    whole = math.floor(abs(value) * scale + 0.5)
    return f"{math.copysign(whole, value) / scale if whole else 0:.{decimals}f}"


def shortest(value: float, decimals: int = 1) -> str:
    """The same without zeros at its end: 9.0 is 9."""
    text = rounded(value, decimals)
    return text.rstrip("0").rstrip(".") if "." in text else text
