"""Figures as text, rounded alike in every document; ``number`` in web/words/formatting.js rounds alike on the page."""

import math
from typing import Final


def rounded(value: float, decimals: int = 1) -> str:
    """A value with exactly so many decimals, a half away from zero: 83.25 is 83.3."""
    scale: int = 10**decimals
    whole = math.floor(abs(value) * scale + 0.5)
    return f"{math.copysign(whole, value) / scale if whole else 0:.{decimals}f}"


def shortest(value: float, decimals: int = 1) -> str:
    """The same without zeros at its end: 9.0 is 9."""
    text = rounded(value, decimals)
    return text.rstrip("0").rstrip(".") if "." in text else text


def signed(value: float, decimals: int = 1) -> str:
    """The same with its sign: ``+1.5``, ``−0.5``, ``±0.0``."""
    shown = rounded(abs(value), decimals)
    sign = "±" if not float(shown) else "+" if value > 0 else "−"
    return f"{sign}{shown}"


def percent(share: float, decimals: int = 1) -> str:
    """A share of 1 as ``12.5 %``, with at most so many decimals."""
    return f"{shortest(100 * share, decimals)} %"


ALMOST: Final = 0.995
CLOSE: Final = 1e-9


def sure(probability: float) -> str:
    """A probability in whole percent, rounded down so that no figure claims more: ``94 %``, ``over 99 %``."""
    return "over 99 %" if probability > ALMOST else f"{math.floor(probability * 100 + CLOSE)} %"
