"""For tests of providers, also of your own: the contract suite, and a loopback server that plays a vendor.

It needs pytest and anyio's plugin, which ``pip install pytest anyio`` installs; nothing else in Moot imports it.
"""
