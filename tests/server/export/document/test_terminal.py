"""A document on a terminal: no word is broken or lost, and a line is wider than the terminal only with one word."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from server.export.document import (
    Block,
    Column,
    Document,
    Facts,
    Item,
    Listing,
    Marked,
    Paragraph,
    Quoted,
    Section,
    Strong,
    Table,
)
from server.export.document.terminal import SpokenWords, lines, to_text

WORDS = st.text(alphabet="abcdef▲’é漢", min_size=1, max_size=30)
TEXTS = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
CELLS = st.one_of(WORDS, TEXTS, TEXTS.map(lambda text: (Strong(text), " ", Marked(text, "bad"))))


@st.composite
def tables(draw: st.DrawFn) -> Table:
    count = draw(st.integers(1, 9))
    columns = tuple(Column(draw(WORDS), draw(st.sampled_from(["", "n"]))) for _ in range(count))
    rows = draw(st.lists(st.tuples(*[CELLS] * count), min_size=1, max_size=4))
    return Table(columns, tuple(rows))


BLOCKS: st.SearchStrategy[Block] = st.one_of(
    tables(),
    TEXTS.map(Paragraph),
    TEXTS.map(Quoted),
    st.tuples(WORDS, TEXTS).map(lambda pair: Facts((pair,))),
    st.lists(TEXTS, min_size=1).map(lambda found: Listing(tuple(Item(each, (each,)) for each in found))),
)


def words_of(block: Block) -> list[str]:
    """The words of a block, rendered on a terminal that is wide enough for anything."""
    return [word for line in lines(block, 100_000) for word in line.plain.split()]


@pytest.mark.slow
@given(block=BLOCKS, width=st.integers(20, 220))
def test_no_word_is_broken_and_no_line_of_several_words_is_too_wide(block: Block, width: int) -> None:
    found = [line.plain for line in lines(block, width)]
    whole = {word.rstrip(":") for word in words_of(block)}

    assert {word.rstrip(":") for line in found for word in line.split()} <= {*whole, "·"}
    for line in found:
        is_one_word = len([word for word in line.split() if word not in {"-", "│", "·"}]) == 1
        assert cell_len(line) <= width or is_one_word


@pytest.mark.slow
@given(columns=st.integers(2, 9), width=st.integers(20, 220), cell=TEXTS)
def test_a_table_that_does_not_fit_loses_no_cell(columns: int, width: int, cell: str) -> None:
    titles = tuple(f"column{number}" for number in range(columns))
    shown = Counter(to_text(Document("title", (Table(titles, ((cell,) * columns,)),)), width).split())

    for word, count in Counter(cell.split()).items():
        assert count * columns == shown[word]


def test_a_wide_table_is_one_entry_a_block_with_its_figures_in_one_line() -> None:
    columns = (Column("position", "n"), "rule", Column("before", "n"), Column("after", "n"), "why")
    why = "the winner of the comparison is put one point ahead of the other turn, and no more"
    table = Table(columns, (("46", "won", "10", "11", why), ("50", "lost", "9", "8", "")))

    assert (
        "position 46\n"
        "  rule: won\n"
        "  before: 10 · after: 11\n"
        "  why: the winner of the\n"
        "    comparison is put one point\n"
        "    ahead of the other turn, and no\n"
        "    more\n"
        "\n"
        "position 50\n"
        "  rule: lost\n"
        "  before: 9 · after: 8\n"
    ) == "".join(f"{line.plain}\n" for line in lines(table, 36))


def test_a_table_that_fits_has_columns() -> None:
    table = Table(("turn", Column("score", "n")), (("1 ▲ Pro", "69.7"), ("2", "9")))

    assert ["turn     score", "1 ▲ Pro   69.7", "2            9"] == [line.plain for line in lines(table, 80)]


def test_an_address_that_is_wider_than_the_terminal_stays_whole() -> None:
    address = f"https://example.org/{'a' * 90}"

    assert ["See", address, "for", "more."] == [
        word for line in lines(Paragraph(f"See {address} for more."), 40) for word in line.plain.split()
    ]


def test_control_characters_of_a_debate_do_not_reach_the_terminal() -> None:
    section = Section("a\x1b[2J", (Paragraph("b\x1b]0;x\x07\nc"), Quoted("d\x9b1m"), Table(("e\x1b",), (("f\x1b",),))))

    assert not {*to_text(Document("t", (section,)), 80)} & {"\x1b", "\x07", "\x9b"}


def test_a_text_that_is_being_spoken_is_wrapped_at_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    words = SpokenWords()
    for piece in ("Ci", "ties should", " ban ca", "rs.\n", "\nNow", "."):
        words.add(piece)
    words.end()

    assert "Cities\nshould ban\ncars.\n\nNow.\n" == capsys.readouterr().out
