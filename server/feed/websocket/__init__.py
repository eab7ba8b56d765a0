"""Sockets that have left the web server: accepted and checked by it, then served by a protocol of a few slots.

``wire`` and ``deflate`` are pure; ``upgrade`` offers the detachment to the application; a ``Spectator`` is one socket,
a ``BroadcastGroup`` all sockets that are told the same, the ``Connections`` all of this process.
"""
