"""Before a debate runs: its request and checks, the estimate of its cost, and the event ``debate_opened``.

``request`` what is asked for, with its checks · ``opening`` the event · ``seats`` the panel · ``cases`` the cases of a
calibration · ``records`` track records of raters · ``exhibitions`` scripted debates · ``rehearsal`` ``estimate`` calls,
tokens and cost beforehand.
"""
