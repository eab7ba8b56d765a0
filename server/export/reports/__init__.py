"""What readers of judged debates ask for: two judgings of the same turns compared, and a report for a debater."""
