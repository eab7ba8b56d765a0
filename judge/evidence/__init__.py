"""Citations of the evidence: found in a turn, checked against the passages, and weighed by the judge."""
