"""The lab measures a judge: it asks the judge's own questions about texts that differ in one respect.

``items`` the texts · ``trials`` what is asked, and what was answered · ``answers`` by item, and the retest ·
``statistics`` estimates with clusters · ``effects`` one function a battery · ``verdicts`` the family and the verdicts ·
``compare`` two judges on the same trials
"""
