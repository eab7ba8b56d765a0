/** The bar under the head of a debate: who leads, by how much, and what moved it last, in the terms of its format. */

import { api } from "../parts/api.js";
import { changeDetector, eventLink, h } from "../parts/dom.js";
import { isMissing } from "../parts/formatting.js";
import { IN_COMPOSITE, LEAD, VERDICT } from "../words/words.js";

/** The most that a side's total can be in a protocol: a mean of at most 10, times three arguments. */
const TOTAL_MAXIMUM = 30;
const SIDES = ["pro", "con"];

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

  const link = (position, words) => h("a", eventLink(position, go), words, " ", LEAD.see);

  function show(view) {
    now = view;
    const content = CONTENTS[view.format];
    const { position, event } = content === CONTENTS.exchange ? lastMove(view.turns, eventAt) : {};
    if (!content || !isChanged(view.scorecard, view.protocol, view.panel, view.conclusion, event)) return;
    root.hidden = false;
    root.dataset.kind = kindOf(event, view.turns);
    const parts = content(view, link).flat().filter(Boolean);
    if (event && !ending(view)) parts.push(link(position, LEAD.moved(event, view.turns))); // The end needs the room.
    root.replaceChildren(...parts.flatMap((part, i) => (i ? [h("span.quiet", {}, " · "), part] : [part])));
  }

  return { show };
}

/**
 * The last event that moved the lead: it scored a turn, or changed a dimension that counts in the composite.
 * @param {Record<string, object>} turns
 * @param {(position: number) => object | undefined} eventAt
 * @returns {{position?: number, event?: object}} Empty if there is none, or while an event is being fetched.
 */
export function lastMove(turns, eventAt) {
  const positions = Object.values(turns).flatMap(({ judged = 0, changed = [] }) => [judged, ...changed]);
  for (const position of positions.filter(Boolean).sort((a, b) => b - a)) {
    const event = eventAt(position);
    if (!event) return {};
    if (movesLead(event, turns)) return { position, event };
  }
  return {};
}

function movesLead({ type, turn, dimension, applied }, turns) {
  if (type === "turn_scored") return typeof turns[turn]?.composite === "number";
  return applied !== 0 && IN_COMPOSITE.includes(dimension);
}

/** `dock` if an earlier turn lost points, `raise` if a turn gained some. */
function kindOf(event, turns) {
  if (!event?.applied) return "";
  if (event.applied > 0) return "raise";
  return event.turn < Math.max(...Object.keys(turns).map(Number)) ? "dock" : "";
}

/** Who leads by two figures, or that it is open; within the tie the two sides are level, as on the scorecard. */
function leader([pro, con], none, { isClose, scorecard, turns } = {}) {
  if ([pro, con].some((value) => typeof value !== "number")) return h("span.quiet", {}, none);
  const side = pro >= con ? "pro" : "con";
  const margin = Math.round(Math.abs(pro - con) * 100) / 100; // The means have two decimals.
  const [words, title] = uncertainty(margin, scorecard, turns);
  const range = words && h("span", { title }, words[0], h("span.long", {}, words[1]), words[2]);
  const ahead = h(`b.${side}`, {}, LEAD.leads(side, margin));
  if (!isClose || !margin) return h("span", {}, ahead, range);
  return h("span", {}, h("b", { title: LEAD.closeTitle }, LEAD.level), " (", ahead, range, ")");
}

/**
 * How sure a margin is: by the judge's noise in such a lead if a lab run has measured it, else by its samples.
 * @param {number} margin
 * @param {{noise?: number}} scorecard
 * @param {Record<string, object>} turns
 * @returns {[words: string[], title: string] | []} Three parts, of which phones leave out the second; or neither is
 *   known.
 */
export function uncertainty(margin, { noise } = {}, turns = {}) {
  if (noise > 0) return [LEAD.noise(margin, noise), LEAD.noiseTitle];
  const spread = spreadOf(turns);
  return spread > 0 ? [LEAD.spread(spread), LEAD.spreadTitle] : [];
}

/** The end, where it is not what the figures beside it say. */
function ending({ conclusion }) {
  if (conclusion?.by_rule === "resignation") return h(`b.${conclusion.winner}`, {}, LEAD.resigned(conclusion.winner));
  return conclusion?.winner === "neither" && h("b", {}, LEAD.noWinner);
}

/** What bar each format has: its parts in order. */
const CONTENTS = {
  exchange(view, link) {
    const { scorecard, turns, panel } = view;
    const isClose = scorecard.leader === "neither";
    const figures = SIDES.map((side) => scorecard[side].composite);
    return [ending(view), leader(figures, LEAD.none, { isClose, scorecard, turns }), raters(panel, link)];
  },

  protocol(view, link) {
    const { assessment, arguments: known = {}, positions } = view.protocol;
    if (!assessment) {
      const weighed = Object.values(known).filter(({ trace }) => trace);
      const upheld = (side) => weighed.filter((each) => each.side === side && each.trace.standing === "UPHELD").length;
      return [h("span.quiet", {}, weighed.length ? LEAD.upheld(upheld("pro"), upheld("con")) : LEAD.notWeighed)];
    }
    const totals = SIDES.map((side) => (isMissing(assessment[`${side}_total`]) ? null : assessment[`${side}_total`]));
    return [
      ending(view),
      leader(totals, LEAD.noTotals),
      link(positions.assessment, LEAD.totals(totals, TOTAL_MAXIMUM)),
      raters(view.panel, link),
    ];
  },

  deliberation({ panel }, link) {
    const { raters: seats = {}, verdict } = panel;
    const counts = Object.entries(countOf(newestOpinions(panel)));
    const done = counts.reduce((sum, [, count]) => sum + count, 0);
    return [
      verdict && h("b", {}, verdict.verdict ? LEAD.verdict(verdict.verdict) : LEAD.noVerdict),
      h(verdict ? "span.quiet" : "span", {}, done ? LEAD.opinions(counts) : LEAD.noOpinions(Object.keys(seats).length)),
      lastChange(panel, link),
    ];
  },
};

/** The mean of half the range of the composites that the judge's samples give one turn; 0 without samples. */
function spreadOf(turns) {
  const ranges = Object.values(turns).map(({ composite_spread: spread }) => spread).filter(Boolean);
  return ranges.length && ranges.reduce((sum, each) => sum + each, 0) / ranges.length / 2;
}

/** What the panel of a debate holds, once it has concluded; before that, the rater that changed its opinion last. */
function raters(panel, link) {
  const { conclusion, positions } = panel ?? {};
  if (!conclusion) return panel?.rounds ? lastChange(panel, link) : null;
  return link(positions.conclusion, LEAD.panel(conclusion));
}

function lastChange({ rounds = {}, positions }, link) {
  const round = Object.keys(rounds).map(Number).sort((a, b) => a - b).findLast((each) => rounds[each].changes.length);
  return round && link(positions[`round:${round}`], LEAD.changed(rounds[round].changes.at(-1)));
}

/** Each rater's newest verdict. */
function newestOpinions({ opinions = {} }) {
  const rounds = Object.keys(opinions).map(Number).sort((a, b) => a - b);
  return Object.assign({}, ...rounds.map((round) => opinions[round]));
}

function countOf(opinions) {
  const all = Object.values(opinions).map(({ verdict }) => verdict).filter((verdict) => verdict in VERDICT);
  return Object.fromEntries([...new Set(all)].map((each) => [each, all.filter((other) => other === each).length]));
}
