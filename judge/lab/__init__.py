"""The lab measures a judge: it asks the judge's own questions about texts that differ in one respect.

``items`` the texts · ``people`` texts that people judged, from a file · ``trials`` what is asked and answered ·
``statistics`` ``effects`` from answers to figures with intervals · ``mock`` judges with known biases, to test the lab
"""
