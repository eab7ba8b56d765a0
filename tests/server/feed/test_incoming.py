"""Bytes that a client may send to a detached socket, and the answers: pure functions, fed with bytes."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import BINARY, CLOSE, PING, PONG, TEXT, Close, Frame

from server.feed.websocket.deflate import accepts
from server.feed.websocket.incoming import MAX_MESSAGE, Incoming, unmasked
from server.feed.websocket.wire import COMPRESSED, FIN, serialize, serialize_close
from tests.server.feed.transport import each_frame

MASK = b"\x01\x7f\x80\xff"


def client_frame(opcode: int, payload: bytes = b"", *, fin: bool = True, rsv: int = 0) -> bytes:
    """A frame as a client sends it."""
    whole = serialize(opcode, payload)
    head = bytearray(whole[: len(whole) - len(payload)])
    head[0] = (FIN if fin else 0) | rsv | opcode
    head[1] |= 0x80
    return bytes(head) + MASK + unmasked(payload, MASK)


def answers(stream: bytes, *, deflate: bool = False) -> list[Frame | Close]:
    return Incoming(deflate=deflate).receive(stream)


def code(stream: bytes, *, deflate: bool = False) -> int:
    """The close code of the answer."""
    last = answers(stream, deflate=deflate)[-1]
    if isinstance(last, Close):
        return last.code

    assert last.opcode is CLOSE
    return Close.parse(last.data).code


def test_messages_of_a_client_are_ignored() -> None:
    stream = (
        client_frame(TEXT)
        + client_frame(TEXT, "Trams 🚋".encode())
        + client_frame(BINARY, b"\xff" * 60_000)
        + client_frame(TEXT, b"{", fin=False)
        + client_frame(0, b"", fin=False)
        + client_frame(PING, b"now")
        + client_frame(0, b"}")
        + client_frame(PONG)
        + client_frame(BINARY)
    )
    incoming = Incoming(deflate=False)

    assert [Frame(PING, b"now"), Frame(PONG, b"")] == incoming.receive(stream)
    assert incoming.is_idle


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (serialize(TEXT, b"not masked"), 1002),
        (client_frame(3), 1002),
        (client_frame(0xB), 1002),
        (client_frame(TEXT, rsv=0x20), 1002),
        (client_frame(TEXT, rsv=0x10), 1002),
        (client_frame(TEXT, rsv=COMPRESSED), 1002),
        (client_frame(PING, rsv=COMPRESSED), 1002),
        (client_frame(0, b"goes on"), 1002),
        (client_frame(TEXT, b"a", fin=False) + client_frame(TEXT, b"b"), 1002),
        (client_frame(PING, b"a", fin=False), 1002),
        (client_frame(PING, b"a" * 126), 1002),
        (b"\x81\xff" + b"\xff" * 8 + MASK, 1002),
        (client_frame(TEXT, b"\xff"), 1007),
        (client_frame(TEXT, b"\xf0\x9f", fin=False) + client_frame(0, b"x"), 1007),
        (client_frame(TEXT, b"\xf0\x9f"), 1007),
        (client_frame(BINARY, b"x" * (MAX_MESSAGE + 1)), 1009),
        (client_frame(BINARY, b"x" * MAX_MESSAGE, fin=False) + client_frame(0, b"x"), 1009),
        (client_frame(CLOSE, b"\x03"), 1002),
        (client_frame(CLOSE, (1005).to_bytes(2, "big")), 1002),
        (client_frame(CLOSE, (999).to_bytes(2, "big")), 1002),
        (client_frame(CLOSE, (1000).to_bytes(2, "big") + b"\xff"), 1007),
        (client_frame(CLOSE), 1005),
        (client_frame(CLOSE, (1001).to_bytes(2, "big") + b"bye"), 1001),
        (client_frame(CLOSE, (4000).to_bytes(2, "big")), 4000),
        (b"GET / HTTP/1.1\r\n", 1002),
    ],
)
def test_close_codes(stream: bytes, expected: int) -> None:
    assert expected == code(stream)


def test_compressed_frames_are_ignored_if_compression_was_agreed_on() -> None:
    assert [] == answers(client_frame(TEXT, b"\xff\xfe", rsv=COMPRESSED), deflate=True)
    assert code(client_frame(TEXT, b"a", fin=False) + client_frame(0, b"b", rsv=COMPRESSED), deflate=True) == 1002


def test_a_message_that_is_too_long_is_refused_by_its_header() -> None:
    assert code(b"\x82\xff" + (1 << 40).to_bytes(8, "big") + MASK) == 1009


def test_nothing_is_read_after_the_end() -> None:
    incoming = Incoming(deflate=False)
    incoming.receive(client_frame(CLOSE))

    assert [] == incoming.receive(client_frame(PING) * 1000)


frames = st.one_of(
    st.builds(lambda text: client_frame(TEXT, text.encode()), st.text(max_size=200)),
    st.builds(lambda payload: client_frame(PING, payload), st.binary(max_size=125)),
    st.builds(
        lambda a, b: client_frame(BINARY, a, fin=False) + client_frame(PONG) + client_frame(0, b),
        st.binary(),
        st.binary(),
    ),
    st.binary(max_size=20),
)


@pytest.mark.slow
@given(stream=st.lists(frames, max_size=8).map(b"".join), cuts=st.lists(st.integers(0, 400)))
def test_bytes_may_come_in_any_pieces(stream: bytes, cuts: list[int]) -> None:
    incoming = Incoming(deflate=False)
    events = []
    edges = [0, *sorted({cut for cut in cuts if cut < len(stream)}), len(stream)]
    for start, end in pairwise(edges):
        events += incoming.receive(stream[start:end])
        held: Any = incoming._buffer
        assert len(held) < 140, "the parser keeps no message"

    assert answers(stream) == events


@pytest.mark.slow
@given(st.lists(st.binary(max_size=70_000), max_size=4))
def test_frames_are_read_as_they_were_written(payloads: list[bytes]) -> None:
    stream = b"".join(serialize(TEXT, payload) for payload in payloads)

    assert [(0x81, payload) for payload in payloads] == [(first, payload) for first, payload, _ in each_frame(stream)]


def test_a_reason_that_is_too_long_is_cut_between_characters() -> None:
    [(first, payload, _)] = each_frame(serialize_close(4408, "🚋" * 40))

    assert first == 0x88
    assert (4408).to_bytes(2, "big") + "🚋".encode() * 30 == payload


@pytest.mark.parametrize(
    ("offers", "expected"),
    [
        ("permessage-deflate", True),
        ("permessage-deflate; client_max_window_bits", True),
        ("permessage-deflate; server_max_window_bits=12; client_max_window_bits=12", True),
        ('permessage-deflate; server_max_window_bits="15"', True),
        ("permessage-deflate; client_no_context_takeover", True),
        ("permessage-deflate; server_no_context_takeover", False),
        ("permessage-deflate; server_no_context_takeover, permessage-deflate", True),
        ("permessage-deflate; server_max_window_bits=11", False),
        ("permessage-deflate; server_max_window_bits", False),
        ("permessage-deflate; server_max_window_bits=16", False),
        ("permessage-deflate; server_max_window_bits=012", False),
        ("permessage-deflate; client_max_window_bits=7", False),
        ("permessage-deflate; client_max_window_bits; client_max_window_bits", False),
        ("permessage-deflate; unevents_of", False),
        ("x-webkit-deflate-frame", False),
        ("", False),
    ],
)
def test_offers(offers: str, *, expected: bool) -> None:
    assert expected == accepts(offers)
