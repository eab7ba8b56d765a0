"""The judge: questions with types, and pure rules that turn the answers into events.

``live`` the judge of every turn · ``protocol`` openings, cross-examination, closings · ``panel`` raters ·
``deliberation`` judges who read each other · ``guard`` quotes, and words that would instruct the judge · ``prompts``
``rubrics`` data · ``report`` what can be said of the judge itself · ``errors`` what can be wrong.
"""
