"""A transcript on the first page: its split is shown, mended with mouse and keyboard, and judged."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_access import View, assert_accessible, in_views, start_axe
from tests.server.transcripts import samples

pytestmark = pytest.mark.browser

TALK = """Ann: Cars kill people. Cars are loud.

Cleo: I agree with her.

Ben: The nurse who works at night has no bus, and so she drives.

Ann: Then give her a permit.
"""
HOSTILE = '<img src=x onerror="document.title=1">'


def supplied(page: Page, server: Any, name: str, content: str) -> Page:
    """The first page with the split of a file."""
    page.goto(server.url)
    expect(page.locator("body[data-ready]")).to_be_attached()
    page.get_by_text("Judge a transcript").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a file…").click()
    chooser.value.set_files({"name": name, "mimeType": "text/plain", "buffer": content.encode()})
    expect(page.locator(".supply-entry").first).to_be_visible()
    return page


def entries(page: Page) -> list[tuple[str, str]]:
    """The sides and texts of the entries."""
    return [
        (row.locator("select").input_value(), row.locator(".said").inner_text())
        for row in page.locator(".supply-entry").all()
    ]


def entry(page: Page, number: int) -> Locator:
    return page.locator(".supply-entry").nth(number - 1)


def test_a_split_is_mended_and_judged(page: Page, server: Any) -> None:
    supplied(page, server, "talk.txt", TALK)
    expect(page.get_by_text("Choose a side for Cleo, or leave them out.")).to_be_visible()
    page.get_by_label("Side of Cleo").select_option("pro")
    expect(page.get_by_text("plain text: 3 turns, Pro 2, Con 1")).to_be_visible()
    entry(page, 2).get_by_role("button", name="Merge with above").click()
    assert ("pro", "Cars kill people. Cars are loud.\n\nI agree with her.") == entries(page)[0]
    page.get_by_role("button", name="Undo").click()

    entry(page, 1).get_by_role("button", name="Split…").click()
    page.keyboard.press("End")
    for _ in "Cars are loud.":
        page.keyboard.press("ArrowLeft")
    page.keyboard.type("other words")  # the words of a transcript cannot be changed
    page.get_by_role("button", name="Split at the cursor").click()
    assert [("pro", "Cars kill people."), ("pro", "Cars are loud."), ("pro", "I agree with her.")] == entries(page)[:3]
    entry(page, 3).get_by_label("Side of entry 3").select_option("out")

    page.get_by_label("Motion", exact=True).last.fill("Cities should ban cars")
    page.get_by_label("Licence").fill("CC0")
    page.locator("[name='supply.judge']").select_option("baseline:lexical")
    page.get_by_role("button", name="Judge this debate").click()
    page.wait_for_url(re.compile("/d/"))
    expect(page.get_by_role("status")).to_have_attribute("data-state", "ended")
    view = server.view(page.url.rsplit("/", 1)[1].partition("#")[0])
    assert ["Cars kill people.\n\nCars are loud.", "Then give her a permit."] == [
        turn["text"] for turn in view["turns"].values() if turn["side"] == "pro"
    ]
    assert ("Ann", "Ben", "talk.txt", "CC0") == (
        view["pro"]["speaker"],
        view["con"]["speaker"],
        view["transcript"]["source"],
        view["transcript"]["licence"],
    )


def test_a_split_is_mended_with_the_keyboard_alone(page: Page, server: Any) -> None:
    supplied(page, server, "talk.txt", TALK)
    entry(page, 1).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("c")
    expect(entry(page, 2)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("m")
    assert ["pro", "con", "context", "pro"] == [side for side, _ in entries(page)]
    page.keyboard.press("u")
    expect(entry(page, 2)).to_be_focused()
    assert 3 == len(entries(page))
    page.keyboard.press("s")
    expect(entry(page, 2).locator("textarea")).to_be_focused()
    for _ in "I agree ":
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(entry(page, 3)).to_be_focused()

    assert ("con", "I agree") == entries(page)[1]
    assert entries(page)[2][1].startswith("with her.\n\nThe nurse")
    page.keyboard.press("s")
    page.keyboard.press("Escape")
    expect(entry(page, 3)).to_be_focused()
    assert 4 == len(entries(page))


def test_speakers_without_a_side_and_interruptions_are_settled_at_once(page: Page, server: Any) -> None:
    supplied(page, server, "talk.txt", TALK)
    page.get_by_label("All without a side").select_option("context")
    expect(page.get_by_label("All without a side")).to_be_hidden()
    page.get_by_label("Leave out entries with fewer words than").fill("6")
    page.get_by_role("button", name="Leave them out").click()

    assert ["pro", "out", "con", "out"] == [side for side, _ in entries(page)]
    page.get_by_role("button", name="Undo").click()
    assert ["pro", "context", "con", "pro"] == [side for side, _ in entries(page)]


def test_what_is_only_a_guess_and_what_is_left_out_is_shown(page: Page, server: Any) -> None:
    supplied(page, server, "talk.txt", f"{TALK}\n[applause]\n")

    doubt = "A guess, check it: “Cleo” comes once and is taken for a speaker."
    expect(page.get_by_text(doubt)).to_be_visible()
    expect(page.get_by_text("Left out: lines in brackets (1).")).to_be_visible()


def test_a_file_of_another_program_is_named(page: Page, server: Any) -> None:
    segments = '[{"text": "Cars.", "speaker": "A"}, {"text": "No cars.", "speaker": "B"}]'
    supplied(page, server, "talk.json", f'{{"segments": {segments}}}')

    expect(page.get_by_text("JSON (WhisperX): 2 turns, Pro 1, Con 1")).to_be_visible()


def test_a_guess_is_named_and_two_names_become_one_person(page: Page, server: Any) -> None:
    supplied(page, server, "talk.txt", TALK.replace("Cleo:", "Anne:"))
    expect(page.get_by_text("Only a guess, from who talks most: Ann is Pro, Ben is Con.")).to_be_visible()
    expect(page.get_by_text("Ann and Anne may be the same person.")).to_be_visible()
    page.get_by_label("Same person as Anne").select_option("Ann")
    expect(page.get_by_text("may be the same person")).to_have_count(0)
    assert ["pro", "pro", "con", "pro"] == [side for side, _ in entries(page)]
    page.get_by_label("Side of Ann").select_option("con")
    page.get_by_label("Side of Ben").select_option("pro")
    expect(page.get_by_text("Only a guess")).to_have_count(0)
    expect(page.get_by_text("Which of the 0")).to_have_count(0)


def test_one_of_several_debates_is_chosen_and_errors_stand_beside_the_file(new_page: Any, server: Any) -> None:
    page = supplied(new_page(), server, "nyu.jsonl", samples.NYU)
    page.get_by_label("Which of the 2 debates in the file").select_option("story-2")
    motion = page.get_by_label("Motion", exact=True).last
    expect(motion).to_have_value(re.compile("Why did crew 2 leave"))

    page.get_by_label("Pasted text").fill("Only words.")
    page.get_by_role("button", name="Show the split").click()
    expect(page.get_by_text("pasted text: no speaker is named in the file")).to_be_visible()
    expect(page.locator(".supply-preview")).to_be_hidden()
    page.get_by_label("Pasted text").fill(f"{HOSTILE}\n\nAnn: {HOSTILE}\n\nBen: <b>no</b>")
    page.get_by_role("button", name="Show the split").click()
    expect(entry(page, 1)).to_contain_text(HOSTILE)
    source = page.get_by_label("Where it comes from")
    expect(source).to_have_value("pasted text")
    motion.fill("")
    source.fill(" ")
    page.get_by_role("button", name="Judge this debate").click()
    expect(motion).to_be_focused()
    expect(motion).to_have_accessible_description(re.compile("Say what is debated"))
    expect(source).to_have_accessible_description(re.compile("Say where the transcript"))
    expect(source).to_have_attribute("aria-invalid", "true")
    source.fill("A town hall")
    expect(page.get_by_text("Say where the transcript comes from.")).to_be_hidden()
    assert "Moot: debates" == page.title()
    assert 0 == page.locator("#supply img, #supply b b").count()


def test_a_dropped_file_is_a_transcript_or_a_log(new_page: Any, server: Any) -> None:
    page = new_page()
    page.goto(server.url)
    expect(page.locator("body[data-ready]")).to_be_attached()
    drop = """([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name));
      for (const type of ["dragenter", "dragover"]) {
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }));
      }
      return import("/static/home/import.js").then(({ importer }) => {
        importer();
        document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: transfer }));
      });
    }"""
    page.evaluate(drop, ["debate.ndjson", "no log"])
    expect(page.locator("#list-error")).to_contain_text("debate.ndjson was not imported")
    page.evaluate(drop, ["talk.vtt", samples.WEBVTT])
    expect(page.locator(".supply-entry")).to_have_count(4)


@in_views
def test_axe_finds_nothing_and_the_page_is_narrow_on_a_phone(
    new_page: Any, server: Any, views: tuple[View, ...]
) -> None:
    page = supplied(new_page(), server, "talk.txt", TALK)
    page.emulate_media(reduced_motion="reduce")
    entry(page, 1).get_by_role("button", name="Split…").click()
    start_axe(page)

    assert_accessible(page, views)


def test_documents_that_the_speeches_cite_are_judged_with_them(page: Page, server: Any) -> None:
    text = "Ann: Trees cool a street. “Trees cool a street by four degrees” [E1].\n\nBen: Cars do not need shade.\n"
    supplied(page, server, "talk.txt", text)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add documents…").click()
    shade = b"Trees cool a street by four degrees. Shade is what people look for in July."
    chooser.value.set_files({"name": "shade.txt", "mimeType": "text/plain", "buffer": shade})
    expect(page.locator("#supply-body .documents li")).to_contain_text("shade.txt text · 1 passage")
    for speaker, side in (("Ann", "pro"), ("Ben", "con")):
        page.get_by_label(f"Side of {speaker}").select_option(side)
    page.get_by_label("Motion", exact=True).last.fill("Cities should plant trees")
    page.get_by_role("button", name="Judge this debate").click()
    page.wait_for_url(re.compile(r"/d/"))
    debate = page.url.split("/d/")[1].split("?")[0].split("#")[0]

    assert ["shade.txt"] == [each["name"] for each in server.view(debate)["evidence"]["documents"].values()]
