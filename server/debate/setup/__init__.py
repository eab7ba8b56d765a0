"""Before a debate runs: a request from JSON becomes its opening, and what it will take is estimated.

``request`` JSON becomes a request · ``opening`` the builder of its format makes the event · ``origins`` debates made of
stored ones · ``exhibitions`` scripted debates · ``rehearsal`` ``estimate`` ``lab`` calls, tokens and cost beforehand.
"""
