"""Code points that a reader does not see: they may neither hide a quote nor carry words to a model."""

import re
from typing import Final

_DEFAULT_IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt), and the interlinear annotation marks."""

_CONTROLS = ((0x00, 0x08), (0x0E, 0x1B), (0x7F, 0x84), (0x86, 0x9F))
"""C0 and C1 without those that count as white space."""

_SURROGATES = ((0xD800, 0xDFFF),)

INVISIBLE = frozenset(
    chr(point) for first, last in (*_DEFAULT_IGNORABLE, *_CONTROLS, *_SURROGATES) for point in range(first, last + 1)
)
"""Zero-width, bidirectional and tag characters, variation selectors, soft hyphens, controls, lone surrogates."""

REMOVE = {ord(character): None for character in INVISIBLE}
"""For ``str.translate``."""

UNSEEN: Final = re.compile(
    "["
    + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in (*_DEFAULT_IGNORABLE, *_CONTROLS, *_SURROGATES))
    + "]+"
)
"""The same for ``sub``, which passes over a text that has none of them ten times as fast."""
