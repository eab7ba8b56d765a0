"""What every process of the server has: logging and metrics, background tasks, children, extras, its version."""
