"""A deterministic simulation: the real readers, rooms, galleries, moderators; a log and pipes that misbehave as drawn.

``loop`` has no time, ``governed`` no chance but the seed's; ``store`` and ``pipe`` are what goes wrong, ``gate`` stands
for the web server, a ``watcher`` holds what it reads against the log.  ``world`` puts them together, ``soak`` plays
many.
"""
