"""The shell around the rules: formats, moderator, hub, HTTP and WebSocket, settings, command line."""

from importlib.metadata import version

VERSION = version("moot")
