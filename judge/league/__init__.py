"""Who argues best, and how sure is that: strengths of players from the outcomes of their debates.

``results`` has the values, ``davidson`` fits the model, ``league`` makes intervals and ranks of it, ``noise`` what a
judge would say again, ``pairing`` says who meets whom next.  Formulas and sources: docs/league.md.
"""
