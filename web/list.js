/** The debates, newest first. */

import { api } from "./api.js";
import { $, h, say } from "./dom.js";
import { NAME, SIGN, count, moment, winnerWords } from "./words.js";

const EVERY_MS = 5_000;
const PAUSE_MS = 250;

/** Brings the list of index.html to life. */
export function list() {
  const search = $("#search");
  const rows = $("#debates");
  let next = null;
  let shown = [];
  let ticket = 0;
  let waiting = null;
  let isTouched = false;

  async function load({ more = false, quietly = false } = {}) {
    const mine = ++ticket;
    const q = search.value.trim();
    try {
      const page = await api.debates(more ? next : "", 25, q);
      if (mine !== ticket) return;
      if (quietly && shown.length > page.debates.length) {
        const fresh = new Map(page.debates.map((debate) => [debate.id, debate]));
        const known = new Set(shown.map(({ id }) => id));
        shown = [...page.debates.filter(({ id }) => !known.has(id)), ...shown.map((debate) => fresh.get(debate.id) ?? debate)];
      } else {
        shown = more ? [...shown, ...page.debates] : page.debates;
        next = page.next;
      }
      $("#list-error").hidden = true;
    } catch (error) {
      if (mine !== ticket) return;
      say($("#list-error"), error.message);
      $("#list-error").hidden = false;
      return;
    }
    rows.replaceChildren(...shown.map(row));
    rows.hidden = shown.length === 0;
    $("#more").hidden = !next;
    $("#no-debates").hidden = shown.length > 0 || q !== "";
    $("#no-match").hidden = shown.length > 0 || q === "";
    $("#find").hidden = shown.length === 0 && q === "";
    if (isTouched) say($("#found"), q ? count(shown.length, "debate") + (next ? " and more" : "") : "");
  }

  search.addEventListener("input", () => {
    isTouched = true;
    clearTimeout(waiting);
    waiting = setTimeout(load, PAUSE_MS);
  });
  $("#more button").addEventListener("click", () => load({ more: true }));
  const again = () => !document.hidden && !rows.contains(document.activeElement) && load({ quietly: true });
  document.addEventListener("visibilitychange", again);
  setInterval(() => shown.some(({ state }) => state === "open") && again(), EVERY_MS);
  return load();
}

const STATE = { open: "Live", paused: "Paused", halted: "Halted", concluded: "Ended" };

function row(debate) {
  const outcome = debate.state === "concluded" && debate.winner ? winnerWords(debate.winner) : STATE[debate.state] ?? debate.state;
  const name = (seat) => (typeof seat === "string" ? seat : seat?.model ?? "");
  return h("li", {}, h("a.debate", { href: `/d/${encodeURIComponent(debate.id)}`, "data-state": debate.state },
    h("span.motion", {}, debate.motion),
    h("span.sides", {}, h("span.pro", {}, `${SIGN.pro} ${NAME.pro} `, h("i", {}, name(debate.pro))), " ", h("span.con", {}, `${SIGN.con} ${NAME.con} `, h("i", {}, name(debate.con)))),
    h("span.outcome", { "data-winner": debate.winner ?? "" }, debate.winner && debate.winner !== "neither" ? `${SIGN[debate.winner]} ` : "", outcome),
    h("span.when", {}, `${debate.turns_spoken} of ${count(debate.turns_planned, "turn")} · `, h("time", { datetime: debate.opened_at }, moment(debate.opened_at)),
      debate.exhibition ? " · exhibition" : "")));
}
