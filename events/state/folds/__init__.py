"""How events change the parts of ``parts`` whose rules are long: each is imported when its first event comes.

``audience`` · ``panel`` · ``protocol`` with its ``briefing`` · ``lab``.
"""
