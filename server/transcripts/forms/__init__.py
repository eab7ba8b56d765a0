"""The forms of transcripts, as data: how each names its speakers, an example, and what the example gives.

To add a form, add a row to one of the tables: ``lines`` (a name in a line of text), ``records`` (JSON and tables, by
paths), ``elements`` (XML).  One test reads the examples of all rows (``tests/server/transcripts/test_forms.py``).
"""
