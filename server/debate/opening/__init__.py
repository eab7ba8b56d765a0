"""What the openings of all formats share: ``debate_opened`` is made of these parts by the builder of each format.

``request`` the fields that every request has · ``sides`` those of a debate between two sides · ``models`` the models
are asked whether they answer · ``seats`` ``records`` a panel, and the track records of its raters · ``build`` the
event · ``language`` ``noise`` ``privacy`` what is found out for it.
"""
