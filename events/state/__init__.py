"""Pure folds over records.  Each module has ``initial`` and ``apply``; values are immutable and share structure."""
