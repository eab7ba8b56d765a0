"""The preview picture of a debate: what it draws, in which font, and what it keeps."""

import io
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace
from PIL import Image, ImageChops

from events.state.parts.rounds import ProtocolState
from events.state.scorecard import Scorecard, SideCard
from events.transfer import parse_lines
from events.view import view as views
from events.view.view import SeatView, View
from server.export.preview import picture as preview
from server.export.preview.course import course_of
from server.export.preview.picture import EMBEDDED, MARGIN, MAX_KEPT, Previews, draw, words_of

ARABIC = "هل ينبغي للمدن أن تحظر السيارات؟"
CJK = "都市は車を禁止すべきか"
CURVE_TOP = 502
SMALL, ROOM = preview.SMALL, preview.WIDTH - 150


def seat(model: str) -> SeatView:
    return SeatView(model=model, archetype="devils_advocate", elasticity=0.5, caveat="")


def scores(pro: float, con: float) -> Scorecard:
    return Scorecard(pro=SideCard(composite=pro), con=SideCard(composite=con))


VIEW = View(
    id="one",
    position=1,
    motion="Trams or cars?",
    format="exchange",
    pro=seat("scripted:a"),
    con=seat("scripted:b"),
    scorecard=scores(60.0, 40.0),
)


def picture(view: View = VIEW, **changes: Any) -> Image.Image:
    return Image.open(io.BytesIO(draw(replace(view, **changes)))).convert("RGB")


def changed(one: Image.Image, two: Image.Image) -> tuple[int, int, int, int] | None:
    """The box around the pixels that differ."""
    return ImageChops.difference(one, two).getbbox()


def motion_of(image: Image.Image) -> tuple[int, int, int, int] | None:
    """The box around what differs from a picture without a motion."""
    return changed(image, picture(motion=""))


@pytest.fixture
def embedded_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "FONTS", (EMBEDDED,))
    for name in ("SERIF", "SERIF_BOLD", "SANS_BOLD"):
        monkeypatch.setattr(preview, name, ())


@pytest.mark.slow
def test_score_state_seats_and_motion_are_in_the_picture() -> None:
    usual = picture()
    rows = {
        "pro": changed(usual, picture(scorecard=scores(61.0, 40.0))),
        "con": changed(usual, picture(scorecard=scores(60.0, 39.0))),
        "none": changed(usual, picture(scorecard=Scorecard())),
        "seat": changed(usual, picture(con=seat("scripted:c"))),
        "blind": changed(usual, picture(con=replace(seat(""), model=UNSET))),
        "state": changed(usual, picture(state="halted")),
        "motion": changed(usual, picture(motion="Trams or bikes?")),
    }
    tops = {name: box[1] // 100 if box else None for name, box in rows.items()}

    assert (1200, 630) == usual.size
    assert {"pro": 0, "con": 0, "none": 0, "seat": 3, "blind": 3, "state": 1, "motion": 1} == tops


@pytest.mark.slow
@pytest.mark.parametrize("name", ["0.1-juries_v3", "0.1-juries"])
def test_the_curve_the_quotes_and_the_outcome_are_in_the_picture(name: str) -> None:
    log = Path(__file__).parents[2] / f"events/view/golden/{name}.ndjson"
    fold = views.apply_all(views.INITIAL, parse_lines(log.read_bytes().splitlines(keepends=True)))
    course = course_of(fold)
    whole = Image.open(io.BytesIO(draw(fold.view, course))).convert("RGB")
    exposure = course.exposure
    assert exposure is not UNSET
    other = replace(course, exposure=replace(exposure, points=-9.0))
    rows = {
        "points": changed(whole, Image.open(io.BytesIO(draw(fold.view, other))).convert("RGB")),
        "curve": changed(whole, Image.open(io.BytesIO(draw(fold.view, replace(course, points=())))).convert("RGB")),
    }

    assert rows["points"] is not None
    assert rows["points"][0] > 1000
    assert 220 < rows["points"][1] < rows["points"][3] < CURVE_TOP
    assert rows["curve"] is not None
    assert rows["curve"][3] == 630


def test_a_protocol_has_no_score_before_its_assessment_and_a_debate_of_cases_no_sides() -> None:
    protocol = picture(format="protocol", protocol=ProtocolState(), scorecard=Scorecard())

    assert changed(protocol, picture(scorecard=Scorecard())) is None
    assert changed(picture(pro=UNSET, con=UNSET, scorecard=Scorecard()), protocol) is not None


@pytest.mark.parametrize("motion", ["Why cars? " * 200, "x" * 2000, "W" * 2000, "ab " * 2000])
def test_a_long_motion_stays_in_its_place_and_ends_with_an_ellipsis(motion: str) -> None:
    box = motion_of(picture(motion=motion))
    words = words_of(motion)

    assert box is not None
    assert words is not None
    assert box[0] >= MARGIN - 2
    assert box[2] <= 1200 - MARGIN + 2
    assert box[3] < CURVE_TOP
    assert words.shortened(words.text, SMALL, ROOM).endswith("…")
    assert words.width(words.shortened(words.text, SMALL, ROOM), SMALL) <= ROOM
    assert words.text.replace(" ", "") == "".join(words.lines(SMALL, ROOM)).replace(" ", "")


def test_a_short_motion_is_whole() -> None:
    words = words_of("Trams or cars?")

    assert words is not None
    assert ["Trams or cars?"] == words.lines(SMALL, ROOM)
    assert "Trams or cars?" == words.shortened(words.text, SMALL, ROOM)


@pytest.mark.slow
@pytest.mark.parametrize("motion", [ARABIC, CJK, "élan", "ñ", "\u0301", "\ue000" * 9 + "я"])
def test_a_motion_without_a_font_is_left_out_and_the_rest_is_drawn(motion: str, embedded_only: None) -> None:
    assert words_of(motion) is None
    assert motion_of(picture(motion=motion)) is None
    assert changed(picture(motion=motion), picture(motion=motion, scorecard=scores(1.0, 2.0))) is not None


@pytest.mark.parametrize("motion", [ARABIC, CJK, "Нужны ли трамваи?", "Ναι ή όχι;", "Les élèves"])
def test_a_motion_is_drawn_where_the_system_has_a_font(motion: str) -> None:
    assert (words_of(motion) is None) == (motion_of(picture(motion=motion)) is None)


def test_pictures_and_controls_are_left_out_of_a_motion(embedded_only: None) -> None:
    words = words_of("Trams \U0001f68b\ufe0f or\u202e \x1b[31mcars\u200b?")

    assert words is not None
    assert "Trams or [31mcars?" == words.text


def test_letters_from_right_to_left_need_raqm(monkeypatch: pytest.MonkeyPatch) -> None:
    shaped = words_of(ARABIC)
    monkeypatch.setattr(preview.features, "check", lambda name: False)
    preview._font.cache_clear()
    try:
        plain = words_of("Trams?")

        assert words_of(ARABIC) is None
        assert plain is not None
        assert plain.direction is None
        assert motion_of(picture()) is not None
    finally:
        preview._font.cache_clear()
    assert shaped is None or shaped.direction == "rtl"


@pytest.mark.anyio
async def test_a_picture_is_drawn_once_for_each_position_and_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = list[tuple[str, int]]()
    monkeypatch.setattr(preview, "draw", lambda view, course: drawn.append((view.id, view.position)) or b"png")
    previews = Previews()
    for view in (VIEW, VIEW, replace(VIEW, position=2), VIEW):
        assert b"png" == await previews.picture(view)

    assert [("one", 1), ("one", 2)] == drawn
    for number in range(2 * MAX_KEPT):
        await previews.picture(replace(VIEW, id=str(number)))

    assert MAX_KEPT == len(previews)
    await previews.picture(VIEW)
    assert ("one", 1) == drawn[-1]
