"""Everything that does I/O around the rules.

``debate`` ``opening`` debates · ``feed`` what spectators get · ``http`` ``cli`` ways in · ``export`` ``whatif`` ways to
read · ``cluster`` one node among others · ``service`` puts them together · ``settings`` ``errors`` ``observe``.
"""
