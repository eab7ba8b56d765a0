"""What happened: the vocabulary, the log that keeps it, and the folds that read it.

``types`` the events · ``rubric`` the data that a debate carries with it · ``record`` the envelope and its chain ·
``codec`` bytes and upcasting · ``log`` the protocol; ``memory`` and ``sqlite`` its implementations, ``open`` chooses ·
``verify`` the chain · ``transfer`` export and import · ``patch`` merge patches · ``projections`` the folds.
"""
