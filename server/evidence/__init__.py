"""Documents as evidence: read, cut into passages, and searched for what fits a turn."""
