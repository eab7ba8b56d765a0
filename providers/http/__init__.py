"""Shared by providers over HTTP: connections, error statuses, responses, and what calls have shown.

``vendor`` is the base of the providers that use a vendor's SDK.
"""
