"""What ``sender.c`` does, for machines without a C compiler; the lines that it reads and writes are told there.

``python -m server.bench.sender COUNT SIZE JOINED``
"""

import socket
import sys
import time

from websockets.frames import Opcode

from server.feed.websocket.wire import serialize


def main(count: int, size: int, joined: int) -> None:
    """Send until stdin ends."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        print(listening.getsockname()[1], flush=True)
        connections = [listening.accept()[0] for _ in range(count)]
    for connection in connections:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    message = serialize(Opcode.TEXT, b"x" * size) * joined
    for line in sys.stdin:
        began = time.process_time_ns()
        for _ in range(int(line)):
            for connection in connections:
                connection.sendall(message)
        print(time.process_time_ns() - began, flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
