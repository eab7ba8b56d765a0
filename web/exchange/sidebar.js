/** The scores of an exchange beside it: the scorecard, what moved the lead, suspect claims, and anomalies. */

import { changeDetector, eventLink, h, updateInBatches } from "../parts/dom.js";
import { placeLink, sideName } from "../parts/widgets.js";
import { anchor, count, decimalsOf, isMissing, number, plain, signed, tenths } from "../words/formatting.js";
import { DIMENSIONS, IN_COMPOSITE, LEAD, NAME, SIDEBAR, SIDES, SIGN } from "../words/words.js";
import { firstSide, named } from "./labels.js";
import { lossAt } from "./losses.js";

// The scorecard

const BESIDE = DIMENSIONS.filter((name) => !IN_COMPOSITE.includes(name));
/** The scorecard shows so many pairs of turns: it must not scroll in itself. */
const PAIRS = 6;

/**
 * The scorecard in `root`.
 * @param {HTMLElement} root
 * @returns {{show(view: View): void}}
 */
export function scorecard(root) {
  const isChanged = changeDetector();
  return {
    show(view) {
      const { scorecard: card, lead, conclusion, turns } = view;
      if (!isChanged(card, lead?.is_close, conclusion, turns)) return;
      const isEmpty = card.pro.judged_turns + card.con.judged_turns === 0;
      const wasOpen = root.querySelector("details")?.open;
      const means = () => [
        pairsTable(view),
        h("p.quiet", {}, card.certainty === undefined ? SIDEBAR.means : SIDEBAR.sums),
        dimensionBars(card, turns),
        h("details", { open: wasOpen }, h("summary", {}, SIDEBAR.more),
          besideTable(card),
          leader(card, lead?.is_close, Boolean(conclusion))),
      ];
      root.replaceChildren(...(isEmpty ? [h("p.empty", {}, SIDEBAR.noScores)] : means()));
    },
  };
}

function figureOf(card, side, row) {
  const value = card[side][row];
  if (isMissing(value)) return h("span.quiet", { title: value.missing.reason }, SIDEBAR.noScore);
  const decimals = decimalsOf([...DIMENSIONS, "composite"].flatMap((each) => SIDES.map((one) => card[one][each])));
  return number(value, Math.min(1, decimals));
}

const heads = () => SIDES.map((side) => h(`th.${side}`, { scope: "col" }, `${SIGN[side]} ${NAME[side]}`));

/** The turns in pairs, as a list of moves: their scores, and what those were before. */
function pairsTable({ turns, turns_planned: planned, scorecard: card }) {
  const numbers = Object.keys(turns).map(Number);
  const count_ = Math.ceil(Math.max(planned, ...numbers) / 2);
  const upto = Math.min(count_, Math.max(PAIRS, Math.ceil(Math.max(0, ...numbers) / 2)));
  const rows = Array.from({ length: upto }, (_, i) => [2 * i + 1, 2 * i + 2]).slice(-PAIRS);
  const sideOf = (n) => turns[n]?.side ?? ((n % 2 === 1) === (firstSide({ turns }) === "pro") ? "pro" : "con");
  const cellOf = (side, pair) => {
    const n = pair.find((each) => sideOf(each) === side);
    return h("td", {}, n !== undefined && n <= planned && turnScore(n, turns[n]));
  };
  const sum = (side) => h(`td.${side}`, { "data-side": side, "data-row": "composite" },
    figureOf(card, side, "composite"));
  return h("table.card.pairs", {},
    h("thead", {}, h("tr", {}, heads())),
    h("tbody", {}, rows.map((pair) => h("tr", {}, SIDES.map((side) => cellOf(side, pair))))),
    h("tfoot", {}, h("tr.sum", { "aria-label": SIDEBAR.mean }, SIDES.map(sum))));
}

function turnScore(n, turn) {
  const { composite, composite_admitted: first, composite_maximum: most, judged, state } = turn ?? {};
  const none = judged ? SIDEBAR.noScore : SIDEBAR.turnState[state] ?? "·";
  if (!judged || typeof composite !== "number") return [h("small", {}, String(n)), h("span.quiet", {}, none)];
  const was = first !== undefined && [h("s", {}, tenths(first)), " "];
  return [h("small", {}, String(n)), was, h("b", {}, tenths(composite)), most < 100 && h("i", {}, `/${most}`)];
}

/** The dimensions of the composite, Pro's to the left and Con's to the right. */
function dimensionBars(card, turns) {
  const maxima = Object.values(turns).map(({ scores }) => scores ?? {});
  return h("div.dims", {}, IN_COMPOSITE.flatMap((row) => {
    const most = Math.max(1, ...maxima.map((scores) => scores[row]?.maximum ?? 0));
    const [pro, con] = SIDES.map((side) => [
      h("b", { "data-side": side, "data-row": row }, figureOf(card, side, row)),
      bar(side, card[side][row], most),
    ]);
    return [...pro, h("span", {}, plain(row)), ...con.reverse()];
  }));
}

function bar(side, value, most) {
  const filled = h("i");
  filled.style.width = `${typeof value === "number" ? (100 * value) / most : 0}%`;
  return h(`u.${side}`, { "aria-hidden": "true" }, filled);
}

/** What does not count in the composite. */
function besideTable(card) {
  const { rounds } = card;
  const line = (row, label, cell) => h("tr", {},
    h("th", { scope: "row" }, label),
    SIDES.map((side) => h(`td.${side}`, { "data-side": side, "data-row": row }, cell(side, row))));
  return h("table.card.others", {},
    h("thead", {}, h("tr", {}, h("td"), heads())),
    h("tbody", {},
      BESIDE.map((row) => line(row, plain(row), (side) => figureOf(card, side, row))),
      rounds.pro + rounds.con + rounds.drawn > 0
        && line("rounds", SIDEBAR.exchangesWon, (side) => number(rounds[side])),
      line("judged_turns", SIDEBAR.judgedTurns, (side) => number(card[side].judged_turns))));
}

/** Who is ahead while the debate runs; after that the outcome says who won. */
function leader({ leader: side, certainty }, isClose, hasEnded) {
  const ahead = certainty === undefined ? SIDEBAR.ahead : (isClose ? SIDEBAR.unsure : SIDEBAR.leads)(certainty);
  const text = side === "neither" ? [LEAD.closeTitle] : [sideName(side), ahead];
  return h("p.leader", { "data-leader": side }, !hasEnded && text);
}

// What moved the lead

const MOVES = 3;

/**
 * The last events that moved the lead in `root`, the newest first.
 * @param {HTMLElement} root
 * @param {(position: number) => void} go
 * @returns {{show(view: View): void}}
 */
export function leadMoves(root, go) {
  const isChanged = changeDetector();
  return {
    show({ lead: { moves }, turns }) {
      if (!isChanged(moves)) return;
      const shown = Object.entries(moves).filter(([, { moved, kind }]) => moved && kind !== "band").slice(-MOVES);
      root.parentElement.hidden = shown.length === 0;
      root.replaceChildren(h("ul.moved", {}, shown.reverse().map(([position, move]) => {
        const { side } = turns[move.turn];
        return h("li", {},
          h(`b.${side}`, {}, `${SIGN[side]} ${signed(move.moved, 1)}`),
          h("span", {}, LEAD.movedShort(move), h("a", eventLink(position, go), movedLink(move))));
      })));
    },
  };
}

const movedLink = ({ quote, composite }) => (quote ? h("q", {}, quote) : tenths(composite));

/**
 * Links to the parts below the transcript in `root`.
 * @param {HTMLElement} root
 * @returns {{show(view: View): void}}
 */
export function partLinks(root) {
  const isChanged = changeDetector();
  return {
    show({ claims, premises, traits }) {
      if (!isChanged(claims, premises)) return;
      const [suspect, stated] = [claims, premises].map((each) => Object.keys(each).length);
      root.replaceChildren(...[
        suspect > 0 && placeLink("suspect", count(suspect, SIDEBAR.claim)),
        stated > 0 && placeLink("spine", count(stated, SIDEBAR.premise)),
        Object.keys(traits ?? {}).length > 0 && placeLink("character", SIDEBAR.characters),
      ].filter(Boolean));
    },
  };
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
