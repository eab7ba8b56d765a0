/** The editor of a speech: word count, time left, the draft in this browser and at the server, sending. */

import { $, setText } from "../parts/dom.js";
import { SEAT } from "../words/seat.js";
import { countWords } from "./counting.js";
import { kept, seatApi } from "./seat_api.js";

/** The draft is kept in this browser when nothing was typed for this long. */
const HERE_MS = 200;
/** The server gets the draft at most this often. */
const THERE_MS = 1_200;
/** The clock is looked at this often. */
const TICK_MS = 250;
/** Seconds left at which the time is said aloud. */
const SAID_AT = [300, 120, 60, 30, 10];
/** Seconds before the end at which the page sends what is written. */
const AT_END_S = 0.5;
const canDictate = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;

/**
 * The editor of one seat.
 * @param {{report: (error: Error | null) => void, look: () => void}} page `report` shows an error, or that there is
 *   none; `look` asks the server again.
 */
export function makeEditor({ report, look }) {
  const box = $("#text");
  const button = $("#send");
  let open = null;
  let endsAt = 0;
  let isSending = false;
  let hereTimer = 0;
  let thereTimer = 0;
  let sentAt = 0;
  let said = Infinity;
  let hasSentAtEnd = false;

  box.addEventListener("input", typed);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  });
  $("#editor").addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  addEventListener("pagehide", () => open && keepHere());
  setInterval(tick, TICK_MS);
  if (canDictate) import("./dictation.js").then(({ dictation }) => dictation(box));

  function typed() {
    showWords();
    setText($("#kept"), SEAT.kept.typing);
    clearTimeout(hereTimer);
    hereTimer = setTimeout(keepHere, HERE_MS);
    thereTimer ||= setTimeout(keepThere, Math.max(HERE_MS, sentAt + THERE_MS - performance.now()));
  }

  function showWords() {
    if (!open) return;
    const count = countWords(box.value);
    const isOver = count > open.max_words;
    setText($("#words"), (isOver ? SEAT.over : SEAT.words)(count, open.max_words));
    $("#words").toggleAttribute("data-over", isOver);
    if (!isSending) setText(button, isOver ? SEAT.sendCut(open.max_words) : SEAT.send);
  }

  async function keepHere() {
    const { id, turn } = open ?? {};
    if (!id) return;
    await kept.set("draft", { id, turn, text: box.value });
    if (open?.id === id && !$("#kept").textContent) setText($("#kept"), SEAT.kept.here);
  }

  async function keepThere() {
    thereTimer = 0;
    if (!open || isSending) return;
    sentAt = performance.now();
    const text = box.value;
    try {
      await seatApi.draft(open.id, text);
      if (box.value === text) setText($("#kept"), SEAT.kept.both);
      report(null);
    } catch (error) {
      report(error);
      if (error.status === 0 || error.status === 429) {
        thereTimer ||= setTimeout(keepThere, Math.max(THERE_MS * 2, error.retryAfterS * 1_000));
      }
    }
  }

  async function send() {
    if (!open || isSending) return;
    if (!box.value.trim()) {
      report(new Error(SEAT.empty));
      box.focus();
      return;
    }
    const { id } = open;
    isSending = true;
    button.disabled = true;
    setText(button, SEAT.sending);
    await keepHere();
    try {
      await seatApi.send(id, box.value);
      report(null);
    } catch (error) {
      report(error);
    }
    isSending = false;
    button.disabled = false;
    showWords();
    look();
  }

  function tick() {
    if (!open) return;
    const left = Math.max(0, (endsAt - performance.now()) / 1_000);
    const whole = Math.ceil(left);
    setText($("#clock"), SEAT.left(whole));
    $("#clock").toggleAttribute("data-late", whole <= 60);
    const due = SAID_AT.find((each) => whole <= each && said > each && each - whole < 3);
    if (due) {
      said = due;
      setText($("#clock-said"), SEAT.leftSaid(due));
    }
    if (left <= AT_END_S && $("#at-end").checked && box.value.trim() && !isSending && !hasSentAtEnd) {
      hasSentAtEnd = true;
      send();
    }
  }

  return {
    /**
     * Shows the turn that the person has now, or none.
     * @param {{id: string, turn: number, left_s: number, max_words: number, draft: string} | null} asked
     */
    async show(asked) {
      $("#editor").hidden = !asked;
      $("#clock").hidden = !asked;
      if (!asked) {
        if (open) await keepHere();
        open = null;
        return;
      }
      endsAt = performance.now() + asked.left_s * 1_000;
      if (open?.id === asked.id) return;
      open = asked;
      said = Infinity;
      hasSentAtEnd = false;
      const own = await kept.get("draft");
      box.value = own?.id === asked.id ? own.text : asked.draft;
      setText($("#kept"), box.value ? SEAT.kept.here : "");
      showWords();
      tick();
      if (box.value && box.value !== asked.draft) keepThere();
      if (!document.activeElement || document.activeElement === document.body) box.focus({ preventScroll: true });
    },
  };
}
