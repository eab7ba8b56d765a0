/** The debates, newest first. */

import { api } from "./api.js";
import { $, h, say } from "./dom.js";
import { FORMAT, NAME, SIGN, count, moment, winnerWords } from "./words.js";

const EVERY_MS = 5_000;
const PAUSE_MS = 250;

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

const OVER = { deliberation: "Judged", calibration: "Measured" };

function outcomeOf(debate) {
  if (debate.state !== "concluded") return STATE[debate.state] ?? debate.state;
  return OVER[debate.format] ?? (debate.winner === "neither" ? "No winner named" : debate.winner ? winnerWords(debate.winner) : STATE.concluded);
}

function row(debate) {
  const { format, turns_spoken: spoken, turns_planned: planned } = debate;
  const name = (seat) => (typeof seat === "string" ? seat : seat?.model ?? "");
  const isDebate = Boolean(name(debate.pro)) || debate.blind;
  return h("li", {}, h("a.debate", { href: `/d/${encodeURIComponent(debate.id)}`, "data-state": debate.state, "data-format": format },
    h("span.motion", {}, debate.motion, FORMAT[format] && h("span.tag", {}, FORMAT[format]), debate.blind && !name(debate.pro) && h("span.tag", {}, "blind")),
    h("span.sides", {}, ...(isDebate ? [h("span.pro", {}, `${SIGN.pro} ${NAME.pro} `, h("i", {}, name(debate.pro))), " ", h("span.con", {}, `${SIGN.con} ${NAME.con} `, h("i", {}, name(debate.con)))]
      : [format === "calibration" ? "Raters before debates whose outcome is known" : "Personas judge a text, each on its own and then together"])),
    h("span.outcome", { "data-winner": debate.winner ?? "" }, isDebate && debate.winner && debate.winner !== "neither" ? `${SIGN[debate.winner]} ` : "", outcomeOf(debate)),
    h("span.when", {}, isDebate && `${spoken} of ${count(planned, format === "protocol" ? "statement" : "turn")} · `, h("time", { datetime: debate.opened_at }, moment(debate.opened_at)),
      debate.exhibition ? " · exhibition" : "")));
}
