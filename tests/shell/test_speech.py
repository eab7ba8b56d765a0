"""What is counted piece by piece is what is there."""

from hypothesis import given
from hypothesis import strategies as st

from server.speech import Words, words

PIECES = st.lists(st.text(alphabet="ab \n\t\u00a0\u2003\x1c𝄞", max_size=6), max_size=12)


@given(PIECES)
def test_words_that_come_in_pieces_are_counted_as_they_stand(pieces: list[str]) -> None:
    count, so_far = Words(), ""
    for piece in pieces:
        count.add(piece)
        so_far += piece

        assert words(so_far) == count.number
