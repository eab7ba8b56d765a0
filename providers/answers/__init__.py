"""From the text of a model to its answer.

``streaming`` timeouts and completeness · ``thinking`` removes it · ``schema`` ``dialects`` the form of an answer ·
``lenient`` reads what is not plain JSON · ``neutral`` the answer of a script that gives none.
"""
