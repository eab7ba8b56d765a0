"""Measurements of ``moot bench``: each figure is a ratio to a limit that is measured in the same run.

``figure`` a figure, and medians of interleaved runs · ``material`` the events of a typical debate · ``appends``
``reading`` ``overhead`` the measurements · ``suite`` all figures by name.  Comparisons with other libraries, fan-out
and kills are in ``tests/measuring``.
"""
