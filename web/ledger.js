/** What changed a turn's score afterwards, entry by entry, as the audit tells it. */

import { api } from "./api.js";
import { h } from "./dom.js";
import { number, plain, signed } from "./words.js";

const RULE = { band_winner: "brought up to the winner’s band", band_loser: "brought down to the loser’s band", logic_gap: "logic gap", cleared: "given back" };
const known = new Map();

/** The audit of a turn as it stands; asked again only when another entry has come. */
async function audit(id, turn, newest) {
  const kept = known.get(turn);
  if (kept?.newest === newest) return kept.audit;
  const asked = api.audit(id, turn);
  known.set(turn, { newest, audit: asked });
  asked.catch(() => known.delete(turn));
  return asked;
}

/** A list of notes for a turn whose score changed; entries after `position` stay unseen. */
export function notes(id, number_, turn, position, go, mark) {
  if (!turn.changed?.length) return null;
  const list = h("ul.entries", { "aria-label": `What changed the score of turn ${number_}` });
  audit(id, number_, turn.changed.at(-1)).then(({ entries }) => {
    const later = entries.filter((entry) => entry.kind !== "score" && entry.position <= position);
    list.replaceChildren(...later.map((entry) => line(entry, go)));
    mark(later);
  }, (error) => list.replaceChildren(h("li.quiet", {}, error.message)));
  return list;
}

function line(entry, go) {
  const gave = entry.applied === entry.requested ? "" : ` of ${signed(entry.requested)}`;
  return h("li", { "data-kind": entry.kind },
    h("b", {}, `${signed(entry.applied)}${gave} ${plain(entry.dimension)}`), " ", RULE[entry.rule] ?? plain(entry.rule), ": ", entry.reason,
    entry.kind === "gap" && h("span.quotes", {}, ...entry.evidence.flatMap((words) => [h("q", {}, words.quote), h("span.quiet", {}, ` turn ${words.turn} `)])),
    " ", h("span.quiet", {}, `${number(entry.before)} → ${number(entry.after)} · `),
    h("a", { href: `#e${entry.cause ?? entry.position}`, on: { click: (event) => { event.preventDefault(); go(entry.position); } } }, "see it happen"));
}
