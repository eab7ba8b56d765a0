/** A debate on the wall of a room: who leads and why, the words that are spoken, the newest loss of points, a code. */

import { aheadOf } from "../exchange/course.js";
import { api } from "../parts/api.js";
import { bar } from "../parts/bar.js";
import { $, changeDetector, h, setText, speak, storage } from "../parts/dom.js";
import { pressed } from "../parts/keys.js";
import { role } from "../parts/role.js";
import { Feed } from "../replay/feed.js";
import { newestTurn, openRound } from "../replay/history.js";
import { Player } from "../replay/player.js";
import { signed } from "../words/formatting.js";
import { ROOM } from "../words/room.js";
import { LEAD } from "../words/words.js";

const SIZES = [0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.4];
const USUAL = 3;
/** The kind of move by which every comparison shifts two turns a little. */
const ROUTINE = "band";
/** The room is told what the wall shows when that changes, and again and again. */
const TELL_MS = 5_000;
/** Words from here on count as new: the sentence that is being spoken, or the last one. */
const SENTENCE = /[^.!?…]+[.!?…]*["”’)]*\s*$/;

const id = decodeURIComponent(location.pathname.split("/")[2]);
const player = new Player({
  view: (at) => api.view(id, at),
  frames: (after, limit) => api.frames(id, after, limit),
});
const origin = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}`;
const feed = new Feed(`${origin}/ws/debates/${encodeURIComponent(id)}`, {
  isDone: () => player.newest?.state === "concluded",
});
const lead = bar();
const isEntryChanged = changeDetector();
let size = Number(storage.get("room") ?? USUAL);

feed.addEventListener("snapshot", ({ detail }) => {
  const isFirst = !player.newest;
  player.snapshot(detail);
  if (isFirst) start(detail.view);
});
feed.addEventListener("frame", ({ detail }) => detail.position > player.head && player.append(detail));
feed.addEventListener("delta", ({ detail }) => player.delta(detail));
feed.addEventListener("state", draw);
feed.addEventListener("error", ({ detail }) => showTrouble(detail.message));
addEventListener("offline", () => feed.offline());
addEventListener("online", () => feed.online());
player.addEventListener("change", draw);

/** A room watches live; an exhibition is scripted and far ahead, so it is shown at reading speed from its start. */
function start({ motion, language, exhibition, state }) {
  speak(language);
  setText($("#motion"), motion);
  $("#motion").lang = language ?? "";
  document.title = ROOM.title(motion);
  const [, from] = /^#e(\d+)$/.exec(location.hash) ?? [];
  if (from) player.go(Number(from)).catch(fail);
  else if (exhibition && state !== "concluded") player.go(1, { stay: true }).then(() => player.play()).catch(fail);
}

const fail = ({ message }) => showTrouble(message);

function showTrouble(text) {
  setText($("#trouble"), text);
  $("#trouble").hidden = !text;
}

function draw() {
  const { view } = player;
  const isLive = player.following && player.newest?.state === "open";
  const name = feed.state === "live" || !isLive ? (isLive ? "live" : view?.state ?? "") : feed.state;
  $(".state").dataset.state = player.playing ? "playing" : name;
  setText($("#state"), ROOM.state(player.playing ? "playing" : player.following ? name : "back"));
  if (!view) return;
  const turn = newestTurn(view);
  setText($("#turn"), turn ? ROOM.turn(turn, view.turns_planned) : "");
  drawLead(view);
  drawSpeech(view, turn);
  drawEntry(view);
  tell(false);
}

let told = "";
let telling = Promise.resolve();

/** The wall of an operator steers its room: the pages that joined by its code show what it shows. */
function tell(isAgain) {
  if (!player.view || document.body.dataset.role !== "operator") return;
  const shown = { position: player.following ? 0 : player.position, playing: player.playing };
  const key = `${shown.position} ${shown.playing}`;
  if (key === told && !isAgain) return;
  told = key;
  telling = telling.then(() => api.steer(id, shown)).catch(() => undefined); // It is told again.
}

function drawLead(view) {
  const { lead: { side, points, moves } = {}, outcome } = view;
  lead.element.hidden = view.format !== "exchange";
  if (view.format === "exchange") lead.show(aheadOf(view));
  const last = Object.values(moves ?? {}).findLast(({ kind }) => kind !== ROUTINE);
  const why = $("#why");
  const when = openRound(view.poll);
  if (when) why.replaceChildren(ROOM.vote(when));
  else if (outcome) why.replaceChildren(outcome.headline, ".");
  else if (!side) why.replaceChildren(view.format === "exchange" ? LEAD.none : "");
  else why.replaceChildren(h(`b.${side}`, {}, LEAD.leads(side, points)), ROOM.sure(view.lead, last, view.turns));
}

/** The words of the turn from below: those that are being spoken stand in ink, the ones before in a softer tone. */
function drawSpeech(view, number) {
  const turn = view.turns[number];
  const root = $("#speech");
  root.className = `p-said ${turn?.side ?? ""}`;
  if (!turn) return;
  const who = ROOM.who(turn.side, view[turn.side]?.archetype ?? "");
  setText($("#who"), [who, turn.origin?.text].filter(Boolean).join(" · "));
  const isSpeaking = turn.state === "speaking";
  const text = (isSpeaking ? player.speech?.text : turn.text) ?? "";
  const start = isSpeaking ? text.search(SENTENCE) : 0;
  const said = $("#said");
  said.className = isSpeaking ? "speaking" : "";
  const [old, fresh] = start > 0 ? [text.slice(0, start), text.slice(start)] : ["", text];
  said.replaceChildren(h("span.old", {}, old), h("span.new", {}, fresh));
}

/** The newest loss of points of a turn for what it says, with its words and those that exposed them. */
function drawEntry({ lead: { moves } = {}, claims, turns }) {
  const losses = Object.entries(moves ?? {}).filter(([, { kind, applied }]) => ROOM.loses[kind] && applied < 0);
  const [position, move] = losses.at(-1) ?? [];
  const event = position && player.wantFrame(Number(position))?.event;
  const root = $("#entry");
  if (!isEntryChanged(position, event)) return;
  root.hidden = !move;
  if (!move) return;
  const quote = move.quote ?? claims[event?.claim]?.quote;
  const { turn, quote: answer } = event?.exposed_by ?? {};
  root.replaceChildren(
    h("b", {}, signed(move.applied)),
    h("p", {},
      h("b", {}, ROOM.loses[move.kind](move.turn, event?.rule)),
      quote && [" · ", h("q", {}, quote)],
      answer && [h("br"), h("span.soft", {}, ROOM.answered(turns[turn].side, turn)), " ", h("q", {}, answer)]));
}

function resize(step) {
  size = Math.min(Math.max(size + step, 0), SIZES.length - 1);
  storage.set("room", size);
  document.body.style.setProperty("--size", SIZES[size] ?? 1);
}

const ACTS = {
  Space: () => player.toggle(),
  ArrowLeft: () => player.step(-1),
  ArrowRight: () => player.step(1),
  "Shift+ArrowLeft": () => player.turn(-1),
  "Shift+ArrowRight": () => player.turn(1),
  Home: () => player.go(1),
  End: () => player.live(),
  "+": () => resize(1),
  "=": () => resize(1),
  "-": () => resize(-1),
};

document.addEventListener("keydown", (event) => {
  const act = ACTS[pressed(event)];
  if (!act) return;
  event.preventDefault();
  act();
});

$("#bar").replaceWith(lead.element);
$("#code").src = `/api/debates/${encodeURIComponent(id)}/qr.svg${location.search}`;
api.join(id).then(({ place, code }) => $("#address").append(place, h("strong", {}, code)), fail);
resize(0);
role().then(async (who) => {
  if (who !== "operator") return;
  setInterval(tell, TELL_MS, true);
  const { chair } = await import("../acts/chair.js");
  const acts = chair(id, fail);
  const see = () => player.newest && acts.see(player.newest);
  player.addEventListener("change", see);
  see();
  Object.assign(ACTS, { p: acts.toggle, n: acts.next, v: acts.closeVote });
});
feed.open();
