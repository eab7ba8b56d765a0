"""What the providers that talk to a server share: connections, listings, responses, and what calls teach."""
