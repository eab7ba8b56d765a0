"""The judge: questions with types, and pure rules that turn the answers into events.

What it is asked: ``ask`` ``templates`` how a prompt is put together · ``questions`` a turn's score · ``comparison``
``claims`` ``second`` ``gaps`` ``spine`` ``arc`` ``convergence`` the other questions, each beside its rules.

What follows: ``desk`` a batch in the making · ``entries`` how a score changes · ``scoring`` ``rules`` one turn's score
· ``samples`` several answers as one · ``quotes`` are the words there · ``scorecard`` the verdict of the numbers.

What is data, and what is harmless: ``rubric`` ``soundness`` · ``scanner`` specific claims · ``words`` of content ·
``neutralise`` ``invisible`` ``injection`` ``orders`` ``disguises`` words that would instruct the judge · ``errors``
what can be wrong · ``report`` what can be said of the judge itself.
"""
