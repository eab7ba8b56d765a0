/** The moment at the head of the first page: words of a turn, the later words that exposed them, and what it cost. */

import { $, setText } from "../parts/dom.js";
import { STAGE } from "../words/home.js";

/** Plays the moment in a loop, while it is in view and the reader does not prefer less motion. */
export function stage() {
  const root = $("#stage");
  const button = $("#stage-toggle");
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
  let isHeld = false;
  let isSeen = true;

  function show() {
    const isPlaying = !isHeld && isSeen && !document.hidden;
    root.dataset.state = isCalm.matches ? "still" : isPlaying ? "playing" : "paused";
    button.hidden = isCalm.matches;
    setText(button, isHeld ? STAGE.play : STAGE.pause);
    button.setAttribute("aria-label", isHeld ? STAGE.playLabel : STAGE.pauseLabel);
  }

  button.addEventListener("click", () => {
    isHeld = !isHeld;
    show();
  });
  isCalm.addEventListener("change", show);
  document.addEventListener("visibilitychange", show);
  new IntersectionObserver(([{ isIntersecting }]) => {
    isSeen = isIntersecting;
    show();
  }).observe(root);
  show();
}
