"""What if: a recorded debate's raw answers under other rules.  No model is called and nothing is written.

``walk`` runs the rules again, ``rubric`` reads what is to be other, ``outcome`` says what came of both, ``answer`` puts
them side by side.
"""
