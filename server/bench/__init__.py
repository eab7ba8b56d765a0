"""What Moot reaches on this machine, each figure a ratio to a limit measured in the same run.

``figure`` what is reported, and medians of interleaved runs · ``material`` events as a debate makes them · ``appends``
``fold`` ``fanout`` ``overhead`` the measurements · ``spectators`` the clients of the fan-out, a process of their own ·
``suite`` all of them by name.
"""
