"""Commands that judge, and explain judgements."""
