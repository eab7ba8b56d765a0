"""What can be said of the judge itself.

``tally`` counts what became of its answers in debates that are over · ``figures`` turns counts into shares and
sentences · ``weaknesses`` sets each known weakness beside what was counted · ``levels`` says what it is asked and by
which rules · ``tables`` shows a rubric, and where it differs from another.
"""
