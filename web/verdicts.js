/** The debate as a whole: what each case stands on, and the verdicts side by side. */

import { bundled, h, toEvent } from "./dom.js";
import { NAME, SIGN, anchor, isMissing, number, plain, winnerWords } from "./words.js";

/** Where a panel sits, it alone names a winner; every other verdict says who stands higher. */
const said = (winner, view) => (!view.panel?.raters ? winnerWords(winner) : winner === "neither" ? "Level" : `${NAME[winner]} stands higher`);

const PATTERN = {
  coherence_collapse: "Coherence collapse: turns were won by leaving the ground of the turn before.",
  asymmetric_depth: "Asymmetric depth: one side had the style, the other the substance.",
  convergence_failure: "Convergence failure: both argued past each other and never met on the question.",
  recovery_arc: "Recovery: a side that was behind mended its case and carried it.",
  none: "",
};
const ENDED = {
  genuine_agreement: "They came to agree.", definitional_dispute: "They differ only on what words mean.",
  degree_disagreement: "They differ only on how much.", degenerate_convergence: "Both ended up defending the same thing.",
  stalled: "They repeat themselves.", unresolved: "They still disagree on the question itself.",
};

/** Everything that was said of the whole. */
export function verdicts(view) {
  const reached = view.verdicts ?? {};
  const parts = [reached.scorecard && scorecard(reached.scorecard, view), reached.narrative && narrative(reached.narrative, view)].filter(Boolean);
  return [
    parts.length > 0 && h("div.verdicts", {}, ...parts),
    reached.conflict && titled("conflict", "Why the two differ", reached.conflict.missing ? absent(reached.conflict) : h("p.prose", {}, reached.conflict.text), cites(reached.conflict)),
    reached.convergence && convergence(reached.convergence),
  ].filter(Boolean);
}

function titled(name, title, ...children) {
  return h(`section.verdict.${name}`, { "aria-label": title }, h("p.label", {}, title), ...children);
}

const absent = (verdict) => h("p.quiet", {}, `There is none: ${verdict.missing.reason}.`);

function scorecard(verdict, view) {
  const means = ["pro", "con"].map((side) => [side, verdict.mean[side]]);
  return titled("scorecard", "The scorecard’s verdict",
    h(`p.winner.${verdict.winner}`, {}, verdict.winner === "neither" ? "" : `${SIGN[verdict.winner]} `, said(verdict.winner, view)),
    h("p.means", {}, ...means.flatMap(([side, mean], i) => [
      i ? " · " : "", `${NAME[side]} `,
      isMissing(mean) ? h("span.quiet", {}, `no score: ${mean.missing.reason}`) : h("b", {}, number(mean))]),
      typeof verdict.margin === "number" && ` · ${number(verdict.margin)} apart`),
    verdict.rounds && h("p.quiet", {}, `Exchanges won: Pro ${verdict.rounds.pro}, Con ${verdict.rounds.con}${verdict.rounds.drawn ? `, ${verdict.rounds.drawn} drawn` : ""}`),
    verdict.reason && (verdict.winner === "neither" || typeof verdict.margin !== "number") && h("p.quiet", {}, verdict.reason));
}

function narrative(verdict, view) {
  if (verdict.missing) return titled("narrative", "The narrative’s verdict", absent(verdict));
  return titled("narrative", "The narrative’s verdict",
    h(`p.winner.${verdict.winner}`, {}, verdict.winner === "neither" ? "" : `${SIGN[verdict.winner]} `, said(verdict.winner, view)),
    PATTERN[verdict.pattern] && h("p.pattern", {}, PATTERN[verdict.pattern]),
    h("p.prose", {}, verdict.explanation), cites(verdict),
    ...["pro", "con"].filter((side) => verdict.sides?.[side] && view[side]).map((side) => h(`details.arc.${side}`, {},
      h("summary", {}, `${SIGN[side]} ${NAME[side]}: how its argument went`),
      h("dl", {}, ...[["evolution", "How it evolved"], ["fractures", "Where it fractured"], ["held", "What held"]].flatMap(([key, label]) =>
        [h("dt", {}, label), h("dd", {}, verdict.sides[side][key] || "–")])))));
}

function cites(verdict) {
  return verdict.cites?.length > 0 && h("p.quiet.cites", {}, "Rests on ", ...verdict.cites.flatMap((cite, i) => [
    i ? ", " : "", h("a", { href: `#${placeOf(cite)}`, on: { click: (event) => show(event, cite) } }, cite)]));
}

const placeOf = (cite) => (cite.startsWith("turn ") ? `turn-${cite.slice(5)}` : anchor(cite));

/** Goes to a turn, a premise or a claim without leaving the cursor. */
function show(event, cite) {
  event.preventDefault();
  const target = document.getElementById(placeOf(cite));
  target?.closest("details")?.setAttribute("open", "");
  target?.scrollIntoView({ block: "center" });
}

function convergence(verdict) {
  if (verdict.missing) return titled("convergence", "Where they ended up", absent(verdict));
  return titled("convergence", "Where they ended up",
    h("p.pattern", {}, ENDED[verdict.kind] ?? plain(verdict.kind)), h("p.prose", {}, verdict.reason),
    h("dl", {}, ...["pro", "con"].flatMap((side) => [
      h("dt", {}, `${SIGN[side]} ${NAME[side]}`), h("dd", {}, verdict.sides[side].early, h("span.quiet", {}, " became "), verdict.sides[side].late)])),
    h("p.quiet", {}, `Likeness of their last turns: ${number(verdict.similarity)} of 1.`));
}

// The causal spine

const BECAME = { kept: "kept", revised: "revised", dropped: "dropped in silence" };

/** A lane for each side in `root`; `go(position)` follows a premise. */
export function spine(root, go) {
  const lanes = ["pro", "con"].map((side) => ({ side, title: h("h3"), list: h("div"), against: h("div") }));
  root.append(h("h2", {}, "What each case stands on"), h("div.lanes", {}, ...lanes.map(({ side, title, list, against }) =>
    h(`section.lane.${side}`, { "aria-label": `Premises of ${NAME[side]}` }, title, list, against))));
  let last = {};
  return {
    show(view) {
      if (last.premises === view.premises && last.contradictions === view.contradictions) return;
      last = { premises: view.premises, contradictions: view.contradictions };
      root.hidden = !Object.keys(view.premises).length;
      for (const each of lanes) lane(each, view, go);
    },
  };
}

function lane({ side, title, list, against }, view, go) {
  const { stability } = view.spine[side] ?? {};
  title.replaceChildren(`${SIGN[side]} ${NAME[side]}`, typeof stability === "number" ? h("span.quiet", {}, ` ${number(stability * 100)} % of its premises kept`) : "");
  const mine = Object.entries(view.premises).filter(([, each]) => each.side === side);
  bundled(list, "ol", mine.map(([name, each]) => [name, each, () => h(`li.is-${each.state}`, { id: anchor(name) },
    h("a.id", toEvent(each.stated, go), name),
    h("span", {}, each.state === "dropped" ? h("s", {}, each.text) : each.text, h("span.quiet", {}, ` · ${BECAME[each.state]}`,
      each.changes.length > 0 && ` in turn ${each.changes.at(-1).turn}`)))]));
  against.replaceChildren(...view.contradictions.filter((each) => each.side === side).map((each) =>
    h("p.contradiction", {}, h("b", {}, `Contradicts ${each.premises.join(", ")} in turn ${Math.max(...each.turns)}: `), each.reason)));
}
