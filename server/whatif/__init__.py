"""What if: the recorded answers of a debate, judged again under changed rules.  It calls no model and writes nothing.

``request`` the changed rules · ``replay`` runs the rules again · ``outcome`` the result of a debate · ``comparison``
both results side by side.
"""
