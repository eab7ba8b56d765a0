/** What was said, found by its words: sentences with links to their places. */

import { api } from "../parts/api.js";
import { $, h, setText } from "../parts/dom.js";
import { HITS } from "../words/home.js";
import { NAME, SIGN } from "../words/words.js";

const PAGE = 10;

/**
 * The part that shows what was found.
 * @returns {{show(query: string): Promise<void>}}
 */
export function hits() {
  const root = $("#hits");
  const rows = $("#hit-list");
  let asked = "";
  let next = null;
  /** The hits in exhibitions: one that was played twice is shown once, the newest. */
  const shown = new Set();

  function isNew({ debate, turn, text, start }) {
    if (!debate.exhibition) return true;
    const key = JSON.stringify([debate.exhibition, turn, start, text]);
    if (shown.has(key)) return false;
    return Boolean(shown.add(key));
  }

  async function load(query, isMore) {
    asked = query;
    if (!query) {
      root.hidden = true;
      rows.replaceChildren();
      return;
    }
    const page = await api.search({ q: query, after: isMore ? next : "", limit: PAGE });
    if (asked !== query) return;
    next = page.next;
    if (!isMore) {
      rows.replaceChildren();
      shown.clear();
    }
    rows.append(...page.hits.filter(isNew).map(row));
    root.hidden = rows.childElementCount === 0;
    $("#more-hits").hidden = !next;
    setText($("#hits-title"), HITS.title);
  }

  $("#more-hits").addEventListener("click", () => load(asked, true));
  return { show: (query) => load(query, false) };
}

function row({ debate, position, turn, side, text, start, marks }) {
  const length = Array.from(text).length;
  const page = `/d/${encodeURIComponent(debate.id)}`;
  const isSpeech = debate.format === "exchange" && turn;
  const href = isSpeech ? `${page}?said=${turn}.${start}-${start + length}` : `${page}#e${position}`;
  const who = side ? `${SIGN[side]} ${HITS.turn(NAME[side], turn)}` : HITS.moderator;
  return h("li", {}, h("a.hit", { href },
    h("q", { dir: "auto" }, ...marked(text, marks)),
    h("span.quiet", {}, h(`span.${side ?? "moderator"}`, {}, who), ` · ${debate.motion}`)));
}

/** The text with its words marked; places count code points. */
function marked(text, marks) {
  const all = Array.from(text);
  const parts = [];
  let at = 0;
  for (const [start, end] of marks) {
    if (start < at) continue;
    parts.push(all.slice(at, start).join(""), h("mark", {}, all.slice(start, end).join("")));
    at = end;
  }
  return [...parts, all.slice(at).join("")];
}
