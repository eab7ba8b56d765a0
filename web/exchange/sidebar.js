/** The sidebar of an exchange: the scorecard, suspect claims, and anomalies. */

import { changeDetector, eventLink, h, updateInBatches } from "../parts/dom.js";
import { sideName } from "../parts/widgets.js";
import { anchor, decimalsOf, isMissing, number, plain, signed } from "../words/formatting.js";
import { DIMENSIONS, IN_COMPOSITE, LEAD, NAME, SIDEBAR, SIDES, SIGN } from "../words/words.js";
import { firstSide, named } from "./labels.js";
import { lossAt } from "./losses.js";

// The scorecard

const ROWS = [...IN_COMPOSITE, "composite", ...DIMENSIONS.filter((name) => !IN_COMPOSITE.includes(name))];

/**
 * The scorecard in `root`.
 * @param {HTMLElement} root
 * @returns {{show(view: View): void}}
 */
export function scorecard(root) {
  const isChanged = changeDetector();
  return {
    show({ scorecard: card, lead, conclusion }) {
      if (!isChanged(card, lead?.is_close, conclusion)) return;
      const isEmpty = card.pro.judged_turns + card.con.judged_turns === 0;
      const means = () => [cardTable(card), leader(card, lead?.is_close, Boolean(conclusion))];
      root.replaceChildren(...(isEmpty ? [h("p.empty", {}, SIDEBAR.noScores)] : means()));
    },
  };
}

function cardTable(card) {
  const { rounds } = card;
  const decimals = Math.min(1, decimalsOf(ROWS.flatMap((row) => SIDES.map((side) => card[side][row]))));
  const score = (side, row) => {
    const value = card[side][row];
    if (isMissing(value)) return h("span.quiet", { title: value.missing.reason }, SIDEBAR.noScore);
    return number(value, decimals);
  };
  const line = (row, label, kind, cell) => h(`tr${kind}`, {},
    h("th", { scope: "row" }, label),
    SIDES.map((side) => h(`td.${side}`, { "data-side": side, "data-row": row }, cell(side, row))));
  const kindOf = (row) => {
    if (row === "composite") return ".total";
    return IN_COMPOSITE.includes(row) ? "" : ".beside";
  };
  const columns = SIDES.map((side) => h(`th.${side}`, { scope: "col" }, `${SIGN[side]} ${NAME[side]}`));
  return h("table.card", {},
    h("thead", {}, h("tr", {}, h("td"), columns)),
    h("tbody", {},
      ROWS.map((row) => line(row, plain(row), kindOf(row), score)),
      rounds.pro + rounds.con + rounds.drawn > 0
        && line("rounds", SIDEBAR.exchangesWon, ".beside", (side) => number(rounds[side])),
      line("judged_turns", SIDEBAR.judgedTurns, ".beside", (side) => number(card[side].judged_turns))));
}

/** Who is ahead while the debate runs; after that the outcome says who won. */
function leader(card, isClose, hasEnded) {
  const { leader: side, certainty } = card;
  const sure = isClose ? SIDEBAR.unsure : SIDEBAR.leads;
  const ahead = certainty === undefined ? SIDEBAR.ahead : sure(certainty);
  const text = side === "neither" ? LEAD.closeTitle : h("span", {}, sideName(side), ahead);
  const how = certainty === undefined ? SIDEBAR.means : SIDEBAR.sums;
  return h("p.leader", { "data-leader": side }, !hasEnded && [text, " "], h("span.quiet", {}, how));
}

// Claims and anomalies

/**
 * The suspect claims in `root`.
 * @param {HTMLElement} root
 * @param {(claim: string) => void} appeal Asks for a second opinion.
 * @param {(position: number) => void} go
 * @returns {{show(view: View, following: boolean): void}}
 */
export function suspectClaims(root, appeal, go) {
  const isChanged = changeDetector();
  return {
    show(view, following) {
      const canAppeal = following && view.state !== "concluded";
      const unchecked = Object.keys(view.turns).filter((number_) => view.turns[number_].unchecked?.claims);
      if (!isChanged(view.claims, canAppeal, unchecked.length)) return;
      const entries = Object.entries(view.claims).map(([name, claim]) => {
        const hasButton = canAppeal && claim.state === "flagged" && !claim.appealed;
        return [name + hasButton, claim, () => claimRow(name, claim, hasButton, view, appeal, go)];
      });
      const words = unchecked.length > 0 ? SIDEBAR.notChecked(unchecked) : SIDEBAR.noClaims;
      const note = [words, null, () => h("p.empty", {}, words)];
      const isNoted = unchecked.length > 0 || !entries.length;
      updateInBatches(root, "div", isNoted ? [...entries, note] : entries);
    },
  };
}

function claimRow(name, claim, hasButton, view, appeal, go) {
  const { turn, state, kind, appealed, quote, evidence, answer, reason, penalty, flagged } = claim;
  const states = claim.decided_by ? SIDEBAR.byEvidence : SIDEBAR.claimState;
  const status = `${states[state]}${state === "flagged" && appealed ? SIDEBAR.appealed : ""}`;
  const button = hasButton && h("button", { type: "button", on: { click: () => appeal(name) } }, SIDEBAR.appeal);
  return h(`div.claim.${state}`, { id: anchor(name) },
    h("a.id", eventLink(lossAt(flagged, view.turns[turn]), go), name),
    h("div", {},
      h("q", {}, quote),
      evidence && h("p", {}, h("span.quiet", {}, `${evidence.passage}: `), h("q", {}, evidence.quote)),
      h("p.quiet", {}, `${SIDEBAR.claimKind[kind] ?? plain(kind)} · ${status}`),
      h("p.quiet", {}, named(answer || reason, firstSide(view))),
      button),
    h("b.cost", {}, state === "cleared" ? "0" : signed(penalty)));
}

/**
 * The anomalies in `root`.
 * @param {HTMLElement} root
 * @returns {{show(view: View): void}}
 */
export function anomalies(root) {
  const isChanged = changeDetector();
  return {
    show(view) {
      if (!isChanged(view.anomalies)) return;
      const found = Object.entries(view.anomalies);
      root.parentElement.hidden = found.length === 0;
      updateInBatches(root, "div", found.map(([key, each]) => [key, each, () => anomaly(key, each)]));
    },
  };
}

function anomaly(key, { turn, dimension, effective, outcome, band }) {
  const other = key.split(".")[0].split("-").find((each) => Number(each) !== turn);
  return h("p.anomaly", {},
    h("b", {}, `Turn ${turn} has ${number(effective)} for ${plain(dimension)}`),
    SIDEBAR.anomaly(outcome === "winner", other, number(band[0]), number(band[1])));
}
