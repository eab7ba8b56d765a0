/** The lists of debates, newest first: those that are live, and those that fit the limits in the address. */

import { changed } from "../parts/address.js";
import { api } from "../parts/api.js";
import { $, h, setText } from "../parts/dom.js";
import { count, moment } from "../words/formatting.js";
import { LIST } from "../words/home.js";
import { FORMAT, NAME, SIGN } from "../words/words.js";

const REFRESH_MS = 5_000;
const TYPING_PAUSE_MS = 250;
const PAGE = 25;
const MAX_LIVE = 5;
/** Screens on which the keys for typing cover what stands low. */
const SMALL = matchMedia("(max-width: 640px)");
const LIMITS = ["state", "format", "winner", "tag"];

/** Fetches and shows the debates; keeps the lists fresh while a debate runs. @returns {Promise<void>} */
export function list() {
  const search = $("#search");
  const limits = $("#limits");
  const rows = $("#debates");
  let next = null;
  let shown = [];
  let ticket = 0;
  let waiting = null;
  let hasSearched = false;
  let fetchingHits = null;
  const tagsSeen = new Set();

  /** The limits that the address names. */
  function read() {
    const query = new URLSearchParams(location.search);
    search.value = query.get("q") ?? "";
    for (const name of LIMITS) limits.elements[name].value = query.get(name) ?? "";
    limits.elements.exhibitions.checked = query.get("exhibitions") === "1";
  }

  function chosen() {
    const { exhibitions } = limits.elements;
    return {
      q: search.value.trim(),
      ...Object.fromEntries(LIMITS.map((name) => [name, limits.elements[name].value.trim()])),
      exhibitions: exhibitions.checked ? "1" : "",
    };
  }

  async function load({ more = false, isRefresh = false } = {}) {
    ticket += 1;
    const mine = ticket;
    const { exhibitions, ...wanted } = chosen();
    const isLimited = Object.values(wanted).some(Boolean);
    try {
      const exhibition = exhibitions ? "" : "false";
      const [page] = await Promise.all([
        api.debates({ after: more ? next : "", limit: PAGE, exhibition, ...wanted }),
        more || showLive(exhibition),
      ]);
      if (mine !== ticket) return;
      if (isRefresh && shown.length > page.debates.length) {
        shown = merged(page.debates, shown);
      } else {
        shown = more ? [...shown, ...page.debates] : page.debates;
        next = page.next;
      }
      if (!isRefresh) $("#list-error").hidden = true;
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
    $("#no-debates").hidden = !isEmpty || isLimited;
    if (!isEmpty || !isLimited) $("#no-match").hidden = true;
    limits.hidden = false;
    for (const label of limits.querySelectorAll("label:not(:has([name=exhibitions]))")) {
      label.hidden = isEmpty && !isLimited;
    }
    offerTags(wanted.tag);
    await offerExhibitions(isEmpty && !isLimited && !exhibitions);
    if (!isRefresh && !more) await showHits(wanted.q);
    if (mine !== ticket) return;
    $("#no-match").hidden = !isEmpty || !isLimited || !$("#hits").hidden;
    if (hasSearched) setText($("#found"), isLimited ? LIST.found(shown.length, Boolean(next)) : "");
  }

  /** Offers the tags of the debates that the list has shown; without tags there is no such limit. */
  function offerTags(chosenTag) {
    for (const tag of shown.flatMap(({ tags }) => tags)) tagsSeen.add(tag);
    $("#tags").replaceChildren(...[...tagsSeen].sort().map((value) => h("option", {}, value)));
    $("#tag-limit").hidden = tagsSeen.size === 0 && !chosenTag;
  }

  /** Where the list is empty, tells of exhibitions that it leaves out. */
  async function offerExhibitions(isOffered) {
    const nothing = { debates: [] }; // Without an answer the page does without this line.
    const { debates } = isOffered
      ? await api.debates({ limit: 1, exhibition: "true" }).catch(() => nothing)
      : nothing;
    $("#played").hidden = debates.length === 0;
  }

  /** Shows what was said with these words. A search in speeches may take longer than one in motions. */
  async function showHits(query) {
    if (!query && !fetchingHits) return;
    fetchingHits ??= import("./hits.js").then((module) => module.hits());
    try {
      await (await fetchingHits).show(query);
    } catch (error) {
      setText($("#list-error"), error.message);
      $("#list-error").hidden = false;
    }
  }

  function refresh() {
    const isUsed = [rows, $("#live")].some((each) => each.contains(document.activeElement));
    if (!document.hidden && !isUsed) load({ isRefresh: true });
  }

  function change() {
    hasSearched = true;
    if (SMALL.matches) $("#list-title").scrollIntoView(); // What is found stands below, above the keys of a phone.
    history.replaceState(null, "", changed(location, chosen()));
    return load();
  }

  for (const typed of [search, limits.elements.tag]) {
    typed.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(change, TYPING_PAUSE_MS);
    });
  }
  limits.addEventListener("change", ({ target: { type } }) => !["file", "text"].includes(type) && change());
  limits.addEventListener("submit", (event) => event.preventDefault());
  $("#more button").addEventListener("click", () => load({ more: true }));
  $("#played button").addEventListener("click", () => {
    limits.elements.exhibitions.checked = true;
    change();
  });
  document.addEventListener("visibilitychange", refresh);
  addEventListener("popstate", () => {
    read();
    load();
  });
  setInterval(() => {
    if (!$("#live").hidden || shown.some(({ state }) => state === "open")) refresh();
  }, REFRESH_MS);
  read();
  return load();
}

/** Shows the debates that are live. */
async function showLive(exhibition) {
  const { debates } = await api.debates({ state: "open", limit: MAX_LIVE, exhibition });
  $("#live").hidden = debates.length === 0;
  $("#live-debates").replaceChildren(...debates.map(row));
}

/** The newest page in front of the rows that were known before. */
function merged(newest, known) {
  const byId = new Map(newest.map((debate) => [debate.id, debate]));
  const knownIds = new Set(known.map(({ id }) => id));
  return [...newest.filter(({ id }) => !knownIds.has(id)), ...known.map((debate) => byId.get(debate.id) ?? debate)];
}

function outcomeOf(debate) {
  if (debate.state !== "concluded") return LIST.state[debate.state] ?? debate.state;
  return LIST.over[debate.format] ?? debate.outcome ?? LIST.state.concluded;
}

const modelOf = (seat) => (typeof seat === "string" ? seat : seat?.model ?? "");

function sideCell(side, debate) {
  return h(`span.${side}`, {}, `${SIGN[side]} ${NAME[side]} `, h("i", {}, modelOf(debate[side])));
}

function row(debate) {
  const { format, turns_spoken: spoken, turns_planned: planned } = debate;
  const hasSides = Boolean(modelOf(debate.pro)) || debate.blind;
  const motion = h("span.motion", {},
    debate.title || debate.motion,
    debate.tags.map((tag) => h("span.tag", {}, tag)),
    FORMAT[format] && h("span.tag", {}, FORMAT[format]),
    debate.source && h("span.tag", {}, LIST.supplied),
    debate.origin && h("span.tag", {}, LIST.origin[debate.origin.kind]),
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
