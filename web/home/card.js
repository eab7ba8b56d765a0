/** The card of a debate: the course of its lead, its motion, how it ended, one sentence, its length and kind. */

import { curve } from "../parts/curve.js";
import { h } from "../parts/dom.js";
import { CARD } from "../words/home.js";
import { SIGN } from "../words/words.js";

/** Courses by the debate's address and its state, as far as they were fetched. */
const courses = new Map();

/** Cards that wait until they come into view, and what each does then. */
const waiting = new Map();
const inView = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    inView.unobserve(target);
    waiting.get(target)();
    waiting.delete(target);
  }
}, { rootMargin: "200px" });

/**
 * @typedef {object} CardContent What a card shows before its course is known.
 * @property {string} [name] The element, as `h` takes it.
 * @property {string} href
 * @property {Record<string, string>} [attributes] Of the link.
 * @property {import("../parts/dom.js").Child[]} motion
 * @property {{side?: string, text: string}} [outcome] If it is known without the course.
 * @property {string} [sentence] Without it the course has one.
 * @property {(course: object) => import("../parts/dom.js").Child[]} meta
 * @property {boolean} isDrawn Whether the card has room for a curve.
 */

/**
 * The card, a link. Its course is fetched when it comes into view; its places are there before.
 * @param {string} key Cards with the same key have the same course.
 * @param {() => Promise<object>} load Fetches the course.
 * @param {CardContent} content
 * @returns {HTMLElement}
 */
export function card(key, load, { name = "a.card", href, attributes, motion, outcome, sentence, meta, isDrawn }) {
  const plot = isDrawn && h("span.drawn");
  const ended = h("p.o.outcome");
  const told = h("p", {}, sentence);
  const kind = h("p.meta");
  const element = h(name, { href, ...attributes },
    plot,
    h("div.t", {}, h("h3.motion", {}, motion), ended, told, kind));

  function show(course) {
    const side = outcome?.side ?? course.leads ?? "";
    const text = outcome?.text ?? course.outcome ?? "";
    ended.dataset.winner = side;
    ended.replaceChildren(SIGN[side] && text ? `${SIGN[side]} ` : "", CARD.outcome(text));
    if (!sentence) told.textContent = course.sentence ?? "";
    kind.replaceChildren(...meta(course).filter(Boolean).flatMap((part, i) => (i ? [" · ", part] : [part])));
    if (!plot || !course.points) return;
    const { points, end } = course;
    plot.replaceChildren(curve({ points, end, isNamed: false, label: CARD.curve }));
  }

  show(courses.get(key) ?? {});
  if (!courses.has(key)) {
    waiting.set(element, async () => {
      const course = await load().catch(() => null);
      if (!course) return; // The card has what the list says.
      courses.set(key, course);
      show(course);
    });
    inView.observe(element);
  }
  return element;
}
