"""What protects the judge from the words that it reads."""
