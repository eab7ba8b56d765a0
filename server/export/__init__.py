"""A debate in another form: Markdown, an HTML page that replays it, audits, differences."""
