"""The HTTP application: one module for each resource, and the access rules."""
