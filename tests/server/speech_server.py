"""A server that plays ``/v1/audio/speech`` on loopback, on its good and its bad days."""

import json
import struct
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MP3_FRAME = b"\xff\xf3\x84\xc4".ljust(192, b"\0")
"""A frame of MPEG-2 layer III with 64 kbit/s, 24,000 samples a second, one channel: 576 samples without sound."""
FRAME_S = 576 / 24_000
WAV_FORM = struct.pack("<HHIIHH", 1, 1, 8_000, 16_000, 2, 16)


def mp3_of(text: str) -> bytes:
    """A frame for each character, behind a tag as encoders write one."""
    return b"ID3\x04\x00\x00\x00\x00\x00\x05XXXXX" + MP3_FRAME * len(text)


def wav_of(text: str) -> bytes:
    """A hundredth of a second for each character, of unknown length as servers that stream write it."""
    samples = b"\x01\x00" * 80 * len(text)
    head = b"WAVEfmt " + struct.pack("<I", len(WAV_FORM)) + WAV_FORM + b"data" + b"\xff\xff\xff\xff"
    return b"RIFF\xff\xff\xff\xff" + head + samples


class SpeechServer:
    """``days``: how it answers the next calls; then it speaks.  ``asked``: the bodies, ``keys``: the keys that came."""

    def __init__(self) -> None:
        self.days: deque[str] = deque()
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.url = ""
        self.forms = {"mp3": mp3_of, "wav": wav_of}
        self.has_begun, self.is_free = threading.Event(), threading.Event()
        """A slow answer has begun; until the other is set, it waits."""

    @property
    def voice(self) -> str:
        return f"openai:tts-test@{self.url}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        self.asked.append(body)
        self.keys.append(handler.headers.get("authorization"))
        day = self.days.popleft() if self.days else "good"
        make = self.forms.get(body["response_format"])
        if day == "busy":
            self._send(handler, 429, b'{"error": {"message": "too many requests"}}', {"retry-after": "20"})
        elif day == "busy for a moment":
            self._send(handler, 429, b'{"error": {"message": "too many requests"}}', {"retry-after": "0"})
        elif day == "broken":
            self._send(handler, 500, b"Internal Server Error")
        elif day == "locked":
            self._send(handler, 401, b'{"error": {"message": "Incorrect API key provided: sk-secret-0123456789"}}')
        elif day == "a page":
            self._send(handler, 200, b"<html>Sign in to the network</html>", {"content-type": "text/html"})
        elif day == "empty":
            self._send(handler, 200, b"", {"content-type": "audio/mpeg"})
        elif day == "cut":
            self._send(handler, 200, mp3_of(body["input"])[:500], {"content-length": "100000"})
        elif make is None:
            refusal = f'{{"error": {{"message": "response_format {body["response_format"]} is not supported"}}}}'
            self._send(handler, 400, refusal.encode())
        else:
            if day == "slow":
                self.has_begun.set()
                self.is_free.wait(30)
            self._send(handler, 200, make(body["input"]), {"content-type": "application/octet-stream"})

    def _send(
        self, handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str] | None = None
    ) -> None:
        handler.send_response(status)
        for name, value in ({"content-length": str(len(body))} | (headers or {})).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)


@contextmanager
def speaking() -> Iterator[SpeechServer]:
    """A server on a free port."""
    server = SpeechServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            server.answer(self)

        def log_message(self, *_: Any) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    server.url = f"http://127.0.0.1:{listening.server_address[1]}/v1"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.is_free.set()
        listening.shutdown()
        listening.server_close()
        thread.join()
