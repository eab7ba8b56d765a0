"""Measurements of ``moot bench``: each figure is a ratio to a limit that is measured in the same run.

``figure`` a figure, and medians of interleaved runs · ``material`` the events of a typical debate · ``served`` the
servers that are measured · ``clients`` the processes that read from them, ``fallback`` in Python · ``appends``
``postgres`` ``reading`` ``fanout`` ``spectators`` ``overhead`` the measurements · ``library`` the
library eventsourcing beside them · ``kills`` ``killed`` the kills of ``--soak`` · ``suite`` all figures by name.
"""
