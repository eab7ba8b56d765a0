/** The bar under the head of an exchange: who leads, by how much, and what moved it last. */

import { api } from "./api.js";
import { changeDetector, eventLink, h } from "./dom.js";
import { LEAD } from "./words.js";

/**
 * The bar in `root`.
 * @param {HTMLElement} root
 * @param {string} id
 * @param {{go(position: number): void, frameAt(position: number): object | undefined}} acts
 * @returns {{show(view: View): void}}
 */
export function lead(root, id, { go, frameAt }) {
  const isChanged = changeDetector();
  const fetched = new Map();
  let now = null;

  /** The event at a position. The frames before the page was opened are not held: one is fetched. */
  function eventAt(position) {
    const frame = frameAt(position) ?? fetched.get(position);
    if (frame || fetched.has(position)) return frame?.event;
    fetched.set(position, null);
    api.frames(id, position - 1, 1).then(({ frames: [found] }) => {
      fetched.set(position, found);
      show(now);
    }, () => undefined); // The bar then shows only who leads.
    return undefined;
  }

  function show(view) {
    now = view;
    const { scorecard, turns } = view;
    const moves = Object.values(turns).flatMap(({ judged = 0, changed = [] }) => [judged, ...changed]);
    const position = Math.max(0, ...moves);
    const event = position ? eventAt(position) : undefined;
    if (!isChanged(scorecard, event)) return;
    const [pro, con] = ["pro", "con"].map((side) => scorecard[side].composite);
    root.hidden = false;
    root.dataset.kind = kindOf(event, turns);
    if (typeof pro !== "number" || typeof con !== "number") {
      root.replaceChildren(h("span.quiet", {}, LEAD.none));
      return;
    }
    const side = pro >= con ? "pro" : "con";
    const link = event && h("a", eventLink(position, go), LEAD.moved(event, turns), " ", LEAD.see);
    root.replaceChildren(
      h(`b.${side}`, {}, LEAD.leads(side, Math.abs(pro - con))),
      scorecard.leader === "neither" ? h("span", { title: LEAD.closeTitle }, ` ${LEAD.close}`) : "",
      ...(link ? [h("span.quiet", {}, " · "), link] : []));
  }

  return { show };
}

/** `dock` if an earlier turn lost points, `raise` if a turn gained some. */
function kindOf(event, turns) {
  if (!event?.applied) return "";
  if (event.applied > 0) return "raise";
  return event.turn < Math.max(...Object.keys(turns).map(Number)) ? "dock" : "";
}
