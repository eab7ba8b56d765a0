"""The judge: questions with types, and pure rules that turn the answers into events.

``live`` judges every turn · ``protocol`` openings, cross-examination, closings · ``panel`` independent raters ·
``deliberation`` judges that read each other · ``guard`` quotes, neutralising, attempts to instruct the judge ·
``prompts`` and ``rubrics`` data · ``text`` words and claims, without a model · ``report`` how reliable the judge is ·
``errors`` the exceptions.  A folder imports only those below it: deliberation, panel, protocol, live, guard, text.
"""
