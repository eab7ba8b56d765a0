"""A debate in another form: HTML, audit, diff."""
