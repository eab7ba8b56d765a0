"""HTML: where tags, comments and attributes begin and end, and that no text takes more than linear time."""

import time

import pytest

from server.evidence.markup import Markup


def texts(html: str) -> list[str]:
    return [each.text for each in Markup(html).blocks()]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a <b>bus</b> carries", "a bus carries"),
        ('a <b title="x > y">bus</b>', "a bus"),
        ("a <b title='x > y' class=z>bus</b>", "a bus"),
        ('a <b title="x>bus</b> more', "a bus more"),
        ("a <IMG SRC=x>bus", "a bus"),
        ("a bus<br/>", "a bus"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("a <- b", "a <- b"),
        ("x<y and no end", "x<y and no end"),
        ("a &amp; b &#x41; &copy &odd;", "a & b A © &odd;"),
        ("a<!-- c > d --> bus", "a bus"),
        ("a<!--> bus", "a bus"),
        ("a<!---> bus", "a bus"),
        ("a<!-- never closed > bus", "a bus"),
        ("a<![CDATA[ c ]]> bus", "a bus"),
        ("a<?php c ?> bus", "a bus"),
        ("a</ c> bus", "a bus"),
        ("a</> bus", "a bus"),
        ("a<script>if (1 < 2) '</p>' </script> bus", "a bus"),
        ("a<SCRIPT>x</script >bus", "abus"),
        ("<head><script src=x /></head>a bus", "a bus"),
        ("a<script>never closed", "a"),
        ("a <b hidden>no</b>bus", "a bus"),
        ("a <b aria-hidden='true'>no</b>bus", "a bus"),
        ("a <b style=display:none>no</b>bus", "a bus"),
        ("a <b STYLE = 'Display : none'>no</b>bus", "a bus"),
        ("a <b/hidden/>no</b>bus", "a bus"),
        ("", ""),
    ],
)
def test_the_text_of_markup(html: str, text: str) -> None:
    assert [text] * bool(text) == texts(html)


UNFINISHED = (
    *("<", "</", "</a", "</a ", "<a", "<a ", "<a b", "<a b=", '<a b="', "<a b='", '<a b=""', "<a/", "<a =", "<a b=c"),
    *("<!--", "<!-- x>", "<!--x", "<!", "<?x", "<![x", "<script", "<script></", "<style></x>", "&", "&#", "<h1>x"),
    *("<p style='display:", '<a b=">" ', "<a b='>\"", "</>"),
)


@pytest.mark.slow
@pytest.mark.parametrize("length", [40_000, pytest.param(200_000, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("part", UNFINISHED)
def test_no_text_takes_more_than_linear_time(part: str, length: int) -> None:
    """Most of these took from five seconds to ten minutes for 200,000 characters, now a third of a second at most."""
    for end in ("", ">", "-->", "'>"):
        html = part * (length // len(part)) + end
        began = time.process_time()
        texts(html)

        assert time.process_time() - began < length / 60_000, end
