/** The lists of debates, newest first: those that are live, and those that fit the limits in the address. */

import { changed } from "../parts/address.js";
import { api } from "../parts/api.js";
import { $, h, setText, updateChildren } from "../parts/dom.js";
import { count, moment } from "../words/formatting.js";
import { LIST } from "../words/home.js";
import { FORMAT, SIGN } from "../words/words.js";
import { card } from "./card.js";

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
  let live = new Set();
  let ticket = 0;
  let waiting = null;
  let hasSearched = false;
  let fetchingHits = null;
  const tagsSeen = new Set();
  const known = new Map();

  /** The object that stood for the same row before, so that a card which says the same stays as it is. */
  function same(debate) {
    const text = JSON.stringify(debate);
    if (known.get(debate.id)?.text !== text) known.set(debate.id, { text, debate });
    return known.get(debate.id).debate;
  }

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
      const [page, lines] = await Promise.all([
        api.debates({ after: more ? next : "", limit: PAGE, exhibition, ...wanted }),
        more || showLive(exhibition),
      ]);
      if (mine !== ticket) return;
      if (lines) live = lines;
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
    const below = isLimited ? shown : shown.filter(({ id }) => !live.has(id));
    updateChildren(rows, below.map((debate) => [debate.id, same(debate), () => row(debate)]));
    rows.hidden = below.length === 0;
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
    const isFound = isLimited && (!isEmpty || $("#hits").hidden);
    if (hasSearched) setText($("#found"), isFound ? LIST.found(shown.length, Boolean(next)) : "");
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

/** Shows the debates that are live. @returns {Promise<Set<string>>} their ids */
async function showLive(exhibition) {
  const { debates } = await api.debates({ state: "open", limit: MAX_LIVE, exhibition });
  $("#live").hidden = debates.length === 0;
  $("#live-debates").replaceChildren(...debates.map(line));
  return new Set(debates.map(({ id }) => id));
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
  return h(`span.${side}`, {}, `${SIGN[side]} ${modelOf(debate[side])}`);
}

const addressOf = ({ id }) => `/d/${encodeURIComponent(id)}`;

function tagsOf(debate) {
  const { format, origin, source, blind, tags } = debate;
  return [
    ...tags,
    FORMAT[format],
    source && LIST.supplied,
    origin && LIST.origin[origin.kind],
    blind && !modelOf(debate.pro) && LIST.blind,
  ].filter(Boolean).map((tag) => h("span.tag", {}, tag));
}

const hasSides = (debate) => Boolean(modelOf(debate.pro)) || debate.blind;

function lengthOf({ format, turns_spoken: spoken, turns_planned: planned }) {
  return `${spoken} of ${count(planned, format === "protocol" ? "statement" : "turn")}`;
}

function row(debate) {
  const { id, format, state, exhibition, winner, opened_at: at } = debate;
  const sides = hasSides(debate);
  const outcome = { side: sides && state === "concluded" && winner ? winner : "", text: outcomeOf(debate) };
  return h("li", {}, card(`${id} ${state} ${debate.turns_spoken}`, () => api.course("debates", id), {
    name: "a.card.debate",
    href: addressOf(debate),
    attributes: { "data-state": state, "data-format": format },
    motion: [debate.title || debate.motion, tagsOf(debate)],
    outcome,
    sentence: LIST.about[format],
    meta: ({ docked }) => [
      sides && lengthOf(debate),
      docked ? LIST.docked(docked) : "",
      exhibition && LIST.exhibition,
      modelOf(debate.pro) && h("span.sides", {}, sideCell("pro", debate), " ", sideCell("con", debate)),
      h("time", { datetime: at }, moment(at)),
    ],
    isDrawn: format === "exchange",
  }));
}

/** A debate that is live, in one line. */
function line(debate) {
  return h("li", {}, h("a.debate", { href: addressOf(debate), "data-state": debate.state },
    h("span.motion", {}, debate.title || debate.motion),
    hasSides(debate) && h("span.quiet", {}, lengthOf(debate))));
}
