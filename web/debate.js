/** The page of one debate: the feed fills the player, the player says what is to be seen, parts show it. */

import * as address from "./address.js";
import { api } from "./api.js";
import { audience } from "./audience.js";
import { chair } from "./chair.js";
import { $, say } from "./dom.js";
import { Feed } from "./feed.js";
import { formats } from "./formats.js";
import { contents, head, progress, strip } from "./heading.js";
import { keys } from "./keys.js";
import { reach } from "./parts.js";
import { Player } from "./player.js";
import { share } from "./share.js";
import { standing } from "./standing.js";
import { timeline } from "./timeline.js";
import { NAME, STANDING, VERDICT, count, number } from "./words.js";

const NEAR = 120;
const { copy, Line } = globalThis.moot ?? {};   // in a file that was taken away
const id = copy?.archive.id ?? decodeURIComponent(location.pathname.split("/")[2]);   // /d/ID and /d/ID/embed
for (const link of document.querySelectorAll("[data-judge]")) link.search = `debate=${encodeURIComponent(id)}`;
const player = new Player({
  view: (at) => api.view(id, at),
  frames: (after, limit) => api.frames(id, after, limit),
});
const feed = new Feed(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/debates/${encodeURIComponent(id)}`, {
  isDone: () => copy || player.newest?.state === "concluded",
  ...(copy && { Socket: Line }),
});
const jump = (position) => player.go(position).then(remember, trouble);
const decide = (decision, reason) => api.decide(id, decision, reason).then(catchUp);
const parts = {
  audience: audience(id),
  chair: chair(id, trouble),
  share: share(id),
  timeline: timeline(player),
};
const asked = address.read(location);
let isPlaced = false;
let opening = null;
let fetching = null;
let wasFollowing = true;
let isLineTrouble = false;

// Feed → player

feed.addEventListener("snapshot", ({ detail }) => {
  if (isPlaced) return player.snapshot(detail);
  isPlaced = true;
  if (asked.cursor) player.following = false;   // nothing later is shown, not even for a moment
  player.snapshot(detail);
  player.setSpeed(asked.speed);
  if (asked.cursor) return player.go(asked.cursor).catch(trouble);
  return asked.follow ? undefined : player.hold();
});
feed.addEventListener("frame", ({ detail }) => {
  if (detail.position <= player.head) return;   // read already, after a decision of ours
  player.append(detail);
  announce(detail.event);
});
feed.addEventListener("delta", ({ detail }) => player.delta(detail));
feed.addEventListener("state", ({ detail }) => {
  if (detail !== "live") player.wait = "";
  if (detail === "live" && isLineTrouble) $("#trouble").hidden = true;
  draw();
});
feed.addEventListener("status", ({ detail }) => {
  if (typeof detail.spectators === "number") say($("#watching"), `${detail.spectators.toLocaleString("en")} watching`);
  if ("wait" in detail) {
    player.wait = detail.wait;
    draw();
  }
});
feed.addEventListener("trouble", async ({ detail }) => {
  if (!player.view) {
    say($("#kind"), "Not here");
    say($("#motion"), detail.code === 4404 ? "No debate has this address" : "This debate cannot be shown");
    document.body.toggleAttribute("data-nowhere", true);
  }
  if (detail.code === 4403) await api.view(id).then(() => feed.open(), trouble);
  else trouble(detail);
  isLineTrouble = true;
});
addEventListener("online", () => feed.state === "reconnecting" && feed.open());

/** After the end no line brings what comes. */
async function catchUp() {
  const view = await api.view(id);
  if (view.position > player.head) player.snapshot({ view, speaking: null });
}

// Player → page

let isDue = false;
let wasOpen = false;
function draw() {
  if (isDue) return;
  isDue = true;
  if (document.hidden) setTimeout(paint, 200);
  else requestAnimationFrame(paint);
}
player.addEventListener("change", draw);

function paint() {
  isDue = false;
  const { view, following } = player;
  const { name, text } = standing(copy ? "copy" : feed.state, player);
  const status = $("#status");
  status.dataset.state = name;
  say(status, text);
  if (!view) return;
  const isFirst = opening === null;
  const grows = view.format === "exchange" && (view.state !== "concluded" || wasOpen);
  const stick = following && !isFirst && grows && isAtEnd();
  if (opening !== view.opened_at && !begin(view)) return;
  document.body.classList.toggle("reading-back", !following);
  document.body.toggleAttribute("data-ready", true);
  progress(view);
  parts.format.record.show(view, player.speech, { head: following });
  parts.format.show(view, { head: following, at: turnAt(view) });
  room(view);
  contents($("#contents"), reach);
  parts.timeline.show();
  strip(view);
  parts.chair.show(view, following);
  parts.audience.show(view, following);
  ask(view, following);
  if (isFirst) {
    if (!following) reveal();
    else if (grows && view.state === "open" && Object.keys(view.turns).length > 1) toEnd();
  } else if (stick || (following && !wasFollowing && grows)) toEnd();
  else if (!following) reveal();
  wasFollowing = following;
  wasOpen = view.state !== "concluded";
  remember();
}

/** The format of the debate settles what its page shows; false while that is on its way. */
function begin(view) {
  if (!parts.format) {
    fetching ??= formats(view, { go: jump, id, appeal: (claim) => api.appeal(id, claim).catch(trouble), decide }).then((format) => {
      parts.format = format;
      draw();
    }, () => trouble(new Error("A part of this page could not be fetched. Load it again.")));
    return false;
  }
  opening = view.opened_at;
  for (const each of document.querySelectorAll("aside [data-of]")) each.hidden = !each.dataset.of.split(" ").includes(view.format);
  $("#record").setAttribute("aria-label", view.format === "exchange" ? "Transcript" : "Record");
  head(view);
  return true;
}

let asking = null;
/** What if, for who stands at the newest event once there is a score. */
function ask(view, following) {
  const isAsked = following && view.state !== "open" && view.format !== "calibration" && (view.protocol?.assessment || view.panel?.conclusion || Object.values(view.turns).some(({ judged }) => judged));
  $("#whatif").hidden = !isAsked;
  if (isAsked) asking ??= import("./whatif.js").then(({ whatif }) => whatif($("#whatif"), id), () => undefined);
}

/** A finished turn and a score are said once; streaming text never is. */
function announce(event) {
  if (!player.following) return;
  if (event.type === "turn_spoken") say($("#aloud"), `${NAME[event.side]} finished turn ${event.turn}: ${count(event.words, "word")}.`);
  if (event.type === "argument_traced" && event.standing) say($("#aloud"), `${event.argument}: ${STANDING[event.standing]}.`);
  if (event.type === "panel_concluded") say($("#aloud"), event.winner === "neither" ? "The panel names no winner." : `The panel concludes: ${NAME[event.winner]}.`);
  if (event.type === "artifact_judged" && event.verdict) say($("#aloud"), `Verdict: ${VERDICT[event.verdict]}.`);
  if (event.type === "turn_scored") {
    const { composite } = player.newest.turns[event.turn] ?? {};
    say($("#aloud"), typeof composite === "number" ? `Turn ${event.turn} scored ${number(composite)}.` : `No score for turn ${event.turn}.`);
  }
}

function trouble(error) {
  isLineTrouble = false;
  const box = $("#trouble");
  say($("#trouble-text"), error.message);
  box.hidden = false;
}

// Scrolling: by itself only for who follows and stands at the end

function isAtEnd() {
  const { top } = $("#end").getBoundingClientRect();
  return top > 0 && top <= innerHeight - $("#foot").offsetHeight + NEAR;
}

/** To the newest words, or where long verdicts begin. */
function toEnd() {
  const coda = $(".coda:has(.verdicts)");
  if (coda?.offsetHeight > innerHeight * .75) coda.scrollIntoView();
  else $("#end").scrollIntoView({ block: "end" });
}

let revealed = 0;
function reveal() {
  if (revealed === player.position || player.view.position !== player.position) return;
  revealed = player.position;
  const event = player.frame?.event ?? {};
  const article = parts.format.place(event, player.view);
  if (!article) return;
  const { top, bottom } = article.getBoundingClientRect();
  const [from, to] = [$("#top").offsetHeight, innerHeight - $("#foot").offsetHeight];
  if (bottom > to || top < from) article.scrollIntoView({ block: bottom - top > to - from ? "end" : "nearest" });
}

// Address ↔ player

let written = "";
let writing = null;

/** Leaving or joining the newest event is a step that Back undoes; moves in between only correct the address. */
function remember() {
  if (!isPlaced || !player.view || player.view.position !== player.position) return;
  const next = address.write(location, player);
  if (next === written) return;
  const isTurn = written !== "" && next.includes("#") !== written.includes("#");
  const current = location.pathname + location.search + location.hash;
  written = next;
  clearTimeout(writing);
  if (next === current) return;
  if (isTurn && self === top) setTimeout(() => history.pushState(null, "", next));
  else writing = setTimeout(() => history.replaceState(null, "", next), 250);
}

addEventListener("popstate", () => {
  clearTimeout(writing);
  const { cursor, speed } = address.read(location);
  written = location.pathname + location.search + location.hash;
  openedFor = null;
  player.setSpeed(speed);
  if (cursor) player.go(cursor).catch(trouble);
  else player.live();
});

// Rooms: the debate, and the audit of its log

let auditing = null;
let openedFor = null;
let isSearching = false;

/** The room and the turn that the address names. */
function room(view) {
  const { view: name, turn } = address.read(location);
  const isAudit = name === "audit";
  document.body.dataset.room = name;
  $("#audit").hidden = !isAudit;
  for (const each of document.querySelectorAll("[data-room-button]")) each.setAttribute("aria-pressed", String(each.dataset.roomButton === name));
  if (isAudit) {
    auditing ??= import("./audit.js").then(({ audit }) => audit($("#audit"), id, { go: leave, move }));
    auditing.then((part) => {
      part.show(player.position, view);
      if (isSearching) part.search();
      isSearching = false;
    }, () => trouble(new Error("The audit could not be fetched. Load the page again.")));
  } else if (turn !== openedFor && (turn === null || parts.format.record.open?.(turn))) {
    openedFor = turn;
  }
}

/** Changes the address besides the cursor; a change of room is a step that Back undoes. */
function move(members) {
  const next = address.changed(location, members);
  const isTurn = "view" in members;
  written = next;
  clearTimeout(writing);
  history[isTurn ? "pushState" : "replaceState"](null, "", next);
  draw();
}

function leave(position) {
  move({ view: null, event: null });
  return jump(position);
}

function turnAt(view) {
  return player.frame?.event.turn ?? Math.max(0, ...Object.keys(view.turns).map(Number));
}

/** Opens the reasons of the score at the cursor, or of the newest before it. */
function why() {
  const { view } = player;
  const judged = Object.keys(view?.turns ?? {}).map(Number).filter((number) => view.turns[number].judged);
  const here = turnAt(view ?? { turns: {} });
  const turn = judged.includes(here) ? here : judged.filter((number) => number <= here).at(-1) ?? judged.at(-1);
  if (!turn) return;
  openedFor = null;
  move({ view: null, turn });
}

for (const each of document.querySelectorAll("[data-room-button]")) {
  each.addEventListener("click", () => move({ view: each.dataset.roomButton === "audit" ? "audit" : null, turn: null }));
}

// Acts

$("#trouble-close").addEventListener("click", () => { $("#trouble").hidden = true; });
$("#strip").addEventListener("click", () => $("#scorecard").scrollIntoView({ block: "center" }));

const step = (count) => () => player.step(count).catch(trouble);
const turn = (direction) => () => player.turn(direction)?.catch(trouble);
const change = (direction) => () => player.change(direction)?.catch(trouble);
/** The address that shows this, whatever comes after. */
const linkHere = () => address.changed({ pathname: location.pathname, search: location.search, hash: player.position ? `#e${player.position}` : "" }, { speed: null });
function search() {
  isSearching = true;
  move({ view: "audit" });
}
for (const button of [$("#copy"), $("#copy-here")]) button.addEventListener("click", () => parts.share.copy(linkHere()));
keys({
  ArrowLeft: step(-1), k: step(-1), ArrowRight: step(1), j: step(1),
  "Shift+ArrowLeft": turn(-1), "Shift+ArrowRight": turn(1),
  Home: () => player.go(1).catch(trouble), End: () => player.live(), l: () => player.live(),
  a: () => move({ view: address.read(location).view === "audit" ? null : "audit", turn: null }), b: why,
  y: () => parts.share.copy(linkHere()), "/": search, ",": change(-1), ".": change(1),
  Space: () => player.toggle(), "[": () => player.faster(-1), "]": () => player.faster(1),
});

feed.open();
paint();
