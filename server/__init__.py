"""Everything that does I/O.

``debate`` setting up and running debates · ``feed`` what spectators get · ``http`` ``cli`` the interfaces ·
``export`` ``whatif`` reading recorded debates · ``cluster`` a node among others · ``service`` puts them together ·
``settings`` ``errors`` ``process`` what all of them share.
"""
