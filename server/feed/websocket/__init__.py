"""WebSockets that have left the web server: it accepts and checks them, then a protocol with a few slots serves them.

``wire``, ``incoming`` and ``deflate`` are fed with bytes and do no I/O.  ``upgrade`` lets the application detach a
connection from uvicorn.  A ``Spectator`` is one socket, a ``BroadcastGroup`` the sockets that get the same bytes, and
``Connections`` all sockets of this process.
"""
