/** The menu of ways to watch: highlights, reading aloud, notifications. All are off until the reader asks for them. */

import { api } from "../parts/api.js";
import { $, h, setText } from "../parts/dom.js";
import { WATCH } from "../words/watch.js";
import { NAME, SIGN } from "../words/words.js";
import { mayNotify, newsOf, notify } from "./notify.js";
import { Voice, voicesFor } from "./voice.js";

const TOAST_MS = 8_000;

/**
 * The menu.
 * @param {Player} player
 * @param {() => void} play Plays the highlights.
 * @returns {{show(): void, reached(frame: object): void}}
 */
export function watch(player, play) {
  let side = "";
  /** The server's voice, once the server has told it. */
  let voice = "";
  let isNotifying = false;
  const note = h("p.quiet", { hidden: true }, WATCH.noHighlights);
  const highlights = h("button", { type: "button", on: { click: start } }, WATCH.highlights);
  const aloud = box(WATCH.aloud, readAloud);
  const served = h("p.quiet", { hidden: true });
  const select = h("select", { on: { change: ({ target }) => ask(target.value) } },
    h("option", { value: "" }, WATCH.noSide),
    ["pro", "con"].map((each) => h("option", { value: each }, `${SIGN[each]} ${NAME[each]}`)));
  const answer = h("p.quiet", { "aria-live": "polite" });
  $("#watch-menu").append(
    highlights,
    note,
    aloud,
    served,
    box(WATCH.notify, notifyMe),
    h("label.field", {}, h("span", {}, WATCH.turns), select),
    answer);
  globalThis.speechSynthesis?.addEventListener?.("voiceschanged", show);

  function start() {
    $("#menu").open = false;
    play();
  }

  async function readAloud(isOn) {
    player.voice?.stop();
    const own = isOn && new Voice(player.newest.language ?? "en");
    player.voice = own && voice ? await servedVoice(own) : own || null;
    if (!isOn || player.playing) return;
    if (player.following && player.newest.state !== "concluded") player.choose(player.speed);
    else player.play();
  }

  async function servedVoice(own) {
    const { ServedVoice } = await import("./served_voice.js");
    return new ServedVoice(player, own, ({ message }) => {
      const hasOwn = voicesFor(player.newest.language ?? "en").length > 0;
      setText(answer, WATCH.voiceFailed(message, hasOwn));
      setText($("#toast"), answer.textContent);
      setTimeout(() => setText($("#toast"), ""), TOAST_MS);
      if (!hasOwn) aloud.querySelector("input").click();
    });
  }

  /** Goes back to the start of a turn, and on at the pace of the voice, which is slower than most debates. */
  async function hear(turn) {
    await player.go(player.newest.turns[turn].started, { stay: true });
    player.play();
  }

  async function notifyMe(isOn) {
    isNotifying = isOn;
    if (isOn) await tellOfPermission();
  }

  async function ask(chosen) {
    side = chosen;
    if (chosen) await tellOfPermission();
  }

  async function tellOfPermission() {
    setText(answer, (await mayNotify()) ? "" : WATCH.titleOnly);
  }

  function show() {
    const { newest } = player;
    highlights.hidden = newest?.state !== "concluded";
    note.hidden = !highlights.hidden;
    aloud.hidden = newest?.format !== "exchange" || !(voice || voicesFor(newest.language ?? "en").length);
    served.hidden = aloud.hidden || !voice;
    setText(served, WATCH.served(voice));
  }

  show();
  api.session().then((session) => {
    voice = session.voice ?? "";
    show();
  }, () => {}); // An exported file has no server.
  return {
    show,
    reached({ event }) {
      const news = newsOf(event, player.view, side);
      if (event.type === "turn_spoken" ? side : isNotifying) notify(news, player.view);
      if (!player.following || event.type !== "turn_spoken") return;
      if (voice && player.voice) hear(event.turn);
      else player.voice?.say(event, 1);
    },
  };
}

function box(text, act) {
  const change = ({ target }) => act(target.checked);
  return h("label.switch", {}, h("input", { type: "checkbox", on: { change } }), ` ${text}`);
}
