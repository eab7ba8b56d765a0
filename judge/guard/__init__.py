"""Protection of the judge from the text that it reads: quotes, neutralising, attempts to instruct it."""
