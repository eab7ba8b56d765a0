"""People in seats: the provider `person`, which asks them, and the links by which their browsers come."""
