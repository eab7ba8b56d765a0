"""What happened: the vocabulary, the log that keeps it, and the folds that read it.

``types`` the events · ``record`` the envelope and its chain · ``clock`` times and ids · ``codec`` bytes and upcasting ·
``store`` the log's protocol and its implementations · ``cluster`` what nodes on one store agree on · ``verify`` the
chain · ``transfer`` export and import · ``patch`` merge patches · ``state`` ``view`` the folds · ``errors`` what can go
wrong.
"""
