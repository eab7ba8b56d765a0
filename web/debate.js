/** The page of one debate: the feed fills the player, the player says what is to be seen, the parts show it. */

import * as address from "./address.js";
import { api } from "./api.js";
import { artifact } from "./artifact.js";
import { briefing } from "./briefing.js";
import { calibration } from "./calibration.js";
import { $, say } from "./dom.js";
import { Feed } from "./feed.js";
import { graph } from "./graph.js";
import { contents, head, progress, strip } from "./heading.js";
import { keys } from "./keys.js";
import { inShort, panel } from "./panel.js";
import { reach } from "./parts.js";
import { Player } from "./player.js";
import { protocol, trace } from "./protocol.js";
import { anomalies, register } from "./register.js";
import { scorecard } from "./scorecard.js";
import { spine } from "./spine.js";
import { standing } from "./standing.js";
import { temper } from "./temper.js";
import { timeline } from "./timeline.js";
import { transcript } from "./transcript.js";
import { NAME, STANDING, VERDICT, count, number } from "./words.js";

const NEAR = 120;
const id = decodeURIComponent(location.pathname.replace(/\/+$/, "").split("/").at(-1));
for (const link of document.querySelectorAll("[data-judge]")) link.search = `debate=${encodeURIComponent(id)}`;
const player = new Player({
  view: (at) => api.view(id, at),
  frames: (after, limit) => api.frames(id, after, limit),
});
const feed = new Feed(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/debates/${encodeURIComponent(id)}`, {
  isDone: () => player.newest?.state === "concluded",
});
const jump = (position) => player.go(position).then(remember, trouble);
const RECORDS = { protocol, deliberation: artifact, calibration };
const decide = (decision, reason) => api.decide(id, decision, reason).then(catchUp);
const parts = {
  panel: panel($("#panel"), jump, decide),
  briefing: briefing($("#briefing")),
  trace: trace($("#trace")),
  inShort: inShort($("#in-short")),
  claims: register($("#claims"), (claim) => api.appeal(id, claim).catch(trouble), jump),
  anomalies: anomalies($("#anomalies")),
  temper: temper($("#temper"), jump),
  spine: spine($("#spine"), jump),
  scorecard: scorecard($("#scorecard")),
  graph: graph($("#graph"), jump),
  timeline: timeline(player),
};
const asked = address.read(location);
let isPlaced = false;
let opening = null;
let wasFollowing = true;
let isLineTrouble = false;

// Feed → player

feed.addEventListener("snapshot", ({ detail }) => {
  if (isPlaced) return player.snapshot(detail);
  isPlaced = true;
  if (asked.cursor) player.following = false;   // nothing later than the cursor is shown, not even for a moment
  player.snapshot(detail);
  player.setSpeed(asked.speed);
  if (asked.cursor) return player.go(asked.cursor).catch(trouble);
  return asked.follow ? undefined : player.hold();
});
feed.addEventListener("frame", ({ detail }) => {
  if (detail.position <= player.head) return;   // what a decision of ours brought has been read already
  player.append(detail);
  announce(detail.event);
});
feed.addEventListener("delta", ({ detail }) => player.delta(detail));
feed.addEventListener("state", ({ detail }) => {
  if (detail !== "live") player.wait = "";   // a new line tells anew what is waited for
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
  if (detail.code === 4403) await api.view(id).then(() => feed.open(), trouble);
  else trouble(detail);
  isLineTrouble = true;
});
addEventListener("online", () => feed.state === "reconnecting" && feed.open());

/** Reads what came after the end, when no line is held any more. */
async function catchUp() {
  const view = await api.view(id);
  if (view.position > player.head) player.snapshot({ view, speaking: null });
}

// Player → page

let isDue = false;
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
  const { name, text } = standing(feed.state, player);
  const status = $("#status");
  status.dataset.state = name;
  say(status, text);
  if (!view) return;
  const isFirst = opening === null;
  const grows = view.format === "exchange" && view.state !== "concluded";   // elsewhere words come in their places, not at the end
  const stick = following && !isFirst && grows && isAtEnd();
  if (opening !== view.opened_at) begin(view);
  document.body.classList.toggle("reading-back", !following);
  document.body.toggleAttribute("data-ready", true);
  progress(view);
  parts.record.show(view, player.speech, { head: following });
  parts.briefing.show(view);
  parts.trace.show(view);
  parts.inShort.show(view);
  if (view.format !== "calibration" && view.format !== "deliberation") parts.panel.show(view, { head: following });
  contents($("#contents"), reach);
  parts.scorecard.show(view.scorecard);
  parts.graph.show(view);
  parts.claims.show(view, following);
  parts.anomalies.show(view);
  parts.temper.show(view);
  parts.spine.show(view);
  parts.timeline.show();
  strip(view);
  chair(view, following);
  if (isFirst) {
    if (!following) reveal();
    else if (grows && view.state === "open" && Object.keys(view.turns).length > 1) toEnd();
  } else if (stick || (following && !wasFollowing && grows)) toEnd();
  else if (!following) reveal();
  wasFollowing = following;
  remember();
}

/** What a page shows is settled by the format of the debate. */
function begin(view) {
  opening = view.opened_at;
  parts.record ??= (RECORDS[view.format] ?? transcript)($("#transcript"), jump, id);
  for (const each of document.querySelectorAll("aside [data-of]")) each.hidden = !each.dataset.of.split(" ").includes(view.format);
  $("#record").setAttribute("aria-label", view.format === "exchange" ? "Transcript" : "Record");
  head(view);
}

function chair(view, following) {
  const is = (...states) => following && states.includes(view.state);
  $("#chair").hidden = !is("open", "paused", "halted");
  $("#pause").hidden = !is("open");
  $("#halt").hidden = !is("open", "paused");
  const notice = $("#notice");
  const isStopped = ["paused", "halted"].includes(view.state);
  notice.hidden = !isStopped;
  $("#resume").hidden = !is("paused", "halted");
  if (isStopped) {
    notice.dataset.state = view.state;
    say($("#notice-what"), view.state === "paused" ? "Paused." : "Halted.");
    say($("#notice-why"), view.reason || "No reason was given.");
  }
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

// Scrolling: the page moves by itself only for who follows and stands at its end

function isAtEnd() {
  const { top } = $("#end").getBoundingClientRect();
  return top > 0 && top <= innerHeight - $("#foot").offsetHeight + NEAR;
}

function toEnd() {
  $("#end").scrollIntoView({ block: "end" });
}

let revealed = 0;
function reveal() {
  if (revealed === player.position || player.view.position !== player.position) return;
  revealed = player.position;
  const event = player.frame?.event ?? {};
  const article = parts.panel.place(event) ?? parts.record.place(event, player.view);
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
  if (isTurn) history.pushState(null, "", next);
  else writing = setTimeout(() => history.replaceState(null, "", next), 250);
}

addEventListener("popstate", () => {
  clearTimeout(writing);
  const { cursor, speed } = address.read(location);
  written = location.pathname + location.search + location.hash;
  player.setSpeed(speed);
  if (cursor) player.go(cursor).catch(trouble);
  else player.live();
});

// Acts

async function act(name, reason) {
  $("#trouble").hidden = true;
  await api.act(id, name, reason).catch(trouble);
}
$("#pause").addEventListener("click", () => act("pause", "paused from the page"));
$("#resume").addEventListener("click", () => act("resume", "resumed from the page"));
$("#halt").addEventListener("click", () => $("#halting").showModal());
$("#halt-cancel").addEventListener("click", () => $("#halting").close());
$("#halting form").addEventListener("submit", () => act("halt", $("#halt-reason").value.trim() || "halted from the page"));
$("#trouble-close").addEventListener("click", () => { $("#trouble").hidden = true; });
$("#strip").addEventListener("click", () => $("#scorecard").scrollIntoView({ block: "center" }));

const step = (count) => () => player.step(count).catch(trouble);
const turn = (direction) => () => player.turn(direction)?.catch(trouble);
keys({
  ArrowLeft: step(-1), k: step(-1), ArrowRight: step(1), j: step(1),
  "Shift+ArrowLeft": turn(-1), "Shift+ArrowRight": turn(1),
  Home: () => player.go(1).catch(trouble), End: () => player.live(), l: () => player.live(),
  Space: () => player.toggle(), "[": () => player.faster(-1), "]": () => player.faster(1),
});

feed.open();
paint();
