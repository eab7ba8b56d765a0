"""Pure folds of what the page shows."""
