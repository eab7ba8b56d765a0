/** The debate as a whole: the verdicts side by side, and the premises of each case. */

import { changeDetector, eventLink, h, onClick, updateInBatches } from "./dom.js";
import { anchor, isMissing, number, plain } from "./formatting.js";
import { sideName } from "./widgets.js";
import { NAME, SIGN, VERDICTS, winnerWords } from "./words.js";

const SIDES = ["pro", "con"];

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
    conflict && conflictSection(conflict),
    convergence && convergenceSection(convergence),
  ].filter(Boolean);
}

function section(name, title, ...children) {
  return h(`section.verdict.${name}`, { "aria-label": title }, h("p.label", {}, title), ...children);
}

const missing = (verdict) => h("p.quiet", {}, VERDICTS.missing(verdict.missing.reason));

/** Only the panel names a winner if there is one; other verdicts then say which side is ahead. */
function winnerLine(winner, view) {
  const words = view.panel?.raters ? VERDICTS.ahead(winner) : winnerWords(winner);
  return h(`p.winner.${winner}`, {}, winner === "neither" ? "" : `${SIGN[winner]} `, words);
}

function scorecardVerdict({ winner, mean, margin, rounds, reason }, view) {
  const meanOf = (side) => {
    if (isMissing(mean[side])) return h("span.quiet", {}, VERDICTS.noScore(mean[side].missing.reason));
    return h("b", {}, number(mean[side]));
  };
  const hasMargin = typeof margin === "number";
  return section("scorecard", VERDICTS.scorecard,
    winnerLine(winner, view),
    h("p.means", {},
      `${NAME.pro} `, meanOf("pro"),
      ` · ${NAME.con} `, meanOf("con"),
      hasMargin && ` · ${VERDICTS.apart(number(margin))}`),
    rounds && h("p.quiet", {}, VERDICTS.exchangesWon(rounds)),
    reason && (winner === "neither" || !hasMargin) && h("p.quiet", {}, reason));
}

function narrativeVerdict(verdict, view) {
  if (verdict.missing) return section("narrative", VERDICTS.narrative, missing(verdict));
  const pattern = VERDICTS.pattern[verdict.pattern];
  const sides = SIDES.filter((side) => verdict.sides?.[side] && view[side]);
  return section("narrative", VERDICTS.narrative,
    winnerLine(verdict.winner, view),
    pattern && h("p.pattern", {}, pattern),
    h("p.prose", {}, verdict.explanation),
    citations(verdict),
    ...sides.map((side) => argumentCourse(side, verdict.sides[side])));
}

function argumentCourse(side, course) {
  const parts = VERDICTS.course.map(([key, label]) => [h("dt", {}, label), h("dd", {}, course[key] || "–")]);
  return h(`details.arc.${side}`, {},
    h("summary", {}, `${SIGN[side]} ${NAME[side]}: ${VERDICTS.courseTitle}`),
    h("dl", {}, parts));
}

function conflictSection(conflict) {
  const text = conflict.missing ? missing(conflict) : h("p.prose", {}, conflict.text);
  return section("conflict", VERDICTS.conflict, text, citations(conflict));
}

function citations({ cites }) {
  if (!cites?.length) return null;
  const links = cites.flatMap((cite, i) => {
    const id = cite.startsWith("turn ") ? `turn-${cite.slice(5)}` : anchor(cite);
    return [i ? ", " : "", h("a", { href: `#${id}`, on: onClick(() => showCited(id)) }, cite)];
  });
  return h("p.quiet.cites", {}, VERDICTS.restsOn, links);
}

/** Scrolls to a turn, a premise or a claim; the cursor stays. */
function showCited(id) {
  const target = document.getElementById(id);
  target?.closest("details")?.setAttribute("open", "");
  target?.scrollIntoView({ block: "center" });
}

function convergenceSection(verdict) {
  if (verdict.missing) return section("convergence", VERDICTS.convergence, missing(verdict));
  const { kind, reason, sides, similarity } = verdict;
  return section("convergence", VERDICTS.convergence,
    h("p.pattern", {}, VERDICTS.ended[kind] ?? plain(kind)),
    h("p.prose", {}, reason),
    h("dl", {}, SIDES.map((side) => [
      h("dt", {}, `${SIGN[side]} ${NAME[side]}`),
      h("dd", {}, sides[side].early, h("span.quiet", {}, ` ${VERDICTS.became} `), sides[side].late),
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
  const { stability } = view.spine[side] ?? {};
  const hasStability = typeof stability === "number";
  const kept = hasStability ? h("span.quiet", {}, ` ${VERDICTS.stability(number(stability * 100))}`) : "";
  title.replaceChildren(`${SIGN[side]} ${NAME[side]}`, kept);
  const own = Object.entries(view.premises).filter(([, each]) => each.side === side);
  updateInBatches(list, "ol", own.map(([name, each]) => [name, each, () => premise(name, each, go)]));
  contradictions.replaceChildren(...view.contradictions.filter((each) => each.side === side).map((each) => {
    const what = VERDICTS.contradicts(each.premises.join(", "), Math.max(...each.turns));
    return h("p.contradiction", {}, h("b", {}, what), each.reason);
  }));
}

function premise(name, { state, stated, text, changes }, go) {
  const change = changes.length > 0 && ` in turn ${changes.at(-1).turn}`;
  return h(`li.is-${state}`, { id: anchor(name) },
    h("a.id", eventLink(stated, go), name),
    h("span", {},
      state === "dropped" || state === "withdrawn" ? h("s", {}, text) : text,
      h("span.quiet", {}, ` · ${VERDICTS.premiseState[state]}`, change)));
}
