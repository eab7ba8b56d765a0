/** What the scores of an argument are made of: the judge's points × weights, every rater's, and the sums. */

import { callDetails } from "../audit/ledger.js";
import { named } from "../exchange/labels.js";
import { api } from "../parts/api.js";
import { h } from "../parts/dom.js";
import { badge, more } from "../parts/widgets.js";
import { ARGUMENT_AUDIT as WORDS } from "../words/audit.js";
import { capital, plain } from "../words/formatting.js";

/** Audits by debate, argument and what is recorded of it, so that an open one is not fetched at every event. */
const held = new Map();

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
  const hasPanel = Boolean(isThere(audit.panel));
  const raters = (audit.raters ?? []).map((each, i) => ({ ...each, says: audit.raters_say[i] })).filter(isThere);
  const refused = audit.refused_says.filter((_, i) => isThere(audit.refused[i]));
  const listed = (name, texts) => texts.length > 0 && h(name, {}, texts.map((text) => h("li", {}, capital(text))));
  return [
    ...(isThere(audit) ? audit.judge_says.map((text) => h("p", {}, text)) : []),
    audit.call && isThere(audit) && callDetails(id, audit.call),
    raters.length > 0 && h("h4", {}, WORDS.raters),
    raters.length > 0 && h("ul.rater-audits", {}, raters.map((each) => rater(each, hasPanel, id))),
    hasPanel && listed("ul.plain", audit.panel_says),
    listed("ul.plain.quiet", refused),
  ];
}

/** @param {boolean} hasConcluded Whether the panel has: then the scores are calibrated and weighed. */
function rater({ title, standing, missing, note, absent, finding, call, says }, hasConcluded, id) {
  const sums = [says.points, ...(hasConcluded ? says.concluded : [])].filter(Boolean);
  return h("li", {},
    h("p", {},
      h("b", {}, title),
      standing && [" ", badge(standing)],
      hasConcluded && says.weight && h("span.quiet", {}, ` ${says.weight}`)),
    missing && h("p", {}, WORDS.noScores(missing.reason)),
    sums.length > 0 && h("p", {}, `${capital(sums.join("; "))}.`),
    note && h("p.spoken", {}, named(note, "pro")),
    Object.entries(absent ?? {}).map(([what, why]) => h("p.quiet", {}, `${plain(what)}: ${why}`)),
    finding && more(`finding/${id}/${title}`, WORDS.finding, h("p.spoken", {}, named(finding, "pro"))),
    call && callDetails(id, call));
}
