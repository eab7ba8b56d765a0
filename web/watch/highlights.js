/** The highlights of a debate that has ended: its key moments and verdicts, one after the other, in about a minute. */

import { lossAt } from "../exchange/losses.js";
import { h, setText } from "../parts/dom.js";
import { capital } from "../words/formatting.js";
import { HIGHLIGHTS } from "../words/watch.js";
import { outcomeWords } from "../words/words.js";

const ALL_MS = 60_000;
const MAX_MS = 7_500;
/** The moments of an exchange come from its summary, and those of a protocol from its rounds. */
const ROUNDS = /^(opening|cross|answers|closing|assessment)/;

/**
 * What is shown, in order of the log; without a text it is what the event says.
 * @param {View} view
 * @returns {{position: number, text: string}[]}
 */
function highlightsOf(view) {
  const { summary, verdicts, protocol, panel } = view;
  const rounds = Object.entries(protocol?.positions ?? {}).filter(([name]) => ROUNDS.test(name));
  const places = { ...Object.fromEntries(rounds), ...panel?.positions, ...verdicts?.positions };
  const named = Object.values(places).map((position) => ({ position, text: "" }));
  const end = { position: view.position, text: outcomeWords(view) };
  const moments = (summary?.moments ?? []).map(({ position, turn, text }) => {
    return { position: lossAt(position, view.turns[turn]), text };
  });
  const all = [...moments, ...named, end].sort((a, b) => a.position - b.position);
  return all.filter(({ position }, i) => position !== all[i + 1]?.position);
}

/**
 * Plays them. Any act of the reader ends it where it stands.
 * @param {Player} player
 * @returns {Promise<void>}
 */
export async function playHighlights(player) {
  const moments = highlightsOf(player.newest);
  const hold = Math.min(MAX_MS, ALL_MS / moments.length);
  const words = h("p", { role: "status" });
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  const button = h("button", { type: "button", on: { click: stop } }, HIGHLIGHTS.stop);
  const caption = h("div", { id: "caption" }, words, button);
  document.querySelector("#caption")?.remove();
  document.body.append(caption);
  for (const act of ["keydown", "pointerdown", "wheel", "touchmove"]) {
    addEventListener(act, stop, { capture: true, passive: true, signal: stopped.signal });
  }
  for (const [i, { position, text }] of moments.entries()) {
    await player.go(position, { stay: i + 1 < moments.length });
    const said = text || player.frame?.said?.words || "";
    setText(words, HIGHLIGHTS.caption(i + 1, moments.length, capital(said)));
    await passed(hold, stopped.signal);
    if (stopped.signal.aborted) break;
  }
  stop();
  caption.remove();
}

/** Resolves after a time, or as soon as the signal comes. */
function passed(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
