"""Test helpers for providers: the contract suite, and a loopback server that plays scenes to a provider.

It needs pytest and anyio's plugin, which ``pip install pytest anyio`` installs; nothing else in Moot imports it.
"""
