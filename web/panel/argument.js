/** What the scores of an argument are made of: the judge's points × weights, every rater's, and the sums. */

import { callDetails } from "../audit/ledger.js";
import { named } from "../exchange/labels.js";
import { api } from "../parts/api.js";
import { h } from "../parts/dom.js";
import { badge, more } from "../parts/widgets.js";
import { ARGUMENT_AUDIT as WORDS } from "../words/audit.js";
import { capital, figure, isMissing, joined, number, percent, plain } from "../words/formatting.js";
import { NAME } from "../words/words.js";

/** Audits by debate, argument and what is recorded of it, so that an open one is not fetched at every event. */
const held = new Map();

/** Points × weight has at most four decimals. */
const exact = (value) => String(Number(number(value, 4)));

/**
 * The audit of an argument as it was at the position of the view.
 * @param {View} view
 * @param {string} name
 * @returns {Promise<(HTMLElement | null | false)[]>}
 */
export async function argumentAudit(view, name) {
  const { agreement, conclusion } = view.panel?.positions ?? {};
  const key = [view.id, name, view.protocol.positions.assessment, agreement, conclusion].join("/");
  if (!held.has(key)) {
    const asked = api.auditArgument(view.id, name);
    held.set(key, asked);
    asked.catch(() => held.delete(key));
  }
  return parts(await held.get(key), view);
}

function parts(audit, { id, position }) {
  const isThere = (part) => part && part.position <= position;
  const raters = (audit.raters ?? []).filter(isThere);
  const panel = isThere(audit.panel) ? audit.panel : null;
  const refused = (audit.refused ?? []).filter(isThere);
  return [
    ...(isThere(audit) ? judge(audit) : []),
    audit.call && isThere(audit) && callDetails(id, audit.call),
    raters.length > 0 && h("h4", {}, WORDS.raters),
    raters.length > 0 && h("ul.rater-audits", {}, raters.map((each) => rater(each, Boolean(panel), id))),
    panel && h("ul.plain", {}, panelSentences(audit, panel).map((text) => h("li", {}, text))),
    refused.length > 0 && h("ul.plain.quiet", {}, refused.map((each) => h("li", {}, WORDS.refused(each)))),
  ];
}

function judge({ points, total, side, said }) {
  return [
    points && h("p", {}, WORDS.judge(products(points, isMissing(total) ? undefined : total))),
    isMissing(total) && h("p", {}, WORDS.noTotal(total.missing.reason)),
    side && h("p", {}, sideSentence(NAME[said.side], side)),
  ];
}

/** `logic 7 × 0.4 + … = 6.75`. */
function products(points, total) {
  const sums = Object.entries(points).map(([name, { points: given, weight, spread }]) => {
    return `${plain(name)} ${exact(given)}${spread > 0 ? ` (±${exact(spread / 2)})` : ""} × ${exact(weight)}`;
  });
  return `${sums.join(" + ")}${total === undefined ? "" : ` = ${exact(total)}`}`;
}

function sideSentence(name, { arguments: totals, times = 1, score }) {
  if (isMissing(score)) return WORDS.noSideTotal(name, score.missing.reason);
  return WORDS.sideTotal(name, joined(Object.values(totals).map(exact)), times, number(score, 2));
}

/** @param {boolean} hasConcluded Whether the panel has: then the scores are calibrated and weighed. */
function rater(one, hasConcluded, id) {
  const { title, weight, standing, missing, points, total, offset, calibrated, call, ...said } = one;
  const sums = [
    Object.keys(points ?? {}).length > 0 && products(points, total),
    hasConcluded && offset !== undefined && WORDS.offset(offset),
    hasConcluded && calibrated !== undefined && WORDS.calibrated(number(calibrated, 2)),
  ].filter(Boolean);
  return h("li", {},
    h("p", {},
      h("b", {}, title),
      standing && [" ", badge(standing)],
      hasConcluded && weight !== undefined && h("span.quiet", {}, ` ${WORDS.weight(percent(weight))}`)),
    missing && h("p", {}, WORDS.noScores(missing.reason)),
    sums.length > 0 && h("p", {}, `${capital(sums.join("; "))}.`),
    said.note && h("p.spoken", {}, named(said.note, "pro")),
    Object.entries(said.absent ?? {}).map(([what, why]) => h("p.quiet", {}, `${plain(what)}: ${why}`)),
    said.finding && more(`finding/${id}/${title}`, WORDS.finding, h("p.spoken", {}, named(said.finding, "pro"))),
    call && callDetails(id, call));
}

function panelSentences({ argument, said: { side } }, { given, calibrated, calibration, decides, dispute, ...sums }) {
  const both = [given, calibrated].map((value) => (value === undefined ? WORDS.none : number(value, 2)));
  const mean = (how, { arguments: items, score }) => {
    const each = Object.entries(items).map(([name, value]) => `${name} ${number(value, 2)}`);
    return WORDS.mean(NAME[side], how, joined(each), isMissing(score) ? score.missing.reason : figure(score));
  };
  return [
    WORDS.panel(argument, both, calibration, decides),
    mean(WORDS.asGiven, sums.given_sum),
    mean(WORDS.whenCalibrated, sums.calibrated_sum),
    ...(dispute ? [WORDS.dispute(number(dispute.variance, 2), dispute.decides)] : []),
  ];
}
