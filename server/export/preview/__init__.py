"""What other sites show of a link to a debate: its title and one sentence (``card``), and the picture (``picture``)."""
