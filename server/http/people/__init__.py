"""The page of a person's seat, and what operators do with its link."""
