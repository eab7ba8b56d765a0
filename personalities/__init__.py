"""Debaters: characters as numbers, and how the numbers become words.

``traits`` the twelve traits and their levels · ``archetypes`` four starting points · ``prompt`` the debater's prompt ·
``pressure`` how a lost exchange changes the traits, and the directive that says so.
"""
