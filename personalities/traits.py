"""The twelve traits, each from 1 to 10, and the instruction of each level of a trait.

A trait has six levels of 1.5 points each: so a shift by 1.5 or more always changes the instruction.
"""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

LOWEST, HIGHEST = 1.0, 10.0
LEVELS = 6
_WIDTH = (HIGHEST - LOWEST) / LEVELS


class PersonalityError(Exception):
    """An unknown archetype, a trait out of range, or a template that does not fit; ``field`` names the place."""

    def __init__(self, field: str, why: str) -> None:
        self.field, self.why = field, why
        super().__init__(f"{field}: {why}")


class Trait(Struct, frozen=True, kw_only=True):
    """One trait.  ``levels`` are the instructions from its lowest to its highest level.

    ``more`` and ``less`` are instructions to move up or down from any level.
    """

    group: str
    more: str
    less: str
    levels: tuple[str, str, str, str, str, str]


TRAITS: dict[str, Trait] = {
    "analysis": Trait(
        group="cognitive",
        levels=(
            "trust your intuition",
            "keep reasoning short",
            "give a reason for each claim",
            "explain how causes work",
            "trace cause and effect step by step",
            "prove every step of cause and effect",
        ),
        more="Reason more closely",
        less="Reason less and trust the plain point more",
    ),
    "evidence": Trait(
        group="cognitive",
        levels=(
            "argue without examples",
            "use examples rarely",
            "use a familiar example",
            "give a concrete example",
            "back claims with concrete facts",
            "rest every claim on facts that can be checked",
        ),
        more="Bring more facts",
        less="Lean less on facts",
    ),
    "abstraction": Trait(
        group="cognitive",
        levels=(
            "stay with practical detail",
            "prefer practical detail",
            "tie detail to a rule",
            "name the principle at stake",
            "argue from principles",
            "argue from first principles",
        ),
        more="Go deeper into the principle",
        less="Stay nearer to practice",
    ),
    "flexibility": Trait(
        group="cognitive",
        levels=(
            "never change your line",
            "hold your line firmly",
            "hold your line",
            "adjust your line when pressed",
            "refine your line as you learn",
            "rethink your line freely",
        ),
        more="Be readier to adapt where you have been answered",
        less="Stay closer to your own line",
    ),
    "composure": Trait(
        group="emotional",
        levels=(
            "let your temper show",
            "be restless",
            "be lively",
            "be even-tempered",
            "be calm",
            "be perfectly calm",
        ),
        more="Speak more calmly",
        less="Speak with more life",
    ),
    "intensity": Trait(
        group="emotional",
        levels=(
            "be cool and dry",
            "be reserved",
            "be moderate in tone",
            "be warm in tone",
            "be passionate",
            "be fiery",
        ),
        more="Speak with more warmth",
        less="Speak more coolly",
    ),
    "empathy": Trait(
        group="emotional",
        levels=(
            "ignore feelings",
            "rarely speak of people",
            "mention who is affected",
            "speak of the people affected",
            "care for the people affected",
            "put people and their lives first",
        ),
        more="Speak more of the people it touches",
        less="Dwell less on feelings",
    ),
    "assertiveness": Trait(
        group="emotional",
        levels=(
            "be tentative",
            "be cautious",
            "be measured",
            "be confident",
            "be bold",
            "be commanding",
        ),
        more="Speak with more confidence",
        less="Claim no more than you can show",
    ),
    "directness": Trait(
        group="rhetorical",
        levels=(
            "hint rather than say",
            "approach the point slowly",
            "be polite and indirect",
            "come to the point",
            "be blunt",
            "be blunt and brief",
        ),
        more="Say it more plainly",
        less="Make your point more gently",
    ),
    "imagery": Trait(
        group="rhetorical",
        levels=(
            "use plain words only",
            "prefer plain words",
            "use few images",
            "use a fitting image",
            "use vivid images",
            "speak in striking images",
        ),
        more="Give the audience something to picture",
        less="Use plainer words",
    ),
    "concession": Trait(
        group="rhetorical",
        levels=(
            "grant nothing",
            "grant almost nothing",
            "grant small points, and say what they leave standing",
            "grant what is fair",
            "grant good points, then answer them",
            "begin with what the opponent gets right",
        ),
        more="Grant more of what the opponent gets right",
        less="Grant the opponent less",
    ),
    "structure": Trait(
        group="rhetorical",
        levels=(
            "let thoughts flow freely",
            "keep a loose order",
            "keep some order",
            "keep a clear order",
            "build point upon point",
            "build a strict line of reasoning",
        ),
        more="Put your points in a stricter order",
        less="Let your points flow more freely",
    ),
}
"""Four cognitive, four emotional and four rhetorical traits."""


def _with_level(name: str, number: int, words: str) -> Trait:
    """A trait with other words at one of its levels."""
    levels = TRAITS[name].levels
    return replace(TRAITS[name], levels=(*levels[:number], words, *levels[number + 1 :]))


WORDS_V3: dict[str, Trait] = TRAITS | {
    "abstraction": _with_level("abstraction", 2, "name the rule that a detail is an example of"),
    "structure": _with_level("structure", 1, "move freely from point to point"),
    "evidence": Trait(
        group="cognitive",
        levels=(
            "argue from reasons alone",
            "use one example at most",
            "use a familiar example",
            "give a concrete example",
            "ground each main claim in an example, a mechanism or a fact that you are sure of",
            "make few claims, and ground each of them in a mechanism, an example or a fact that you are sure of",
        ),
        more="Make fewer claims, and ground each of them",
        less="Lean less on examples",
    ),
    "concession": Trait(
        group="rhetorical",
        levels=(
            "grant only what cannot be denied, in few words",
            "grant little, and briefly",
            "grant small points, and say what they leave standing",
            "grant what is fair",
            "grant good points, then answer them",
            "begin with what the opponent gets right",
        ),
        more="Grant more of what the opponent gets right",
        less="Spend fewer words on what you grant",
    ),
}
"""The words that go with version 3 of the debater's template: none of them asks for facts that a model may not have."""


def level(value: float) -> int:
    """The level of a trait's value, 0 to 5."""
    return min(int((value - LOWEST) / _WIDTH), LEVELS - 1)


def in_words(name: str, value: float, words: Mapping[str, Trait] = TRAITS) -> str:
    """The instruction of a trait at ``value``."""
    return words[name].levels[level(value)]


def checked(traits: Mapping[str, float]) -> dict[str, float]:
    """All twelve traits in their order.  Raises ``PersonalityError`` if one is missing, unknown or out of range."""
    for name in traits.keys() ^ TRAITS.keys():
        raise PersonalityError(f"traits.{name}", "missing" if name in TRAITS else "there is no such trait")
    for name, value in traits.items():
        if not LOWEST <= value <= HIGHEST:
            raise PersonalityError(f"traits.{name}", f"{value} is not within 1 to 10")
    return {name: float(traits[name]) for name in TRAITS}
