"""Parts of the state that few debates change: their values, and the events that change each.

``evidence`` ``citations`` documents and what is cited · ``audience`` votes · ``panel`` raters · ``rounds`` of a
protocol · ``lab`` the calls of a run.
"""
