"""The judge of the debate format ``protocol``: openings, cross-examination, closings, and the assessment of all three.

``protocol`` is the name of a format, as ``exchange`` is: it is no wire protocol.
"""
