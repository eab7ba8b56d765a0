"""Opening a debate: the request and its checks, the estimate of its cost, and the event that opens it.

``opening`` the request and the event · ``seats`` the panel · ``cases`` the cases of a calibration · ``records`` track
records of raters · ``exhibitions`` scripted debates · ``rehearsal`` ``estimate`` calls, tokens and cost beforehand.
"""
