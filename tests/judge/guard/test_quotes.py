"""A quote is valid if the turn contains it; its span is in code points of the turn."""

import time
from pathlib import Path
from unicodedata import normalize

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.guard.neutralise import quoted
from judge.guard.quotes import comparable, find, place

TURN = "Cars poison the air — “every single day”, she said. It isn’t free: the ﬁnal bill\nreaches   €40 per head."


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("Cars poison the air", "Cars poison the air"),
        ("CARS POISON THE AIR", "Cars poison the air"),
        ('"Cars poison the air"', "Cars poison the air"),
        ("  « poison the air »  ", "poison the air"),
        ('the air - "every single day"', "the air — “every single day"),
        ("the air -- 'every single day', she", "the air — “every single day”, she"),
        ("It isn't free", "It isn’t free"),
        ("It isn´t free", "It isn’t free"),
        ("the final bill reaches €40", "the ﬁnal bill\nreaches   €40"),
        ("| the final bill\n| reaches €40", "the ﬁnal bill\nreaches   €40"),
        ("poi\u200bson\u00ad the\u2060 air", "poison the air"),
        ("ｐｏｉｓｏｎ　ｔｈｅ ａｉｒ", "poison the air"),
    ],
)
def test_what_holds(quote: str, words: str) -> None:
    span = find(quote, TURN, 8)

    assert span is not None
    assert words == TURN[slice(*span)]


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "   ",
        "the air",
        "“the air”",
        "--------",
        "''''''''''",
        "\u200b" * 20,
        "Cars clean the air",
        "poison air",
        "Carspoisontheair",
    ],
)
def test_what_does_not(quote: str) -> None:
    assert find(quote, TURN, 8) is None


SPEECHES = msgspec.json.decode((Path(__file__).parents[1] / "speeches_in_seven_languages.json").read_bytes())


@pytest.mark.parametrize(
    ("language", "quote", "words"),
    [
        ("en", "45 % of the fine dust", "45% of the fine dust"),
        ("en", "45% of the coarse dust", None),
        ("de", "»ihre Kunden verlieren«, sollte", "ihre Kunden verlieren“, sollte"),
        ("de", "45% des Feinstaubs", "45 % des Feinstaubs"),
        ("de", "STRASSENBAHNEN BEFÖRDERN", "Straßenbahnen befördern"),
        ("de", "Strasenbahnen befördern", None),
        ("fr", 'commerces "perdront leurs clients" devraient', "commerces « perdront leurs clients » devraient"),
        ("fr", "parce qu'un seul remplace", "parce qu’un seul remplace"),
        ("fr", "les rues fermées: ceux", "les rues fermées : ceux"),
        ("fr", "les rues fermees : ceux", None),
        ("es", "¿quién dice que las tiendas 'perderán", "¿Quién dice que las tiendas «perderán"),
        ("es", "45% de las partículas", "45 % de las partículas"),
        ("hi", "2019 में 45 प्रतिशत महीन धूल", "२०१९ में ४५ प्रतिशत महीन धूल"),
        ("hi", "दुकानें 'अपने ग्राहक खो देंगी', वे", "दुकानें “अपने ग्राहक खो देंगी”, वे"),
        ("hi", "बंद कर देने चाहिए.", "बंद कर देने चाहिए।"),
        ("hi", "बद कर देने चाहिए", None),
        ("zh", "2019年,45%的细颗粒物来自交通", "2019年，45％的细颗粒物来自交通"),
        ("zh", "禁止 私人 汽车", "禁止私人汽车"),
        ("zh", "“失去顾客”，那就请他", "失去顾客」，那就请他"),
        ("zh", "失去顾客", "失去顾客"),
        ("zh", "步行的人购物次数更多.", "步行的人购物次数更多。"),
        ("zh", "步行", None),
        ("zh", "市中心禁止汽车", None),
        ("ar", "ينبغي للمدن أن تغلق مراكزها", "ينبغي للمدن أن تُغلق مراكزها"),
        ("ar", "جاء 45% من الغبار الدقيق", "جاء ٤٥٪ من الغبار الدقيق"),
        ("ar", "بمقدار 1.5 سنة", "بمقدار ١٫٥ سنة"),
        ("ar", 'المتـــاجر "ستفقد زبائنها" فلينظر', "المتاجر «ستفقد زبائنها» فلينظر"),
        ("ar", "يمشي يشتري أكثر?", "يمشي يشتري أكثر؟"),
        ("ar", "لأن قطارا واحدا", "لأنّ قطارًا واحدًا"),
        ("ar", "المتاجر ستكسب زبائنها", None),
    ],
)
def test_quotes_hold_in_seven_languages(language: str, quote: str, words: str | None) -> None:
    text = SPEECHES[language]
    span = find(quote, text, 8)

    assert words == (span and text[slice(*span)])


@pytest.mark.parametrize("language", SPEECHES)
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_a_quote_in_another_normal_form_holds(language: str, form: str) -> None:
    text = SPEECHES[language]
    quote = text[10:60].strip()

    assert find(normalize(form, quote), text, 8) == find(quote, normalize("NFC", text), 8) is not None


@pytest.mark.parametrize(
    ("text", "quote", "span"),
    [
        ("Die Straße ist schmal", "STRASSE IST", (4, 14)),
        ("cafe\u0301 society", "café society", (0, 13)),
        ("café society", "cafe\u0301 society", (0, 12)),
        ("in İstanbul today", "i\u0307stanbul today", (3, 17)),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af 한글 test", "한글 한글 test", (0, 14)),
        ("ΟΔΟΣ ΜΑΚΡΑ", "οδος μακρα", (0, 10)),
        ("e\u200d\u0301tude one", "étude one", (0, 11)),
        ("well… that is it", "well... that", (0, 10)),
        ("👨\u200d👩\u200d👧 family first", "👨👩👧 family", (0, 12)),
    ],
)
def test_spans_count_code_points_of_the_original(text: str, quote: str, span: tuple[int, int]) -> None:
    assert span == find(quote, text, 8)


def test_edges_of_characters_go_before_earlier_places() -> None:
    assert (14, 25) == find("inal answer", "ﬁnal answer — inal answer", 8)
    assert (0, 11) == find("inal answer", "ﬁnal answer", 8)


def test_a_bare_letter_is_not_the_letter_with_its_mark() -> None:
    assert find("cafe society", "cafe\u0301 society", 8) is None


ATOMS = st.sampled_from(
    [
        *"abcxyzABC .,;!?—–-‐“”‘’'\"«»‹›<>…\n\t",
        "\u00a0",
        "\u2003",
        "ß",
        "ﬁ",
        "ﬃ",
        "é",
        "e\u0301",
        "o\u0323\u0302",
        "İ",
        "ŉ",
        "Ａ",
        "½",
        "Σ",
        "ς",
        "한",
        "\u1112\u1161\u11ab",
        "\u1112\u1161",
        "ｶﾞ",
        "〈",
        "😀",
        "\u200b",
        "\u00ad",
        "\u202e",
        "|",
        "#",
        "[",
        "Ǆ",
        "℃",
        "ᾳ",
    ]
)


@pytest.mark.slow
@given(st.lists(ATOMS, min_size=8, max_size=60), st.data())
def test_any_piece_of_a_text_is_found_however_it_was_copied(atoms: list[str], data: st.DataObject) -> None:
    text = "".join(atoms)
    first = data.draw(st.integers(0, len(atoms) - 1))
    last = data.draw(st.integers(first + 1, len(atoms)))
    piece = "".join(atoms[first:last])
    mangle = data.draw(
        st.sampled_from(
            [
                str,
                str.lower,
                str.casefold,
                lambda s: normalize("NFKC", s),
                lambda s: normalize("NFC", s),
                lambda s: normalize("NFD", s),
                lambda s: s.replace(" ", "\u2003 \n"),
                lambda s: s.replace("—", "--"),
                lambda s: s.replace("“", '"').replace("’", "'"),
                "\u200b".join,
                lambda s: f" “{s}” ",
            ]
        )
    )
    quote = mangle(piece)

    span = find(quote, text, 8)

    if len(comparable(piece)) >= 8:
        assert span is not None
        assert comparable(piece) == comparable(text[slice(*span)])
    if span is not None:
        assert 0 <= span[0] < span[1] <= len(text)


@pytest.mark.slow
@given(st.lists(ATOMS, min_size=8, max_size=60), st.data())
def test_what_the_judge_was_shown_is_found_in_what_was_said(atoms: list[str], data: st.DataObject) -> None:
    text = "".join(atoms)
    lines = [line.removeprefix("| ") for line in quoted(text).split("\n")]
    line = data.draw(st.sampled_from(lines))

    if len(comparable(line)) >= 8:
        assert find(line, text, 8) is not None


@pytest.mark.slow
@given(st.text(max_size=200), st.text(max_size=40))
def test_any_text_at_all(text: str, quote: str) -> None:
    span = find(quote, text, 8)

    assert span is None or comparable(quote.replace("|", "")) in comparable(text[slice(*span)].replace("|", ""))


@pytest.mark.slow
@pytest.mark.parametrize("text", ["word " * 40_000, "e" + "\u0301" * 20_000, "ﬁ" * 50_000, "\u1112\u1161" * 50_000])
def test_long_texts_are_linear(text: str) -> None:
    began = time.perf_counter()

    find("no such words here", text, 8)

    assert time.perf_counter() - began < 10


@pytest.mark.parametrize("cut", ["…", "[…]", "..."])
def test_a_whole_sentence_between_two_whole_ones_may_be_left_out(cut: str) -> None:
    text = "Es regnet heute. Das Dach hält nicht dicht. Der Keller steht unter Wasser. Niemand pumpt."

    assert (0, 73) == find(f"Es regnet heute. {cut} Der Keller steht unter Wasser.", text, 8)


@pytest.mark.parametrize(
    "quote",
    [
        "Das Dach … dicht.",  # of the sentence itself
        "regnet heute. … Der Keller steht unter Wasser.",  # the first one is not whole
        "Es regnet heute. … steht unter Wasser.",  # nor is the last one
        "Es regnet heute. … Niemand pumpt.",  # two sentences are left out
    ],
)
def test_any_other_cut_hides_no_negation(quote: str) -> None:
    text = "Es regnet heute. Das Dach hält nicht dicht. Der Keller steht unter Wasser. Niemand pumpt."

    assert "leaves out “nicht”" == place(quote, text, 8)
