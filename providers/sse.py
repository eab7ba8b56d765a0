"""Server-sent events from bytes.

httpx's own lines split at U+2028 and its like, which stand unescaped in JSON.  Format: WHATWG HTML, section 9.2.
"""

from collections.abc import AsyncIterator


async def data(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The ``data`` of each event, wherever the chunks were cut.  Comments, names and ids are passed over.

    Data that no line end has closed is not an event: the connection broke in it.
    """
    buffer = bytearray()
    lines: list[bytes] = []
    async for chunk in chunks:
        buffer += chunk
        while (end := buffer.find(b"\n")) >= 0:
            line = bytes(buffer[:end]).removesuffix(b"\r")
            del buffer[: end + 1]
            if line.startswith(b"data:"):
                lines.append(line[5:].removeprefix(b" "))
            elif line.startswith(b"error:"):  # how older llama.cpp says that it fails in mid-stream
                lines.append(b'{"error":' + line[6:] + b"}")
            elif not line and lines:
                yield b"\n".join(lines)
                lines = []
