"""The judge: questions with types, and pure rules that turn the answers into events.

``rubric`` ``soundness`` the points as data · ``questions`` ``ask`` ``templates`` what a judge is asked ·
``neutralise`` ``invisible`` debaters' words made harmless · ``quotes`` are they there · ``scoring`` ``rules`` one
turn's score · ``scorecard`` the verdict of the numbers · ``errors`` what can be wrong.
"""
