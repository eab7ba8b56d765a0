"""A judge without a model: it counts marks of argument and understands nothing.

``marks`` words by language (``marks.json``) · ``reading`` the sentences of a text with their marks · ``measures`` a
speech measured by what it answers · ``findings`` suspect claims, premises, contradictions · ``answers`` the answer
to each question · ``provider`` the class that an entry point names.
"""
