"""How reliable the judge is: the data of the page ``/judge``.  It reports on the judge and not on a debate.

``tally`` counts the results of its answers in finished debates · ``figures`` turns counts into shares and sentences ·
``measures`` and ``weaknesses`` compare each known weakness with the counts · ``levels`` lists the judge's questions and
rules · ``tables`` shows a rubric, and its differences from another one.
"""
