"""Commands that measure judges, models and this machine."""
