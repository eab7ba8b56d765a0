/** The bar and the curve of an exchange: figures of the view, in its order. */

import { bar } from "../parts/bar.js";
import { curve } from "../parts/curve.js";
import { changeDetector } from "../parts/dom.js";
import { SIDES } from "../words/words.js";

/**
 * @param {View} view
 * @returns {import("../parts/bar.js").Ahead}
 */
export function aheadOf({ scorecard, lead, conclusion }) {
  const { probability, name_at: nameAt, moves } = lead;
  return {
    means: SIDES.map((side) => scorecard[side].composite),
    probability,
    nameAt,
    lead: Object.values(moves).findLast((move) => move.lead !== undefined)?.lead,
    isOpen: conclusion?.winner === "neither",
  };
}

/**
 * The points of the curve: where a turn begins, and every event that moved the lead.
 * @param {View} view
 * @returns {import("../parts/curve.js").Point[]}
 */
export function courseOf({ turns, lead: { moves } }) {
  const begun = Object.entries(turns).map(([turn, { started, spoken }]) => {
    return { position: started ?? spoken, turn: Number(turn) };
  });
  const moved = Object.entries(moves).map(([position, { probability, lead, kind, applied }]) => {
    return { position: Number(position), probability, lead, dock: TAKING.includes(kind) && applied < 0 };
  });
  return [...begun, ...moved].sort((one, other) => one.position - other.position);
}

/** Kinds of changes that take points for words of the turn. */
const TAKING = ["gap", "penalty"];

/**
 * The bar in `top`, and the curve up to the cursor in `foot`: what is to come is only dots.
 * @param {HTMLElement} top
 * @param {HTMLElement} foot
 * @returns {{show(view: View, state: {end: number}): void}} `end`: the last event of the debate.
 */
export function course(top, foot) {
  const isAheadChanged = changeDetector();
  const isMoved = changeDetector();
  const balance = bar();
  top.append(balance.element);
  return {
    show(view, { end }) {
      const { scorecard, lead, conclusion, turns, position } = view;
      if (isAheadChanged(scorecard, lead, conclusion)) balance.show(aheadOf(view));
      if (!isMoved(lead, turns, position, end)) return;
      const points = courseOf(view);
      foot.replaceChildren(curve({ points, end, until: position, at: position, nameAt: lead.name_at }));
    },
  };
}
