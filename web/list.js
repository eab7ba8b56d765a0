/** The list of debates, newest first. */

import { api } from "./api.js";
import { $, h, setText } from "./dom.js";
import { count, moment } from "./formatting.js";
import { FORMAT, NAME, SIGN, winnerWords } from "./words.js";
import { LIST } from "./words_home.js";

const REFRESH_MS = 5_000;
const TYPING_PAUSE_MS = 250;
const PAGE = 25;

/** Fetches and shows the debates; keeps the list fresh while a debate runs. @returns {Promise<void>} */
export function list() {
  const search = $("#search");
  const rows = $("#debates");
  let next = null;
  let shown = [];
  let ticket = 0;
  let waiting = null;
  let hasSearched = false;

  async function load({ more = false, isRefresh = false } = {}) {
    ticket += 1;
    const mine = ticket;
    const q = search.value.trim();
    try {
      const page = await api.debates(more ? next : "", PAGE, q);
      if (mine !== ticket) return;
      if (isRefresh && shown.length > page.debates.length) {
        shown = merged(page.debates, shown);
      } else {
        shown = more ? [...shown, ...page.debates] : page.debates;
        next = page.next;
      }
      $("#list-error").hidden = true;
    } catch (error) {
      if (mine !== ticket) return;
      setText($("#list-error"), error.message);
      $("#list-error").hidden = false;
      return;
    }
    const isEmpty = shown.length === 0;
    rows.replaceChildren(...shown.map(row));
    rows.hidden = isEmpty;
    $("#more").hidden = !next;
    $("#no-debates").hidden = !isEmpty || q !== "";
    $("#no-match").hidden = !isEmpty || q === "";
    $("#find").hidden = isEmpty && q === "";
    if (hasSearched) setText($("#found"), q ? LIST.found(shown.length, Boolean(next)) : "");
  }

  function refresh() {
    if (!document.hidden && !rows.contains(document.activeElement)) load({ isRefresh: true });
  }

  search.addEventListener("input", () => {
    hasSearched = true;
    clearTimeout(waiting);
    waiting = setTimeout(load, TYPING_PAUSE_MS);
  });
  $("#more button").addEventListener("click", () => load({ more: true }));
  document.addEventListener("visibilitychange", refresh);
  setInterval(() => {
    if (shown.some(({ state }) => state === "open")) refresh();
  }, REFRESH_MS);
  return load();
}

/** The newest page in front of the rows that were known before. */
function merged(newest, known) {
  const byId = new Map(newest.map((debate) => [debate.id, debate]));
  const knownIds = new Set(known.map(({ id }) => id));
  return [...newest.filter(({ id }) => !knownIds.has(id)), ...known.map((debate) => byId.get(debate.id) ?? debate)];
}

function outcomeOf(debate) {
  if (debate.state !== "concluded") return LIST.state[debate.state] ?? debate.state;
  return LIST.over[debate.format] ?? (debate.winner ? winnerWords(debate.winner) : LIST.state.concluded);
}

const modelOf = (seat) => (typeof seat === "string" ? seat : seat?.model ?? "");

function sideCell(side, debate) {
  return h(`span.${side}`, {}, `${SIGN[side]} ${NAME[side]} `, h("i", {}, modelOf(debate[side])));
}

function row(debate) {
  const { format, turns_spoken: spoken, turns_planned: planned } = debate;
  const hasSides = Boolean(modelOf(debate.pro)) || debate.blind;
  const motion = h("span.motion", {},
    debate.motion,
    FORMAT[format] && h("span.tag", {}, FORMAT[format]),
    debate.blind && !modelOf(debate.pro) && h("span.tag", {}, LIST.blind));
  const sides = hasSides ? [sideCell("pro", debate), " ", sideCell("con", debate)] : LIST.about[format];
  const sign = hasSides && debate.winner && debate.winner !== "neither" ? `${SIGN[debate.winner]} ` : "";
  const when = h("span.when", {},
    hasSides && `${spoken} of ${count(planned, format === "protocol" ? "statement" : "turn")} · `,
    h("time", { datetime: debate.opened_at }, moment(debate.opened_at)),
    debate.exhibition && ` · ${LIST.exhibition}`);
  return h("li", {}, h("a.debate", {
    href: `/d/${encodeURIComponent(debate.id)}`,
    "data-state": debate.state,
    "data-format": format,
  },
  motion,
  h("span.sides", {}, sides),
  h("span.outcome", { "data-winner": debate.winner ?? "" }, sign, outcomeOf(debate)),
  when));
}
