/** What the bar and the curve show of an exchange: figures of the view, in its order. */

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
