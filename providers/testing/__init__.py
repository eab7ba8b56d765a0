"""What a provider of one's own is tested with: the contract that every provider keeps, and a wire that plays to it.

It needs pytest and anyio's plugin, which ``pip install pytest anyio`` gives; nothing else of Moot imports it.
"""
