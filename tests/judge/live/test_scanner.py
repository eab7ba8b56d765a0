"""Specific claims are found with their spans, and equal quantities in other words are equal."""

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.text.claim_words import AUTHORITY, STUDY, plain
from judge.text.scanner import KINDS, NEEDED, currency, pattern, scan, tokens
from tests.laws import spread


def found(text: str) -> list[tuple[str, str]]:
    return [(each.kind, each.quote) for each in scan(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rose by 31.4 percent.", [("percentage", "31.4 percent")]),
        ("It rose by 31,4 %.", [("percentage", "31,4 %")]),
        ("It rose by 5%, then 5 percentage points.", [("percentage", "5%"), ("percentage", "5 percentage points")]),
        ("Thirty-one percent of them", [("percentage", "Thirty-one percent")]),
        ("Two thirds drive, two-thirds of those alone.", [("percentage", "Two thirds"), ("percentage", "two-thirds")]),
        (
            "One in five, 9 out of 10, 1 in every 100.",
            [("percentage", "One in five"), ("percentage", "9 out of 10"), ("percentage", "1 in every 100")],
        ),
        ("Half of all, a third of some.", [("percentage", "Half of"), ("percentage", "a third")]),
        ("In 2019 and the 1990s.", [("year", "2019"), ("year", "1990s")]),
        ("Between 1914–1918.", [("year", "1914"), ("year", "1918")]),
        (
            "It cost $3.5 million, €40, US$ 40bn and three million euros.",
            [("money", "$3.5 million"), ("money", "€40"), ("money", "US$ 40bn"), ("money", "three million euros")],
        ),
        ("About 1,200 pupils", [("figure", "1,200 pupils")]),
        ("1900 km and 12 km", [("figure", "1900 km"), ("figure", "12 km")]),
        ("half a million jobs, 4 000 000 people", [("figure", "half a million jobs"), ("figure", "4 000 000 people")]),
        (
            "a 2019 study by Jane Smith said",
            [("study", "a 2019 study by Jane Smith"), ("authority", "Jane Smith"), ("year", "2019")],
        ),
        ("the Smith report says", [("study", "the Smith report")]),
        ("a survey by the World Bank", [("study", "a survey by the World Bank"), ("authority", "World Bank")]),
        ("Smith and Jones (2004) found", [("study", "Smith and Jones (2004)"), ("year", "2004")]),
        ("Smith et al. found", [("study", "Smith et al.")]),
        ("researchers at MIT found", [("authority", "researchers at MIT")]),
        ("according to the WHO, cars", [("authority", "according to the WHO")]),
        ("Dr Jane Doe and Professor O’Neil", [("authority", "Dr Jane Doe"), ("authority", "Professor O’Neil")]),
        ("The OECD found that", [("authority", "The OECD")]),
        ("the University of Oxford", [("authority", "University of Oxford")]),
        ("He said “it is over” and left.", [("quotation", "“it is over”")]),
        (
            'Er sagte „es ist aus“, «c\'est fini», "it is so".',
            [("quotation", "„es ist aus“"), ("quotation", "«c'est fini»"), ("quotation", '"it is so"')],
        ),
        ("A 2019 study by Harvard found it.", [("study", "A 2019 study by Harvard"), ("year", "2019")]),
        (
            "One in five; five per 1,000; 12 per 100,000; one in a million.",
            [
                ("percentage", "One in five"),
                ("percentage", "five per 1,000"),
                ("percentage", "12 per 100,000"),
                ("percentage", "one in a million"),
            ],
        ),
        (
            "It fell from 14 to 12 %, 10–20 percent off, between 3 and 4 percent.",
            [("percentage", "14 to 12 %"), ("percentage", "10–20 percent"), ("percentage", "3 and 4 percent")],
        ),
        (
            "They sold 20 in 2019 and 20 percent in 2020.",
            [("figure", "20"), ("year", "2019"), ("percentage", "20 percent"), ("year", "2020")],
        ),
        ("One hundred percent of half the town", [("percentage", "One hundred percent"), ("percentage", "half the")]),
        (
            "£10m, CHF 200, 40 EUR, USD 3 million, five Swiss francs",
            [
                ("money", "£10m"),
                ("money", "CHF 200"),
                ("money", "40 EUR"),
                ("money", "USD 3 million"),
                ("money", "five Swiss francs"),
            ],
        ),
        (
            "10k users, 10m people, two hundred million lives",
            [("figure", "10k users"), ("figure", "10m people"), ("figure", "two hundred million lives")],
        ),
        ("a 40-hour week is three times as long", [("figure", "40-hour"), ("figure", "three times")]),
        ("seven deaths and 98.6°F", [("figure", "seven deaths"), ("figure", "98.6°F")]),
        ("the National Audit Office found waste", [("authority", "National Audit Office")]),
        ("As Hannah Arendt wrote, power is not force.", [("authority", "Hannah Arendt")]),
        ("Dr. A. B. Clark agrees.", [("authority", "Dr. A. B. Clark")]),
        ("an IMF report and a paper in Nature", [("study", "an IMF report"), ("study", "a paper in Nature")]),
        ("Er schrieb ‚so ist es‘.", [("quotation", "‚so ist es‘")]),
        ("They wrote ‘don’t drive’ and 'it's fine'.", [("quotation", "‘don’t drive’"), ("quotation", "'it's fine'")]),
    ],
)
def test_specific_claims_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert sorted(expected, key=lambda each: (text.index(each[1]), len(each[1]), each[0])) == sorted(
        found(text),
        key=lambda each: (text.index(each[1]), len(each[1]), each[0]),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Laut einer Studie der Universität Zürich sparen 3,5 Millionen Menschen 20 Euro; die Hälfte aller Fahrten.",
            ["study: Studie der Universität Zürich", "authority: Universität Zürich", "figure: 3,5 Millionen Menschen",
             "money: 20 Euro", "percentage: die Hälfte"],
        ),
        (
            "Selon une étude de l’Université de Lyon, 3,5 millions de gens paient 20 euros ; d’après l’OMS, un tiers.",
            ["study: étude de l’Université de Lyon", "authority: Université de Lyon", "figure: 3,5 millions",
             "money: 20 euros", "authority: d’après l’OMS", "percentage: un tiers"],
        ),
        (
            "Según la OMS, el 45 por ciento de 12.000 viajes; un estudio de la Universidad de Sevilla y la mitad.",
            ["authority: Según la OMS", "percentage: 45 por ciento", "figure: 12.000 viajes",
             "study: estudio de la Universidad de Sevilla", "authority: Universidad de Sevilla",
             "percentage: la mitad"],
        ),
        (
            "२०१९ में ४५ प्रतिशत धूल, ३५ लाख लोग २० रुपये देते हैं। विश्व स्वास्थ्य संगठन के अनुसार १२,००० मौतें।",
            ["year: २०१९", "percentage: ४५ प्रतिशत", "figure: ३५ लाख लोग", "money: २० रुपये",
             "authority: विश्व स्वास्थ्य संगठन के अनुसार", "figure: १२,००० मौतें"],
        ),
        (
            "2019年，据世界卫生组织，45％的粉尘，350万人支付20元，百分之三十的车。《柳叶刀》说：「很多」。",
            ["year: 2019年", "authority: 据世界卫生组织", "percentage: 45％", "figure: 350万人", "money: 20元",
             "percentage: 百分之三十", "study: 《柳叶刀》", "quotation: 「很多」"],
        ),
        (
            "في عام ٢٠١٩ جاء ٤٥٪ من الغبار، ويدفع ٣٫٥ مليون شخص، بحسب منظمة الصحة العالمية، «الثمن كله».",
            ["year: ٢٠١٩", "percentage: ٤٥٪", "figure: ٣٫٥ مليون شخص", "authority: بحسب منظمة الصحة العالمية",
             "quotation: «الثمن كله»"],
        ),
    ],
)  # fmt: skip
def test_specific_claims_are_found_in_other_languages(text: str, expected: list[str]) -> None:
    assert expected == [f"{each.kind}: {each.quote}" for each in scan(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Die Straßen gehören den Menschen, und niemand zweifelt daran.",
        "Les rues appartiennent aux gens, et selon nous c’est juste.",
        "Las calles son de la gente, y según parece es justo.",
        "सड़कें लोगों की हैं, कारों की नहीं।",
        "街道属于人，不属于汽车。第3点成立。",
        "الشوارع للناس وليست للسيارات.",
    ],
)
def test_plain_words_of_other_languages_are_no_claims(text: str) -> None:
    assert [] == found(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Streets belong to people, not to cars.",
        "One must not drive.",
        "We don't, they can't, and it's theirs.",
        "Point 3 stands.",
        "A study is not a proof.",
        "The report was late.",
        "Experts disagree.",
        "First, cost; second, time; third, fairness.",
        "The 3rd item of the 21st century.",
        "1. Cost. 2) Time.",
        "COVID-19, CO2, G7 and B52 are names.",
        "One day, one people, one deaths.",
        "Someone in power said so.",
        "In section 1.2.3 nobody reads.",
        "Page 12 and turn 3 say so.",
    ],
)
def test_plain_words_are_no_claims(text: str) -> None:
    assert [] == found(text)


def test_candidates_come_in_the_order_of_their_places() -> None:
    text = "In 2019, 31.4 percent of 1,200 pupils said “we walk”, according to the WHO."

    kinds = ["year", "percentage", "figure", "quotation", "authority"]
    assert kinds == [each.kind for each in scan(text)]


@pytest.mark.parametrize(
    ("one", "other", "token"),
    [
        ("31.4 percent of cars", "a full 31,4 % of all cars", "31.4 %"),
        ("thirty-one percent", "31%", "31 %"),
        ("four million people", "4,000,000 people", "4000000 people"),
        ("1.5 million jobs", "1 500 000 jobs", "1500000 job"),
        ("$3 million", "three million dollars", "3000000 usd"),
        ("1.234.567,50 euros", "€1,234,567.5", "1234567.5 eur"),
        ("two thirds of them", "two-thirds of drivers", "2/3"),
        ("one in five children", "1 out of 5 of them", "1/5"),
        ("1 in a hundred", "one in 100", "1/100"),
        ("12 miles", "twelve hundred, or 12 miles", "12 mile"),
        ("5 percentage points", "5 percent points", "5 points"),
        ("half a million jobs", "500,000 jobs", "500000 job"),
        ("10–20 %", "between 10 and 20 percent", "10-20 %"),
        ("£10m", "10 million pounds", "10000000 gbp"),
        ("CHF 200", "200 francs", "200 chf"),
        ("two hundred million people", "200,000,000 people", "200000000 people"),
        ("5 per 1,000", "five per thousand", "5/1000"),
        ("४५ प्रतिशत", "45%", "45 %"),
        ("٣٫٥ مليون شخص", "3.5 مليون شخص", "3500000 شخص"),
        ("350万人", "3,500,000人", "3500000 人"),
        ("３千万元", "30,000,000元", "30000000 cny"),
        ("3,5 Millionen Menschen", "3.500.000 Menschen", "3500000 menschen"),
        ("३५ लाख लोग", "3,500,000 लोग", "3500000 लोग"),
    ],
)
def test_one_quantity_is_one_token_whatever_its_wording(one: str, other: str, token: str) -> None:
    assert token in tokens(one) & tokens(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("31.4 percent", "31.5 percent"),
        ("12 km", "12 kg"),
        ("$40", "€40"),
        ("In 2019 it rose", "In 2019 it fell"),
        ("half of all cars", "half of all bikes"),
        ("3 points", "3 points"),
        ("5 %", "5 percentage points"),
        ("20 %", "10–20 %"),
        ("the Smith report", "the Smith report"),
        ("", ""),
    ],
)
def test_different_claims_share_no_token(one: str, other: str) -> None:
    assert not tokens(one) & tokens(other)


PIECES = st.sampled_from(
    [
        "31.4",
        " percent",
        "%",
        " ",
        "one",
        " in ",
        "five",
        "2019",
        "$",
        "a ",
        "the ",
        "Smith ",
        "study ",
        "by ",
        "WHO",
        "“",
        "”",
        '"',
        "'",
        "‘",
        "’",
        "million ",
        "half a ",
        "1 000 000",
        "1,2",
        "., ",
        "\n",
        "Dr ",
        "٣",
        "²",
        "É",
        "thirds",
        "५",
        "٪",
        "％",
        "年",
        "万",
        "लाख ",
        "के अनुसार",
        "据世界卫生组织",
        "دراسة من جامعة ",
        "selon ",
        "« ",
        "分之",
        "العالم",
    ]
) | st.text(max_size=5)


SOURCES = re.findall(r"[^\W\d_]{2,}", f"{STUDY} {AUTHORITY}") + [
    f"{word} " for words in NEEDED.values() for word in words
]
NAMED = st.sampled_from(
    [
        *SOURCES,
        "Jane ",
        "Smith ",
        "WHO ",
        " of ",
        " by ",
        " der ",
        " de ",
        "the ",
        ") ",
        "19",
        "2019",
        "ſ",
        "ı",
        "İ",
        "\u212a",
    ]
)


AMOUNTS = st.sampled_from(
    [
        "$",
        "US$",
        "3",
        "5 ",
        "million ",
        "EUR",
        " euros",
        "usd ",
        "元",
        "人民币",
        "de ",
        "Franken",
        "dollar",
        "x",
        "देश",
        " रुपये",
        "£",
    ]
)


@pytest.mark.slow
@given(st.lists(AMOUNTS | PIECES, max_size=8).map("".join))
def test_every_amount_of_money_has_a_currency(text: str) -> None:
    for match in pattern("money").finditer(plain(text)):
        assert currency().search(match[0])


@pytest.mark.slow
@given(st.lists(NAMED | PIECES, min_size=2, max_size=8).map(" ".join) | st.lists(NAMED, max_size=8).map("".join))
def test_a_text_without_the_words_that_a_kind_needs_holds_nothing_of_it(text: str) -> None:
    found = scan(text)

    for kind in NEEDED:
        expected = [match.start() for match in pattern(kind).finditer(plain(text))]
        assert expected == [each.span[0] for each in found if each.kind == kind]


@pytest.mark.slow
@pytest.mark.parametrize("between", [" ", " der ", " de ", " du ", " by ", " par ", " por ", " von ", " of "])
def test_each_word_of_a_source_is_enough(between: str) -> None:
    for word in SOURCES:
        for text in (f"{word}{between}Jane Smith", f"Jane {word}{between}Smith", f"Jane Smith {word.lower()}"):
            found = scan(text)
            for kind in NEEDED:
                expected = [match.start() for match in pattern(kind).finditer(plain(text))]
                assert expected == [each.span[0] for each in found if each.kind == kind]


@pytest.mark.slow
@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_scanned(text: str) -> None:
    every = scan(text)

    assert all(text[each.span[0] : each.span[1]] == each.quote for each in every)
    assert all(each.quote == each.quote.strip() != "" for each in every)
    assert list(every) == sorted(every, key=lambda each: each.span)
    for kind in KINDS:
        spans = [each.span for each in every if each.kind == kind]
        assert all(one[1] <= two[0] for one, two in pairwise(spans))
    assert all(tokens(text))
    assert every == scan(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    spread(
        [
            "1",
            "1 ",
            "1 000 ",
            "1,",
            "1.",
            "$",
            "%",
            "“",
            '"',
            "'",
            "‘a",
            "«",
            "a ",
            "A ",
            "the A ",
            "A of ",
            "Dr ",
            "one ",
            "two in ",
            "2019 ",
            "half a ",
            "according to A ",
            "the study by ",
            "A-",
            " ",
            "\n",
            "é",
            "10 to ",
            "between 1 and ",
            "10–",
            "1 per ",
            "A. ",
            "Dr A. ",
            "Ab Cd ",
            "chf ",
            "1m ",
            "hundred ",
            "two hundred ",
            "-",
            "«\u00a0",
            "《",
            "据",
            "据世界",
            "三分之",
            "१ ",
            "की ",
            "के अनुसार ",
            "क्षा",
            "وفقا ل",
            "دراسة من جامعة ",
            "étude de la A ",
            "selon la A de la ",
            "3万",
        ],
        20,
    ),
)
def test_time_is_linear(piece: str) -> None:
    text = (piece * 15_000)[:15_000]
    start = time.process_time()

    scan(text)
    tokens(text)

    assert time.process_time() - start < 0.75
