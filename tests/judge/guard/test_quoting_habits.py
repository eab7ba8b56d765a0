"""How judges quote: ordinary habits land on the right words, and changed wordings do not.

Every variant is made from a real sentence: the speeches in seven languages and the speeches of an exhibition.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from events.text.segmentation import spans
from events.types import Span
from judge.guard.quotes import find, place
from judge.text.words import sentences

SPEECHES: dict[str, str] = msgspec.json.decode(
    (Path(__file__).parents[1] / "speeches_in_seven_languages.json").read_bytes()
)
MINIMUM = 8
MIN_LANDED = 0.98
CUTS = ("…", "...", "[…]", "[...]", "(...)", " … ")
KEPT = {
    "en": {"one", "two", "hundred"},
    "de": {"eine", "einen", "zweihundert"},
    "fr": {"un", "deux", "cents"},
    "es": {"uno", "doscientos"},
    "hi": {"एक", "दो", "सौ", "प्रतिशत"},
    "zh": {"一", "两百", "两", "百"},
    "ar": {"واحدا", "واحدًا", "مئتي", "أليس"},
}
"""Words for numbers and negations of these speeches: a cut that hides one is not an ordinary one."""
ENDS = " .。।“”«»\"'¿?؟"


def tokens(sentence: str) -> list[Span]:
    return list(spans(sentence))


def harmless(sentence: str, parts: list[Span], language: str) -> bool:
    """Whether these words hold no number and no negation."""
    words = [sentence[start:end] for start, end in parts]
    return not any(word in KEPT[language] or any(map(str.isdecimal, word)) for word in words)


def whole(language: str, text: str) -> Iterator[tuple[str, str, str]]:
    """(quote, the words of the text that it means, habit) without a cut."""
    for start, end in sentences(text):
        said = text[start:end]
        bare = said.rstrip(".。।?؟!")
        if "」" in said or "“" in said[-2:]:
            continue
        yield said, said, "as it stands"
        yield bare, bare, "without the full stop"
        yield f"{bare}…", bare, "an ellipsis at the end"
        yield f"… {bare}", bare, "an ellipsis at the beginning"
        yield f"...{bare}...", bare, "dots at both ends"
        yield f'"{bare}."', bare, "in quotation marks, with a full stop of its own"
        yield f"“{bare},”", bare, "with a comma before the closing mark"
        yield bare.upper() if language in {"en", "fr", "es"} else bare, bare, "in capitals"
        yield f"**{bare}**", bare, "in bold"
        yield bare.replace(" ", "\n| "), bare, "in several lines"
        if " " in bare:
            yield bare.replace(" ", "\u00a0"), bare, "with no-break spaces"
        clause = bare.split(",")[0].split("，")[0]
        if len(clause) > 2 * MINIMUM:
            yield f"{clause}.", clause, "a clause with a full stop that the text lacks"


def cut(language: str, text: str) -> Iterator[tuple[str, str, str]]:
    """(quote, the words of the text that it means, habit) with words left out."""
    joint = "" if language == "zh" else " "
    for number, (start, end) in enumerate(sentences(text)):
        said = text[start:end]
        words = tokens(said)
        bare = said[words[0][0] : words[-1][1]]
        for first, last in ((3, 5), (4, 6)):
            if len(words) > last + 3 and harmless(said, words[first:last], language):
                mark = CUTS[(number + first) % len(CUTS)]
                quote = f"{said[: words[first - 1][1]]}{joint}{mark}{joint}{said[words[last][0] : words[-1][1]]}"
                yield quote, bare, f"one cut with {mark}"
        if len(words) > 12 and harmless(said, [*words[3:4], *words[8:9]], language):
            parts = (
                said[: words[2][1]],
                said[words[4][0] : words[7][1]],
                said[words[9][0] : words[-1][1]],
            )
            yield f"{joint}…{joint}".join(parts), bare, "two cuts"


HABITS = [
    (language, quote, text, words, habit)
    for language, text in SPEECHES.items()
    for made in (whole, cut)
    for quote, words, habit in made(language, text)
]


@pytest.mark.slow
def test_ordinary_habits_land_on_the_right_words() -> None:
    missed = []
    for language, quote, text, words, habit in HABITS:
        span = find(quote, text, MINIMUM)
        if span is None or text[slice(*span)].strip(ENDS) != words.strip(ENDS):
            missed.append((language, habit, quote))

    assert len(HABITS) >= 200
    assert {language for language, *_ in HABITS} == set(SPEECHES)
    assert len(missed) <= (1 - MIN_LANDED) * len(HABITS), missed


def changed(language: str, text: str) -> Iterator[tuple[str, str]]:
    """(quote, what was changed) of quotes that the text does not have."""
    joint = "" if language == "zh" else " "
    for start, end in sentences(text):
        said = text[start:end]
        words = tokens(said)
        if len(words) < 8:
            continue
        head, tail = said[: words[3][1]], said[words[4][0] : words[-1][1]]
        without = f"{said[: words[2][1]]}{joint}{tail}"
        yield without, "a word left out without a mark"
        yield f"{tail}{joint}…{joint}{head}", "parts in another order"
        yield f"{head}{joint}nunca nicht never{joint}{tail}", "words added"
        yield f"{head}{joint}[not]{joint}{tail}", "a negation put in"
        pieces = [said[words[at][0] : words[at][1]] for at in range(0, 8, 2)]
        yield f"{joint}…{joint}".join(pieces), "three cuts"
    parts = sentences(text)
    if len(parts) > 3:
        first, last = text[slice(*parts[0])], text[slice(*parts[3])]
        yield f"{first[:20].rsplit(' ', 1)[0]} … {last[-20:].split(' ', 1)[-1]}", "spread over four sentences"


CHANGED = [
    (language, quote, text, what) for language, text in SPEECHES.items() for quote, what in changed(language, text)
]


def test_changed_wordings_are_not_found() -> None:
    found = [
        (language, what, quote, text[slice(*span)])
        for language, quote, text, what in CHANGED
        if (span := find(quote, text, MINIMUM)) is not None
    ]

    assert len(CHANGED) >= 100
    assert [] == found


@pytest.mark.parametrize(
    ("quote", "text", "hidden"),
    [
        ("The levy does … separate luxury", "The levy does not separate luxury from need.", "not"),
        ("Trams … replace cars", "Trams can never replace cars in the night.", "never"),
        ("The levy … pay for itself", "The levy doesn't, in the end, pay for itself.", "doesn't"),
        ("The plan … saves lives", "The plan, which costs 40 million, saves lives.", "40"),
        ("The plan … saves lives", "The plan that two experts made saves lives.", "two"),
        ("We [must not] agree", "We should agree with them today.", "not"),
        ("Die Steuer … trennt Luxus", "Die Steuer, die niemand will, trennt Luxus von Not.", "niemand"),
        ("La taxe … sépare le luxe", "La taxe ne sépare le luxe de rien.", "ne"),
        ("La taxe … juste pour tous", "La taxe n’est pas juste pour tous.", "n'est"),
        ("El impuesto … separa el lujo", "El impuesto nunca separa el lujo de la necesidad.", "nunca"),
        ("यह कर … अलग करता है", "यह कर विलासिता को नहीं अलग करता है।", "नहीं"),
        ("这项税收…区分奢侈与需要", "这项税收并不能区分奢侈与需要。", "不"),
        ("هذه الضريبة … تفصل الترف", "هذه الضريبة لا تفصل الترف عن الحاجة.", "لا"),
    ],
)
def test_a_cut_that_hides_a_negation_or_a_number_is_named(quote: str, text: str, hidden: str) -> None:
    why = place(quote, text, MINIMUM)

    assert isinstance(why, str)
    assert f"“{hidden}”" in why
    assert find(text.rstrip(".。।"), text, MINIMUM) is not None


@pytest.mark.parametrize(
    ("quote", "text", "words"),
    [
        (
            "A 2019 study by the Institute found that 63.4 percent of trips … were emergencies",
            "A 2019 study by the Institute found that 63.4 percent of trips beyond the fifth were emergencies.",
            "A 2019 study by the Institute found that 63.4 percent of trips beyond the fifth were emergencies",
        ),
        ("the carbon, we were told", "you have counted “the carbon”, we were told.", "the carbon”, we were told"),
        ("a *so-called* remedy", "It is a so–called remedy.", "a so–called remedy"),
        ("they pay, every time", "And **they pay**, every time and more.", "they pay**, every time"),
        ("[The firm] passes it on", "The tax is paid; it passes it on to you.", "passes it on"),
        ("at -5 degrees", "It fails at -5 degrees.", "at -5 degrees"),
    ],
)
def test_the_span_is_the_whole(quote: str, text: str, words: str) -> None:
    span = find(quote, text, MINIMUM)

    assert span is not None
    assert words == text[slice(*span)]


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("at 5 degrees it fails", "It holds; at -5 degrees it fails."),
        ("a loss of 15 percent", "There was a loss of 1.5 percent."),
        ("costs 40 a head now", "It costs 40% a head now."),
        ("a … b … c of it", "a man and b men and c of it"),
    ],
)
def test_a_figure_or_a_word_is_never_changed_by_leaving_signs_out(quote: str, text: str) -> None:
    assert find(quote, text, MINIMUM) is None


def test_the_shortest_place_counts() -> None:
    text = "The tax is old. The tax is fair. Nobody doubts that the tax on fuel is fair to them."

    assert (16, 31) == find("The tax … fair", text, MINIMUM)
