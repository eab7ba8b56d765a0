/** Rounds in which raters read each other: the agreement, the changes of mind, and the reason for each change. */

import { h } from "../parts/dom.js";
import { more, verdictWord } from "../parts/widgets.js";
import { capital, figure, isMissing, number, percent, plain } from "../words/formatting.js";
import { DELIBERATION } from "../words/panel.js";
import { NAME, VERDICT } from "../words/words.js";
import { agreementChart } from "./charts.js";

/**
 * The rounds of a panel; null before the first has started.
 * @param {object} panel The member `panel` of a view.
 * @param {string} [record] A sentence on which verdict counts; empty if the verdict after the rounds does.
 * @param {(text: string) => string} [name] Names the sides in the raters' words.
 * @returns {HTMLElement | null}
 */
export function deliberation({ rounds, opinions, moved, changes, raters }, record = DELIBERATION.record, name = same) {
  const all = new Set([...Object.keys(rounds), ...Object.keys(opinions)]);
  const numbers = [...all].filter((each) => each !== "0").sort((a, b) => a - b);
  if (!numbers.length) return null;
  const held = numbers.map((each) => rounds[each]).filter(Boolean);
  return h("section.deliberation", { id: "deliberation", "aria-labelledby": "deliberation-title" },
    h("h3", { id: "deliberation-title" }, DELIBERATION.title),
    record && h("p", {}, record),
    held.length > 0 && h("div.lanes", {}, agreementChart(held), changesSummary(changes, moved, held.at(-1).ended)),
    numbers.map((each) => roundSection(each, rounds[each], opinions[each] ?? {}, raters, name)));
}

const same = (text) => text;
/** `pro.logic` → `Pro logic`. */
const dimensionWords = (name) => plain(name).replace(/^(pro|con)\./, (_, side) => `${NAME[side]} `);

function changesSummary(changes, moved, ended) {
  return h("p.moved", {},
    h("b", {}, DELIBERATION.changes(changes)),
    changes > 0 && DELIBERATION.kinds(moved),
    ended && DELIBERATION.ended(ended));
}

function roundSection(round, held, opinions, raters, name) {
  const title = (rater) => raters[rater]?.seat.title ?? plain(rater);
  const spoken = Object.entries(opinions).map(([rater, opinion]) => {
    return h("li", {}, h("p", {}, h("b", {}, title(rater)), " ", stance(opinion)), grounds(opinion, name));
  });
  return h("div.round", { id: `round-${round}` },
    h("h4", {}, DELIBERATION.round(round), held && h("span.quiet", {}, agreementChange(held))),
    held && held.changes.length > 0 && h("ul.changes", {}, held.changes.map((each) => change(each, title))),
    held && held.changes.length === 0 && h("p.quiet", {}, DELIBERATION.noChange),
    Object.entries(held?.carried ?? {}).map(([rater, number]) => {
      return h("p.quiet", {}, DELIBERATION.carried(title(rater), number));
    }),
    more(`round-${round}`, DELIBERATION.opinions(round),
      held?.disagreements.length > 0 && h("p.quiet", {}, DELIBERATION.differences(held.disagreements.map(difference))),
      h("ul.opinions", {}, spoken)));
}

function agreementChange({ before, after }) {
  const then = isMissing(after) ? `, then ${after.missing.reason}` : ` → ${figure(after)}`;
  return `: agreement ${figure(before)}${then}`;
}

function change({ rater, from, to, kind, quote, reason, moved_by: whose }, title) {
  const words = { evidence: quote, reason }[kind];
  return h("li", { "data-kind": kind },
    h("b", {}, title(rater)),
    ": ",
    verdictWord(from),
    " → ",
    verdictWord(to),
    ` ${DELIBERATION.by[kind]}${kind === "reason" ? DELIBERATION.whose(title(whose)) : ""} `,
    words && h("q", {}, words));
}

function difference({ dimension, positions }) {
  const each = Object.entries(positions).map(([name, position]) => {
    return `${plain(name)} ${typeof position === "number" ? number(position) : VERDICT[position] ?? position}`;
  });
  return `${dimension ? dimensionWords(dimension) : DELIBERATION.verdict} (${each.join(", ")})`;
}

/**
 * An opinion's verdict and confidence.
 * @param {object} opinion
 * @returns {Child[]}
 */
export function stance(opinion) {
  if (opinion.missing) return [h("span.quiet", {}, DELIBERATION.noOpinion(opinion.missing.reason))];
  const { verdict, confidence } = opinion;
  const shown = typeof confidence === "number" && h("span.quiet", {}, ` confidence ${percent(confidence)}`);
  return [verdictWord(verdict), shown];
}

/**
 * The reasons for an opinion: rationale, quote, scores.
 * @param {object} opinion
 * @param {(text: string) => string} [named] Names the sides in the rater's words.
 * @returns {Child[]}
 */
export function grounds({ rationale, quote, verified, scores, absent }, named = same) {
  const check = verified
    ? h("span.quiet", {}, ` ${DELIBERATION.found}`)
    : h("span.unverified", {}, DELIBERATION.notFound);
  const shown = Object.entries(scores).map(([name, value]) => {
    return h("span", {}, `${dimensionWords(name)} `, h("b", {}, number(value)));
  });
  const missing = Object.entries(absent).map(([what, why]) => `${dimensionWords(what)} (${why})`);
  return [
    rationale && h("p.grounds", {}, named(rationale)),
    quote && h("p.quote", {}, h("q", {}, quote), check),
    shown.length > 0 && h("p.scores", {}, shown),
    missing.length > 0 && h("p.quiet", {}, DELIBERATION.absent(missing)),
  ];
}

/**
 * The findings of an opinion, what it would change, and what it no longer holds.
 * @param {{findings?: string[], remediation?: string[], withdrawn?: string[]}} opinion
 * @returns {Child[]}
 */
export function findings({ findings: found, remediation, withdrawn }) {
  const list = (title, texts) => texts?.length > 0 && h("div", {},
    h("p.label", {}, title),
    h("ul.plain", {}, texts.map((text) => h("li", {}, capital(text)))));
  return [
    list(DELIBERATION.findings, found),
    list(DELIBERATION.remediation, remediation),
    list(DELIBERATION.withdrawn, withdrawn),
  ];
}
