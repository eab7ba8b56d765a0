"""Counting words in pieces gives the same number as at once; a limit of words holds for every script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.text.segmentation import LONGEST_RUN, WordCounter, count_words
from server.debate.speech import clip

ANYTHING = "ab. \n\t\u00a0\u2003\x1c𝄞，。世ーกิ\u0301🐑\u200d🇨🇭က"
PIECES = st.lists(st.text(alphabet=ANYTHING, max_size=6) | st.text(max_size=90), max_size=12)
CHINESE = "城市应该禁止汽车，因为电车载客更多。它们共用一条轨道，所以街道又有了空间。"
THAI = "เมืองควรห้ามรถยนต์เพราะรถรางขนคนได้มากกว่า"
FAMILY, FLAG, ACCENT, HINDI = "👩‍👩‍👧‍👦", "🇨🇭", "e\u0301\u0323", "क्षि"


@pytest.mark.slow
@given(PIECES)
def test_words_that_come_in_pieces_are_counted_as_they_stand(pieces: list[str]) -> None:
    count, so_far = WordCounter(), ""
    for piece in pieces:
        count.add(piece)
        so_far += piece

        assert count_words(so_far) == count.number


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "Trams carry more - far more - people than cars (of course).", "a\u00a0b\u2003c\x1cd",
        "Straßenbahnen, z. B. in Zürich: gut!", "Les trams « roulent » ; n'est-ce pas ?", "🐑 🐑 … — !",
        "ट्रामें कारों से अधिक लोगों को ले जाती हैं।", "الترام ينقل ركابًا أكثر من السيارات.",
        "트램은 자동차보다 더 많은 사람을 태웁니다.", "Трамваи возят больше людей.", "חשמליות נושאות יותר אנשים",
        "Rindfleischetikettierungsüberwachung gilt.",
    ],
)  # fmt: skip
def test_text_with_spaces_is_counted_by_them(text: str) -> None:
    assert len(text.split()) == count_words(text)


@pytest.mark.slow
@given(st.lists(st.text(alphabet="abcäßéकا한-.'’!?—🐑\u0301", min_size=1, max_size=LONGEST_RUN), max_size=30))
def test_words_of_ordinary_length_are_what_stands_between_spaces(said: list[str]) -> None:
    assert len(said) == count_words(" ".join(said))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("世", 1), ("世界", 1), ("世界和", 2), (CHINESE, 18), ("「世界」", 1), ("世界，和平。", 2),
        ("我有2台iPhone手机", 5), ("トラムは車より多くの人を運ぶ。", 9), (THAI, 13),
        ("ກຂຄງ", 3), ("ខ្មែរ", 1), ("မြန်မာ", 1), ("世界 peace", 2),
        ("x" * LONGEST_RUN, 1), ("x" * (LONGEST_RUN + 1), 2), ("世" + "。" * 90, 3), ("🐑" * 400, 10),
        ("e" + "\u0301" * 399, 10), ("https://example.org/" + "a" * 30, 2),
    ],
)  # fmt: skip
def test_text_without_spaces_is_counted_by_segments(text: str, count: int) -> None:
    assert count == count_words(text)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["x", "世", "ก", "ကို", "🐑", FAMILY, FLAG, "e\u0301", "\u0301", "。", "한", "x.世 "])
def test_a_limit_holds_for_40_000_characters_of_anything(piece: str) -> None:
    text = piece * (40_000 // len(piece))
    kept, clipped = clip(text, 180)

    assert clipped
    assert len(kept) <= 180 * LONGEST_RUN
    assert 170 <= count_words(kept) <= 180


@given(st.text(alphabet=ANYTHING + FAMILY + FLAG) | st.text(max_size=200), st.integers(1, 20), st.booleans())
def test_what_is_clipped_is_a_beginning_within_the_limit(text: str, most: int, cut_short: bool) -> None:
    kept, clipped = clip(text, most, cut_short=cut_short)

    assert text.strip().startswith(kept)
    assert count_words(kept) <= most
    assert clipped == (cut_short or count_words(text) > most)


@pytest.mark.parametrize(
    "cluster", [FAMILY, FLAG, ACCENT, HINDI, "กำ", "👍🏽", "🏴\U000e0067\U000e0062\U000e007f", "\u1112\u1161\u11ab"]
)
def test_no_character_is_cut_in_the_middle(cluster: str) -> None:
    for before in range(LONGEST_RUN):
        kept, clipped = clip("x" * before + cluster * 200, 2)

        assert clipped, before
        assert "" == kept.lstrip("x").replace(cluster, ""), before


def test_marks_without_end_are_cut_where_the_limit_is() -> None:
    kept, _ = clip("e" + "\u0301" * 9000, 3)

    assert 3 * LONGEST_RUN == len(kept)


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        (CHINESE, 12, "城市应该禁止汽车，因为电车载客更多。"), (CHINESE, 4, "城市应该禁止汽车，"),
        ("他说：「不好。」我们说好吗", 4, "他说：「不好。」"),
        ("ट्राम अच्छी है। कार बुरी है", 5, "ट्राम अच्छी है।"), ("یہ اچھا ہے۔ وہ برا ہے", 5, "یہ اچھا ہے۔"),
        ("أليس كذلك؟ بلى هو كذلك", 3, "أليس كذلك؟"), ("It is 3.5 m long and so on", 5, "It is 3.5 m long"),
        ("One two three. Four five six", 5, "One two three."), ("One. Two three four five", 4, "One. Two three four"),
        ("One\n\ntwo three", 2, "One\n\ntwo"),
    ],
)  # fmt: skip
def test_a_text_is_clipped_at_a_sentence_where_half_remains(text: str, most: int, kept: str) -> None:
    assert (kept, True) == clip(text, most)


def test_a_text_that_was_cut_short_ends_with_its_last_sentence() -> None:
    assert ("It is so.", True) == clip("It is so. And th", 9, cut_short=True)
    assert ("电车好。", True) == clip("电车好。汽", 9, cut_short=True)
    assert ("It is so", False) == clip(" It is so ", 9)
