"""Deliberation: judges that disagree read each other's opinions and answer again."""
