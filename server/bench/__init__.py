"""What Moot reaches on this machine, each figure a ratio to a limit measured in the same run.

``figure`` what is reported, and medians of interleaved runs · ``material`` events as a debate makes them · ``appends``
``fold`` ``listing`` ``fanout`` ``overhead`` the measurements · ``clients`` the readers of the fan-out, in processes of
their own · ``suite`` all of them by name.
"""
