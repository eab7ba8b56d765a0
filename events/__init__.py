"""What happened: the vocabulary, the log that keeps it, and the folds that read it.

``types`` the events · ``rubric`` ``archetype`` the data that a debate carries with it · ``record`` the envelope and its
chain · ``codec`` bytes and upcasting · ``log`` the protocol, ``memory`` and ``sqlite`` its implementations · ``transfer``
export, import, verify · ``patch`` merge patches · ``projections`` the folds.
"""
