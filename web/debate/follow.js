/**
 * Following: the page keeps the newest words in view, and the words that are read where they are.
 *
 * Only the reader's own scrolling ends it: the wheel, a finger, a key, the scroll bar, or the focus. Boxes that grow
 * above or below the words do not. A reader who scrolls down to the newest words follows again.
 *
 * Words that are being spoken move up by a line when a line is added, and not before they stand below `LINE`: there is
 * room below them for what the judge says of them. Browsers hold a place by themselves only in part (not at the start
 * of a page, and not all of them), so the page does it.
 */

import { $, setText } from "../parts/dom.js";
import { FOLLOW } from "../words/words.js";

/** Free space between the words and the foot of the page. */
const GAP_PX = 14;
/** A finger that moves less than this does not scroll. */
const TAP_PX = 6;
/** Words are spoken at this share of the window between head and foot, or above it. */
const LINE = 0.5;
/** A reader who does not follow reads the words at this share of it. */
const READ = 0.4;
/** A place is tall if it takes more than this share of the window. */
const TALL = 0.75;
const UP = ["ArrowUp", "PageUp", "Home"];
const DOWN = ["ArrowDown", "PageDown", "End"];

/** @typedef {{element: Element, isGrowing?: boolean, isMoving?: boolean}} Place `isGrowing`: its end must be in view.
 *   Any other place must be in view whole; of a tall one its start. `isMoving`: new words come, so that a reader may
 *   be behind. */

/** The words of the newest turn that has any. */
export const newestWords = () => [...document.querySelectorAll("article.turn .said:not(:empty)")].at(-1);

/**
 * Following on this page.
 * @param {() => Place | null} newest The place that a reader who follows must see; null if there is none.
 * @param {() => number} behind Turns between the one that is read and the newest one.
 * @returns {{on: boolean, join(): void, leave(): void, keep(): void, hold(change: () => void): void,
 *   showButton(): void}}
 *   `keep` scrolls to the newest words of a reader who follows, and offers the way back to others. `hold` changes the
 *   page, and scrolls so that the words that are read stay where they are.
 */
export function follower(newest, behind) {
  const button = $("#catch-up");
  /** The direction in which the reader scrolled last. */
  let heading = 0;
  let touchedAt = 0;
  /** Where the page stood at its last scroll event. The browser may scroll before it tells of the wheel. */
  let scrolledTo = 0;
  /** The turn that was being spoken, and where its words ended in the window. */
  let stood = {};

  const state = {
    on: false,
    join() {
      state.on = true;
      stood = {};
      state.keep();
    },
    leave() {
      heading = 0; // What scrolls from now on is not the gesture of before.
      state.on = false;
      state.showButton();
    },
    keep() {
      const place = newest();
      if (state.on && place) bring(place, stood);
      stood = standing();
      state.showButton();
    },
    hold(change) {
      const place = read(state.on);
      const before = topOf(place);
      change();
      const moved = topOf(place) - before;
      if (moved) scrollBy({ top: moved, behavior: "instant" });
    },
    showButton() {
      const place = state.on ? null : newest();
      button.hidden = !place?.isMoving || isInView(place);
      if (!button.hidden) setText(button, FOLLOW.catchUp(behind()));
    },
  };

  /** The reader scrolls, unless the page stands at its start. */
  function scrolls(direction) {
    if (direction < 0 && scrollY === 0 && scrolledTo === 0) return;
    heading = direction;
    state.on = false;
    requestAnimationFrame(arrive);
  }

  /** The reader has scrolled: down to the newest words means to follow. */
  function arrive() {
    scrolledTo = scrollY;
    const place = !state.on && heading > 0 && newest();
    if (place && isInView(place)) state.on = true;
    state.showButton();
  }

  button.addEventListener("click", state.join);
  addEventListener("wheel", ({ deltaY, ctrlKey }) => deltaY && !ctrlKey && scrolls(deltaY), { passive: true });
  addEventListener("touchstart", ({ touches }) => {
    touchedAt = touches[0].clientY;
  }, { passive: true });
  addEventListener("touchmove", ({ touches }) => {
    const moved = touchedAt - touches[0].clientY;
    if (Math.abs(moved) > TAP_PX) scrolls(moved);
  }, { passive: true });
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.target.matches("input, select, textarea")) return;
    if (UP.includes(event.key) || (event.key === " " && event.shiftKey)) scrolls(-1);
    else if (DOWN.includes(event.key) || (event.key === " " && event.target === document.body)) scrolls(1);
  });
  addEventListener("pointerdown", ({ target, clientX }) => {
    if (target === document.documentElement && clientX >= target.clientWidth) state.leave();
  });
  addEventListener("click", ({ target }) => {
    if (target.closest?.("#record summary, aside summary, #parts a")) state.leave();
  });
  addEventListener("focusin", () => requestAnimationFrame(() => {
    const place = state.on && newest();
    if (place && !isInView(place)) state.leave();
  }));
  addEventListener("scroll", arrive, { passive: true });
  addEventListener("scrollend", state.keep); // A key scrolls smoothly: its movement may end after the reader is back.
  addEventListener("resize", state.keep);
  return state;
}

/** The window between the head of the page and its foot, or the caption of the highlights above the foot. */
function room() {
  const below = $("#caption") ?? $("#foot");
  return [$("#top").getBoundingClientRect().bottom, below.getBoundingClientRect().top];
}

/** How far the page must scroll to show the place; 0 if it is in view. */
function distance({ element, isGrowing }) {
  const { top, bottom } = element.getBoundingClientRect();
  const [from, to] = room();
  const toEnd = bottom - to + GAP_PX;
  if (isGrowing) return bottom > to || bottom < from ? toEnd : 0;
  const toStart = top - from - GAP_PX;
  if (bottom - top > (to - from) * TALL) return top < from || top > (from + to) / 2 ? toStart : 0;
  if (bottom > to) return toEnd;
  return top < from ? toStart : 0;
}

const isInView = (place) => distance(place) === 0;

/** Where the words that are being spoken end in the window, and whose they are. */
function standing() {
  const words = $("article.speaking .said:not(:empty)");
  return words ? { turn: words.closest("article").dataset.turn, end: words.getBoundingClientRect().bottom } : {};
}

/** How far the page must scroll for a reader who follows; `stood`: where the words ended before they grew. */
function way(place, stood) {
  const far = distance(place);
  const { turn, end } = standing();
  if (!place.isGrowing || far < 0 || !turn) return far;
  const [from, to] = room();
  return Math.max(far, end - Math.max(turn === stood.turn ? stood.end : 0, from + (to - from) * LINE));
}

function bring(place, stood) {
  const far = way(place, stood);
  // The browser lays out what lies far away only when it comes near: its own way to get there is exact.
  if (Math.abs(far) > innerHeight) place.element.scrollIntoView({ block: place.isGrowing ? "end" : "start" });
  const rest = way(place, stood);
  if (rest) scrollBy({ top: rest, behavior: "instant" });
}

/** A selector of the words that are read: the newest ones, or those in the middle of the window. */
function read(isFollowing) {
  const found = (isFollowing && newestWords()) || inTheMiddle()?.closest("#record :is(article.turn, [id])");
  if (!found) return null;
  return found.id ? `#${CSS.escape(found.id)}` : `[data-turn="${found.closest("article").dataset.turn}"] .said`;
}

function inTheMiddle() {
  const { left, width } = $("#record").getBoundingClientRect();
  const [from, to] = room();
  return document.elementFromPoint(left + width / 2, from + (to - from) * READ);
}

/** Where the first element of a selector stands in the window; NaN if there is none. */
const topOf = (selector) => (selector && $(selector)?.getBoundingClientRect().top) ?? NaN;
