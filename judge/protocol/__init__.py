"""Format ``protocol``: openings, cross-examination, closings, and the judge's assessment of all three."""
