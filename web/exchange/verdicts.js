/** The debate as a whole: the verdicts side by side, and the premises of each case. */

import { changeDetector, eventLink, h, onClick, updateInBatches } from "../parts/dom.js";
import { showPlace } from "../parts/widgets.js";
import { anchor, isMissing, number, plain, tenths } from "../words/formatting.js";
import { NAME, SIDES, SIGN, VERDICTS, reasonWords, sidesNamed } from "../words/words.js";
import { firstSide, named } from "./labels.js";

/**
 * Every verdict that has been reached.
 * @param {View} view
 * @returns {HTMLElement[]}
 */
export function verdicts(view) {
  const { scorecard, narrative, conflict, convergence } = view.verdicts ?? {};
  const winners = [scorecard && scorecardVerdict(scorecard, view), narrative && narrativeVerdict(narrative, view)];
  return [
    (scorecard || narrative) && h("div.verdicts", {}, winners),
    conflict && conflictSection(conflict, view),
    convergence && convergenceSection(convergence, view),
  ].filter(Boolean);
}

function section(name, title, ...children) {
  return h(`section.verdict.${name}`, { "aria-label": title }, h("p.label", {}, title), ...children);
}

const missing = (verdict) => h("p.quiet", {}, VERDICTS.missing(verdict.missing.reason));

/**
 * Whom a verdict names: it need not be the winner of the debate.
 * @param {"pro" | "con" | "neither"} winner
 * @returns {HTMLElement}
 */
export function winnerLine(winner) {
  return h(`p.winner.${winner}`, {}, winner === "neither" ? "" : `${SIGN[winner]} `, VERDICTS.names(winner));
}

/**
 * The means and the exchanges of a scorecard, and the reason where the means alone do not explain the winner.
 * @param {object} scorecard
 * @param {View} view
 * @returns {Child[]}
 */
export function scorecardFacts({ winner, mean, margin, rounds, reason, noise, certainty }, view) {
  const meanOf = (side) => {
    if (isMissing(mean[side])) return h("span.quiet", {}, VERDICTS.noScore(mean[side].missing.reason));
    return h("b", {}, tenths(mean[side]));
  };
  const hasMargin = typeof margin === "number";
  const isExplained = winner === "neither" || !hasMargin || view.summary?.tie_broken || certainty !== undefined;
  return [
    h("p.means", {},
      `${NAME.pro} `, meanOf("pro"),
      ` · ${NAME.con} `, meanOf("con"),
      hasMargin && ` · ${VERDICTS.apart(tenths(margin))}`),
    hasMargin && noise !== undefined && h("p.quiet", {}, VERDICTS.noise(tenths(margin), tenths(noise))),
    rounds && h("p.quiet", {}, VERDICTS.exchangesWon(rounds)),
    reason && isExplained && h("p.quiet", {}, sidesNamed(reasonWords(reason))),
  ];
}

/**
 * How clear the reading of the whole debate is; null if it does not say.
 * @param {object} narrative
 * @returns {HTMLElement | null}
 */
export function narrativeFacts({ margin, confidence, flipped }) {
  if (flipped) return h("p.quiet", {}, VERDICTS.flipped);
  return confidence ? h("p.quiet", {}, VERDICTS.sure(margin, confidence)) : null;
}

/**
 * The side that the narrative calls Speaker A.
 * @param {View} view
 * @returns {"pro" | "con"}
 */
export function speakerA(view) {
  const first = firstSide(view);
  return view.verdicts.swapped ? SIDES.find((side) => side !== first) : first;
}

function scorecardVerdict(verdict, view) {
  return section("scorecard", VERDICTS.scorecard, winnerLine(verdict.winner), ...scorecardFacts(verdict, view));
}

function narrativeVerdict(verdict, view) {
  if (verdict.missing) return section("narrative", VERDICTS.narrative, missing(verdict));
  const sides = SIDES.filter((side) => verdict.sides?.[side] && view[side]);
  const name = (text) => named(text, speakerA(view));
  return section("narrative", VERDICTS.narrative,
    winnerLine(verdict.winner),
    narrativeFacts(verdict),
    patternLine(verdict),
    h("p.prose", { id: "narrative" }, name(verdict.explanation)),
    citations(verdict),
    ...sides.map((side) => argumentCourse(side, verdict.sides[side], name)));
}

function patternLine({ pattern }) {
  return VERDICTS.pattern[pattern] ? h("p.pattern", {}, VERDICTS.pattern[pattern]) : null;
}

function argumentCourse(side, course, name) {
  const parts = VERDICTS.course.map(([key, label]) => [h("dt", {}, label), h("dd", {}, name(course[key]) || "–")]);
  return h(`details.arc.${side}`, {},
    h("summary", {}, `${SIGN[side]} ${NAME[side]}: ${VERDICTS.courseTitle}`),
    h("dl", {}, parts));
}

function conflictSection(conflict, view) {
  const text = conflict.missing ? missing(conflict) : h("p.prose", {}, named(conflict.text, firstSide(view)));
  const { scorecard, narrative } = view.verdicts;
  const agree = scorecard && scorecard.winner === narrative?.winner;
  const title = agree ? VERDICTS.clearer : VERDICTS.conflict;
  return section("conflict", title, patternLine(conflict), text, citations(conflict));
}

function citations({ cites }) {
  if (!cites?.length) return null;
  const links = cites.flatMap((cite, i) => {
    const id = cite.startsWith("turn ") ? `turn-${cite.slice(5)}` : anchor(cite);
    return [i ? ", " : "", h("a", { href: `#${id}`, on: onClick(() => showPlace(id)) }, cite)];
  });
  return h("p.quiet.cites", {}, VERDICTS.restsOn, links);
}

function convergenceSection(verdict, view) {
  if (verdict.missing) return section("convergence", VERDICTS.convergence, missing(verdict));
  const { kind, reason, sides, similarity } = verdict;
  const name = (text) => named(text, firstSide(view));
  return section("convergence", VERDICTS.convergence,
    h("p.pattern", {}, VERDICTS.ended[kind] ?? plain(kind)),
    h("p.prose", {}, name(reason)),
    h("dl", {}, SIDES.map((side) => [
      h("dt", {}, `${SIGN[side]} ${NAME[side]}`),
      h("dd", {}, name(sides[side].early), h("span.quiet", {}, ` ${VERDICTS.became} `), name(sides[side].late)),
    ])),
    h("p.quiet", {}, VERDICTS.similarity(number(similarity))));
}

// The causal spine

/**
 * The premises of each side in `root`.
 * @param {HTMLElement} root
 * @param {(position: number) => void} go
 * @returns {{show(view: View): void}}
 */
export function spine(root, go) {
  const lanes = SIDES.map((side) => ({ side, title: h("h3"), list: h("div"), contradictions: h("div") }));
  root.append(
    h("h2", {}, VERDICTS.spine),
    h("div.lanes", {}, lanes.map(({ side, title, list, contradictions }) => {
      const label = VERDICTS.premisesOf(NAME[side]);
      return h(`section.lane.${side}`, { "aria-label": label }, title, list, contradictions);
    })));
  const isChanged = changeDetector();
  return {
    show(view) {
      if (!isChanged(view.premises, view.contradictions)) return;
      root.hidden = !Object.keys(view.premises).length;
      for (const lane of lanes) showLane(lane, view, go);
    },
  };
}

function showLane({ side, title, list, contradictions }, view, go) {
  const own = Object.entries(view.premises).filter(([, each]) => each.side === side);
  const numbers = { kept: 0, revised: 0, withdrawn: 0, dropped: 0 };
  for (const [, { state }] of own) numbers[state] += 1;
  const standing = own.length > 0 && h("span.quiet", {}, ` ${VERDICTS.standing(numbers)}`);
  title.replaceChildren(`${SIGN[side]} ${NAME[side]}`, ...(standing ? [standing] : []));
  const first = firstSide(view);
  updateInBatches(list, "ol", own.map(([name, each]) => [name, each, () => premise(name, each, first, go)]));
  contradictions.replaceChildren(...view.contradictions.filter((each) => each.side === side).map((each) => {
    const what = VERDICTS.contradicts(each.premises.join(", "), Math.max(...each.turns));
    return h("p.contradiction", {}, h("b", {}, what), named(each.reason, first));
  }));
}

function premise(name, { state, stated, text, changes }, first, go) {
  const change = changes.length > 0 && ` in turn ${changes.at(-1).turn}`;
  const words = named(text, first);
  return h(`li.is-${state}`, { id: anchor(name) },
    h("a.id", eventLink(stated, go), name),
    h("span", {},
      state === "dropped" || state === "withdrawn" ? h("s", {}, words) : words,
      h("span.quiet", {}, ` · ${VERDICTS.premiseState[state]}`, change)));
}
