"""What if: a recorded debate's raw answers under other rules.  No model is called and nothing is written.

``request`` the changed rules · ``replay`` runs the rules again · ``outcome`` the result of a debate · ``comparison``
both results side by side.
"""
