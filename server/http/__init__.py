"""The HTTP application: one module for each resource, and who may reach it."""
