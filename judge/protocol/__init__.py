"""The three rounds: what is asked for, what is wrong with an answer, and what the judge makes of it."""
