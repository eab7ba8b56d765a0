"""The league of a store: which debates count, the table as a document, other forms, and its page."""
