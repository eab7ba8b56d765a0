"""The shell around the rules: formats, moderator, hub, HTTP and WebSocket, settings, command line."""
