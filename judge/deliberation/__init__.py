"""Judges who disagree and read each other: what they say, how far they agree, what is made of it.  Source: seed 001."""
