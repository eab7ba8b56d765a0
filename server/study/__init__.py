"""Studies: does debate help a judge?  ``data`` reads the questions that a study asks."""
