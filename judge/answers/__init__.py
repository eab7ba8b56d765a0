"""A question with two answers: what the judge, debaters, consultants and critics are asked, and how it is read.

``answer`` the judge's answer · ``quotes`` quotes of the passage in a text · ``prompt`` what each of them reads.
"""
