/** What the scores of an argument are made of: the judge's points × weights, every rater's, and the sums. */

import { callDetails } from "../audit/ledger.js";
import { named } from "../exchange/labels.js";
import { api } from "../parts/api.js";
import { h } from "../parts/dom.js";
import { badge, more } from "../parts/widgets.js";
import { ARGUMENT_AUDIT as WORDS } from "../words/audit.js";

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

/** The parts of the audit that are recorded at the position of the view. */
function parts(audit, { id, position }) {
  const isThere = (part) => part && part.position <= position;
  const { words } = audit;
  const hasConcluded = isThere(audit.panel);
  const found = (all, texts) => (all ?? []).map((each, i) => [each, texts[i]]).filter(([each]) => isThere(each));
  const raters = found(audit.raters, words.raters);
  const refused = found(audit.refused, words.refused);
  return [
    ...(isThere(audit) ? words.judge.map((text) => h("p", {}, text)) : []),
    audit.call && isThere(audit) && callDetails(id, audit.call),
    raters.length > 0 && h("h4", {}, WORDS.raters),
    raters.length > 0 && h("ul.rater-audits", {}, raters.map(([each, said]) => rater(each, said, hasConcluded, id))),
    hasConcluded && h("ul.plain", {}, words.panel.map((text) => h("li", {}, text))),
    refused.length > 0 && h("ul.plain.quiet", {}, refused.map(([, text]) => h("li", {}, text))),
  ];
}

/** @param {boolean} hasConcluded Whether the panel has: then the scores are calibrated and weighed. */
function rater({ title, standing, finding, call }, { alone, concluded, below, weight }, hasConcluded, id) {
  const sums = hasConcluded ? concluded : alone;
  return h("li", {},
    h("p", {},
      h("b", {}, title),
      standing && [" ", badge(standing)],
      hasConcluded && weight && h("span.quiet", {}, ` ${weight}`)),
    sums && h("p", {}, sums),
    below.map((text) => h("p.spoken", {}, text)),
    finding && more(`finding/${id}/${title}`, WORDS.finding, h("p.spoken", {}, named(finding, "pro"))),
    call && callDetails(id, call));
}
