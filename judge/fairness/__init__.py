"""How fair a rubric's rules are: simulated debates of a known outcome, judged with noise, through rules as arrays."""
