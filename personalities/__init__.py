"""Who debates: characters as numbers, and how the numbers become words.

``traits`` the twelve and their levels · ``archetypes`` the four starting points · ``prompt`` what a debater is told ·
``pressure`` what a lost exchange does to traits, and the directive that says so · ``errors`` what can be wrong.
"""
