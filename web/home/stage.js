/** The moment at the head of the first page: words of a turn, the later words that exposed them, and what it cost. */

import { api } from "../parts/api.js";
import { bar, shareOf } from "../parts/bar.js";
import { $, h, setText } from "../parts/dom.js";
import { number } from "../words/formatting.js";
import { STAGE } from "../words/home.js";

const EXHIBITION = "juries";

/**
 * Fetches the moment and plays it in a loop, while it is in view and the reader does not prefer less motion.
 * @returns {Promise<void>}
 */
export async function stage() {
  const root = $("#stage");
  const { exposure, motion, end, name_at: nameAt } = await api.course("exhibitions", EXHIBITION).catch(() => ({}));
  root.hidden = !exposure; // The rest of the page works without it.
  if (!exposure) return;
  draw(exposure, nameAt);
  const link = $("#stage-open");
  link.href = `/exhibitions/${EXHIBITION}#e${exposure.position}`;
  setText(link, STAGE.caption(motion, exposure.position, end));
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

/** Each place is there from the start: only opacity, colours and the bar change. */
function draw({ fails, exposes, turns_later: later, was, now, points, reason, text, since, until }, nameAt) {
  const lead = bar();
  lead.show({ ...until, nameAt, label: text });
  const root = $("#stage");
  root.style.setProperty("--from", shareOf(since) ?? shareOf(until));
  root.style.setProperty("--to", shareOf(until));
  const before = { "aria-hidden": "true" };
  $("#stage-moment").replaceChildren(
    lead.element,
    h("div.places", {},
      said(fails, STAGE.turn(fails.side, fails.turn), "mark.fails.a1"),
      h(`div.num.${fails.side}`, {},
        h("s.a3", {}, number(was, 1)),
        h("span.n", {}, h("span.b3", before, number(was, 1)), h("span.a3", {}, number(now, 1)))),
      said(exposes, STAGE.later(exposes.side, later), "mark.exposes", "a2"),
      h("div.delta.a3", {}, STAGE.points(points))),
    h("p.verdict.a3", {}, h("b", {}, STAGE.goes(fails.turn)), " ", h("q", {}, reason), " ", text));
}

function said({ side, before, quote, after }, who, mark, shown = "") {
  return h(`div.q.${side}${shown && `.${shown}`}`, {},
    h(`b.${side}`, {}, who),
    h("p", {}, "“", before, h(mark, {}, quote), after, "”"));
}
