"""Folds over records.  Each module has ``INITIAL``, ``apply`` and ``MOVED_BY``, the events that change its value.

Values are immutable and share structure: a part that an event does not change stays the same object.
"""
