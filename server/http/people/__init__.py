"""What people do through HTTP.

``seats`` the page of a person's seat · ``audience`` votes and beliefs · ``commands`` what operators do to a debate.
"""
