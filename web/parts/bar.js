/** The bar: who is ahead, in two colours over the whole width, between two caps with the mean of each side. */

import { h, setText } from "./dom.js";
import { number } from "../words/formatting.js";
import { BAR, NAME, SIGN, percentSure } from "../words/words.js";

/** A lead of this many points fills a half of the bar, where the rubric gives no probability. */
export const MOST_LEAD = 20;

/**
 * @typedef {object} Ahead What the bar shows. Absent is what is not known.
 * @property {[number?, number?]} [means] Pro's mean and Con's.
 * @property {number} [probability] That Pro is ahead, 0 to 1. Without it the bar shows `lead`.
 * @property {number} [lead] Pro's mean less Con's, in points.
 * @property {number} [nameAt] The probability from which on a side is named; draws two gates.
 * @property {boolean} [isOpen] Whether no side can be named although the debate has ended: hatches the bar.
 * @property {string} [label] The bar in words, for readers who do not see it.
 */

/**
 * @param {Ahead} ahead
 * @returns {number | null} The part of the bar that is Pro's, in percent, or null without a figure.
 */
export function shareOf({ probability, lead }) {
  if (typeof probability === "number") return 100 * probability;
  if (typeof lead !== "number") return null;
  return Math.min(100, Math.max(0, 50 + (50 * lead) / MOST_LEAD));
}

/**
 * @param {boolean} [isSmall] Whether the caps have the signs of the sides only.
 * @returns {{element: HTMLElement, show(ahead: Ahead): void}} The bar moves when `show` is called with another figure.
 */
export function bar(isSmall = false) {
  const [pro, con] = [h("b"), h("b")];
  const ends = [h("i"), h("i")];
  const scale = h("div.scale", { "data-none": BAR.none }, h("u"), ends, h("em"), h("em"));
  const element = h("div.bar", { role: "img" },
    h("span", {}, SIGN.pro, !isSmall && [` ${NAME.pro} `, pro]),
    scale,
    h("span", {}, !isSmall && [con, ` ${NAME.con} `], SIGN.con));

  function show(ahead) {
    const { means = [], nameAt, isOpen, label } = ahead;
    const share = shareOf(ahead);
    [pro, con].forEach((cap, i) => setText(cap, typeof means[i] === "number" ? number(means[i], 1) : ""));
    element.classList.toggle("open", Boolean(isOpen));
    element.classList.toggle("none", share === null);
    const isGated = nameAt !== undefined && share !== null;
    element.classList.toggle("gated", isGated);
    ends.forEach((end, i) => { // The edge of the colours lies in the label of a gate that is passed.
      const isPassed = isGated && (i ? share : 100 - share) > 100 * nameAt;
      setText(end, isPassed ? "" : isGated ? percentSure(nameAt) : `+${MOST_LEAD}`);
      end.dataset.sure = isPassed ? "" : BAR.sure;
    });
    element.style.setProperty("--p", share ?? 50);
    if (nameAt !== undefined) element.style.setProperty("--gate", 100 * nameAt);
    element.setAttribute("aria-label", label ?? BAR.label(means, share === null));
  }

  show({});
  return { element, show };
}
