"""Events, the logs that store them, and the projections that are folded from them.

``types``: the events.  ``record``: the envelope and its chain of digests.  ``clock``: times and ids.
``codec``: payload bytes and upcasters.  ``store``: the log's protocol and its implementations.
``cluster``: leases, inbox and buses of nodes on one store.  ``verify``: checks a chain.
``transfer``: export and import.  ``state``: folds that the next steps depend on.
``view``: folds of what the page shows.  ``text``: words and sentences in any script.  ``patch``: merge patches.
``errors``: the exceptions.
"""
