"""Moot as a server of the Model Context Protocol: tools, resources and prompts over the HTTP API.

Each tool is one or a few requests to the API (``docs/http.md``): to the server that holds the store, or, at ``/mcp`` of
a server, to that server itself with the headers of the caller.  So rights, limits and words are those of the API.
"""
