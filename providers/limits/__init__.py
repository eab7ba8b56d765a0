"""How many calls a provider gets: a queue that is fair between debates, limits per minute, and a circuit breaker."""
