/** What was made of a debate: its other judgings, and its forks. */

import { compareHref } from "../parts/address.js";
import { api } from "../parts/api.js";
import { $, h } from "../parts/dom.js";
import { holder, moment } from "../words/formatting.js";
import { HEADER } from "../words/words.js";

/**
 * Lists them in *About*. If they cannot be read, *About* shows the rest.
 * @param {string} id
 */
export async function listMade(id) {
  const { debates } = await api.debates({ origin: id, limit: 200 }).catch(() => ({ debates: [] }));
  $("#made").hidden = debates.length === 0;
  $("#made").replaceChildren(...debates.map((made) => h("li", {}, madeLinks(id, made))));
}

function madeLinks(first, { id, origin, judge, opened_at: openedAt }) {
  const words = HEADER.made[origin.kind](origin.kind === "fork" ? origin.position : holder(judge));
  const link = h("a", { href: `/d/${encodeURIComponent(id)}` }, `${words}, ${moment(openedAt)}`);
  return origin.kind === "fork" ? [link] : [link, " · ", h("a", { href: compareHref(first, id) }, HEADER.compareWith)];
}
