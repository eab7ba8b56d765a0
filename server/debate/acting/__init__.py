"""What people do to a debate that runs; the moderator imports each where it happens.

``operator_acts`` what the API and the terminal offer · ``execution`` a command is carried out · ``ballots`` votes and
beliefs · ``desk`` the pages of seats.
"""
