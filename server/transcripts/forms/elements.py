"""Forms of XML: which element is a speech, and what names its speaker."""

from typing import Final

from msgspec import Struct

from server.transcripts.forms.records import Given

NOTES: Final = frozenset(
    (
        "note",
        "desc",
        "vocal",
        "incident",
        "kinesic",
        "gap",
        "stage",
        "remark",
        "scene",
        "speaker",
        "from",
        "member",
        "head",
    )
)
"""Elements within a speech that are no words of it, by their local names."""


class ElementForm(Struct, frozen=True, kw_only=True):
    """A speech is an element ``speech``; its speaker is named by an attribute or by an element within it.

    An attribute that points to an element elsewhere (``#lee``) has the name that stands there.
    """

    name: str
    speech: str
    attribute: str = ""
    element: str = ""
    at: str = ""
    """An attribute with the time."""
    example: str
    gives: Given


FORMS: Final = (
    ElementForm(
        name="TEI, speech",
        speech="u",
        attribute="who",
        example='<TEI><person xml:id="a"><persName>Ann Lee</persName></person>'
        '<u who="#a"><seg>Yes.</seg><note>Noise</note></u><u who="Ben">No.</u></TEI>',
        gives=(("Ann Lee", "Yes."), ("Ben", "No.")),
    ),
    ElementForm(
        name="TEI, drama",
        speech="sp",
        element="speaker",
        example="<TEI><sp><speaker>Ann.</speaker><p>Yes.</p></sp><sp><speaker>Ben.</speaker><l>No.</l></sp></TEI>",
        gives=(("Ann", "Yes."), ("Ben", "No.")),
    ),
    ElementForm(
        name="Akoma Ntoso",
        speech="speech",
        element="from",
        example='<akomaNtoso><speech by="#a"><from>Ms Lee</from><p>Yes.</p></speech>'
        '<speech by="#b"><from>Mr Ode</from><p>No.</p></speech></akomaNtoso>',
        gives=(("Ms Lee", "Yes."), ("Mr Ode", "No.")),
    ),
    ElementForm(
        name="TheyWorkForYou",
        speech="speech",
        attribute="speakername",
        example='<publicwhip><speech speakername="Ann Lee"><p>Yes.</p></speech><speech nospeaker="true"><p>Noise.</p>'
        '</speech><speech speakername="Ben Ode"><p>No.</p></speech></publicwhip>',
        gives=(("Ann Lee", "Yes."), ("Ben Ode", "No.")),
    ),
    ElementForm(
        name="historic Hansard",
        speech="p",
        element="member",
        example="<hansard><p><member>Mr. Lee</member><membercontribution>: Yes.</membercontribution></p>"
        "<p><member>Mr. Ode</member><membercontribution>: No.</membercontribution></p></hansard>",
        gives=(("Mr. Lee", "Yes."), ("Mr. Ode", "No.")),
    ),
    ElementForm(
        name="timed text (TTML)",
        speech="p",
        attribute="agent",
        at="begin",
        example='<tt xmlns:ttm="m"><ttm:agent xml:id="a"><ttm:name>Ann</ttm:name></ttm:agent>'
        '<p begin="00:01.0" ttm:agent="a">Yes.</p><p begin="00:02.0" ttm:agent="Ben">No.</p></tt>',
        gives=(("Ann", "Yes."), ("Ben", "No.")),
    ),
)
"""The form with the most speeches whose speakers are named reads a file."""
