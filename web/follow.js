/**
 * Following: the page keeps the newest words in view.
 *
 * Only the reader's own scrolling ends it: the wheel, a finger, a key, the scroll bar, or the focus. Boxes that grow
 * above or below the words do not. A reader who scrolls down to the newest words follows again.
 */

import { $, setText } from "./dom.js";
import { FOLLOW } from "./words.js";

/** Free space between the words and the foot of the page. */
const GAP_PX = 14;
/** A finger that moves less than this does not scroll. */
const TAP_PX = 6;
/** A place is tall if it takes more than this share of the window. */
const TALL = 0.75;
const UP = ["ArrowUp", "PageUp", "Home"];
const DOWN = ["ArrowDown", "PageDown", "End"];

/** @typedef {{element: Element, isGrowing?: boolean, isMoving?: boolean}} Place `isGrowing`: its end must be in view.
 *   Any other place must be in view whole; of a tall one its start. `isMoving`: new words come, so that a reader may
 *   be behind. */

/**
 * Following on this page.
 * @param {() => Place | null} newest The place that a reader who follows must see; null if there is none.
 * @param {() => number} behind Turns between the one that is read and the newest one.
 * @returns {{on: boolean, join(): void, leave(): void, keep(): void, showButton(): void}}
 *   `keep` scrolls to the newest words of a reader who follows, and offers the way back to others.
 */
export function follower(newest, behind) {
  const button = $("#catch-up");
  /** The direction in which the reader scrolled last. */
  let heading = 0;
  let touchedAt = 0;
  /** Where the page stood at its last scroll event. The browser may scroll before it tells of the wheel. */
  let scrolledTo = 0;

  const state = {
    on: false,
    join() {
      state.on = true;
      state.keep();
    },
    leave() {
      state.on = false;
      state.showButton();
    },
    keep() {
      const place = newest();
      if (state.on && place) bring(place);
      state.showButton();
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
    if (target.closest?.("#record summary, aside summary")) state.leave(); // The reader opens something to read it.
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
  const isTall = bottom - top > (to - from) * TALL;
  const toStart = top - from - GAP_PX;
  if (isTall && !isGrowing) return top < from || top > (from + to) / 2 ? toStart : 0;
  if (bottom > to || (isTall && bottom < from)) return bottom - to + GAP_PX;
  return top < from && !isTall ? toStart : 0;
}

const isInView = (place) => distance(place) === 0;

function bring(place) {
  const far = distance(place);
  // The browser lays out what lies far away only when it comes near: its own way to get there is exact.
  if (Math.abs(far) > innerHeight) place.element.scrollIntoView({ block: place.isGrowing ? "end" : "start" });
  const rest = distance(place);
  if (rest) scrollBy({ top: rest, behavior: "instant" });
}
