"""Does debate help a judge to find the right one of two answers?  Rows of answers, and what follows from them.

``items`` has the rows, ``intervals`` accuracies and paired differences, ``calibration`` how true stated probabilities
are, ``report`` all figures of a study, ``audit`` whether a study can find anything, ``simulation`` how often intervals
hold.  Formulas and sources: docs/study.md.
"""
