/** The people at the table: who writes and how long still, and for operators the links of their seats. */

import { api } from "../parts/api.js";
import { $, changeDetector, h, setText } from "../parts/dom.js";
import { LINKS, SEAT } from "../words/seat.js";
import { NAME, SIGN } from "../words/words.js";

const TICK_MS = 1_000;

/**
 * The part of debate `id`.
 * @param {string} id
 * @param {(error: Error) => void} showError
 * @returns {{show(view: View, isPresent: boolean, newest: View): void}}
 */
export function people(id, showError) {
  const root = $("#people");
  const hasChanged = changeDetector();
  const links = openedLinks(id);
  let shown = null;
  setInterval(tick, TICK_MS);

  function show(view, isPresent, newest) {
    shown = isPresent && newest.state === "open" ? newest : null;
    root.hidden = newest.state === "concluded" || !newest.people;
    if (root.hidden || !hasChanged(newest.people, newest.pro, newest.con, newest.judge, newest.state)) return tick();
    root.replaceChildren(...Object.entries(newest.people).map(([seat, person]) => row(seat, person, newest)));
    return tick();
  }

  function row(seat, person, newest) {
    const name = newest[seat]?.speaker ?? newest.panel?.raters?.[seat]?.seat?.title ?? "";
    const box = h("input", { readonly: true, "aria-label": LINKS.address(nameOf(seat)), hidden: true });
    const copy = h("button", { type: "button", hidden: true, on: { click: () => copyLink(box, note) } }, LINKS.copy);
    const note = h("span.quiet", { role: "status" });
    const hasLink = ["invited", "taken", "away"].includes(person.state);
    const present = (link) => {
      box.value = location.origin + link;
      box.hidden = false;
      copy.hidden = false;
      setText(note, LINKS.once);
    };
    if (links.has(seat) && person.state === "invited") present(links.get(seat));
    const make = async () => {
      try {
        const { link } = await api.makeSeatLink(id, seat);
        links.set(seat, link);
        present(link);
      } catch (error) {
        showError(error);
      }
    };
    const revoke = async () => {
      try {
        await api.revokeSeatLink(id, seat);
        links.delete(seat);
      } catch (error) {
        showError(error);
      }
    };
    const isOver = ["resigned", "handed_over"].includes(person.state);
    return h(`div.person.${seat}`, { "data-seat": seat },
      h("p", {},
        h("b", {}, `${SIGN[seat] ? `${SIGN[seat]} ` : ""}${nameOf(seat)}`),
        name && ` ${name}`,
        " ",
        h("span.writing", {}, LINKS.states[person.state])),
      !isOver && h("div.row", { "data-operator": true },
        h("button", { type: "button", on: { click: make } }, hasLink ? LINKS.again : LINKS.make),
        hasLink && h("button", { type: "button", on: { click: revoke } }, LINKS.revoke),
        box, copy, note));
  }

  /** Shows who writes, with the time left, and how the seat stands. */
  function tick() {
    for (const [seat, person] of Object.entries(shown?.people ?? {})) {
      const turn = shown.turns[person.turn];
      const isWriting = turn?.state === "speaking" && turn.side === seat && person.state !== "handed_over";
      const { state, has_sent: hasSent } = person;
      const words = isWriting ? LINKS.writes(leftOf(person), state, hasSent) : LINKS.states[state];
      const field = root.querySelector(`[data-seat="${CSS.escape(seat)}"] .writing`);
      if (field) setText(field, words);
    }
  }

  return { show };
}

const nameOf = (seat) => NAME[seat] ?? LINKS.seats[seat] ?? seat;

function leftOf({ since, time_s: time }) {
  return SEAT.left(Math.max(0, Math.ceil(time - (Date.now() - Date.parse(since)) / 1_000)));
}

async function copyLink(box, note) {
  box.select();
  await navigator.clipboard?.writeText(box.value).then(() => setText(note, LINKS.copied), () => {});
}

/** The links of a debate that this browser has just opened; they are shown once. */
function openedLinks(id) {
  const key = `moot.links.${id}`;
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "{}");
    sessionStorage.removeItem(key);
    return new Map(Object.entries(kept));
  } catch {
    return new Map();
  }
}
