/** Notices of earlier turns that lost points because of a later one, while the reader watches. */

import { $, h } from "../parts/dom.js";
import { newestTurn } from "../replay/history.js";
import { number } from "../words/formatting.js";
import { DOCKS } from "../words/watch.js";

const SHOWN_MS = 9_000;
const MAX_SHOWN = 3;
/** The rule by which every comparison moves two turns a little. */
const PULLED = "comparison";

/**
 * @param {object} event
 * @param {View} view The view after it.
 * @returns {boolean} Whether an earlier turn lost points.
 */
export function isDock({ type, turn, applied, rule }, view) {
  if (!(applied < 0) || rule === PULLED) return false;
  return type === "logic_gap_adjusted" || turn < newestTurn(view);
}

/**
 * The notices, in the foot of the page: they cover neither words nor scores. Those of one turn are one notice.
 * @param {(event: object, position: number) => void} see Shows the entry of a dock.
 * @returns {{tell(event: object, position: number, view: View): void, clear(): void}}
 */
export function docks(see) {
  const root = h("div", { id: "docks", "aria-live": "polite" });
  $("#foot").prepend(root);

  function tell(event, position, view) {
    const { turn, applied } = event;
    const same = root.querySelector(`[data-turn="${turn}"]`);
    const lost = Number(same?.dataset.lost ?? 0) - applied;
    const move = view.lead?.moves[position];
    const before = same?.dataset.before ?? move?.before;
    const notice = h("div.dock", { "data-turn": turn, "data-lost": lost, "data-before": before },
      h("p", {},
        h("b", {}, DOCKS.lost(turn, lost)),
        move && h("span.moves", {}, " ", h("s", {}, number(Number(before), 1)), h("b", {}, number(move.composite, 1))),
        " ",
        h("button.to", { type: "button", on: { click: () => leadTo(event, position) } }, DOCKS.see)),
      quotesOf(event).map((each) => h("p.spoken", {}, h("b", {}, DOCKS.turn(each.turn)), h("q", {}, each.quote))));
    same?.remove();
    root.append(notice);
    while (root.childElementCount > MAX_SHOWN) root.firstChild.remove();
    /** A pointer that rests there keeps it once more, for it may rest there by chance. */
    const leave = (isRead) => {
      const isKept = notice.matches(isRead ? ":focus-within" : ":hover, :focus-within");
      if (isKept) setTimeout(leave, SHOWN_MS, true);
      else notice.remove();
    };
    setTimeout(leave, SHOWN_MS, false);
  }

  function leadTo(event, position) {
    root.replaceChildren();
    see(event, position);
  }

  return { tell, clear: () => root.replaceChildren() };
}

const quotesOf = ({ fails, exposed_by: exposed }) => [fails, exposed].filter((each) => each?.quote);
