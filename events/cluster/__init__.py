"""What nodes on one store agree on: leases, an inbox for acts, and buses for text in flight."""
