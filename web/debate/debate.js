/** The page of one debate: the feed fills the player, the player says what to show, the parts show it. */

import * as address from "../parts/address.js";
import { api } from "../parts/api.js";
import { $, changeDetector, onClick, setText, speak, storage } from "../parts/dom.js";
import { keys } from "../parts/keys.js";
import { showPlace } from "../parts/widgets.js";
import { Feed } from "../replay/feed.js";
import { newestTurn } from "../replay/history.js";
import { Player } from "../replay/player.js";
import { DEBATE } from "../words/words.js";
import { follower, newestWords } from "./follow.js";
import { formats } from "./formats.js";
import { contents, head, menus, printing, progress, scoreSummary } from "./header.js";
import { statusOf } from "./status.js";
import { timeline } from "./timeline.js";

/** Moves of the cursor correct the address at most this often. */
const ADDRESS_MS = 250;
const HIDDEN_PAINT_MS = 200;
/** States of the feed in which the page has lost its connection. */
const AWAY = ["reconnecting", "silent", "offline"];
/** A turn whose start stands above this share of the window is being read. */
const READING_LINE = 0.6;

/** Set in an exported file: see offline/archive.js. */
const { copy, Socket } = globalThis.moot ?? {};
/** From the path /d/ID or /d/ID/embed. */
const id = copy?.archive.id ?? decodeURIComponent(location.pathname.split("/")[2]);
for (const link of document.querySelectorAll("[data-judge]")) link.search = `debate=${encodeURIComponent(id)}`;

const player = new Player({
  view: (at) => api.view(id, at),
  frames: (after, limit) => api.frames(id, after, limit),
});
const origin = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}`;
const feed = new Feed(`${origin}/ws/debates/${encodeURIComponent(id)}`, {
  isDone: () => copy || player.newest?.state === "concluded",
  ...(copy && { Socket }),
});
const parts = { timeline: timeline(player), format: null };
/** Parts that not every debate needs, from the moment at which one is asked for. */
const lateParts = {};
const follow = follower(newestPlace, turnsBehind);
/** The state of the page that its first address names. */
const initial = address.read(location);

// Feed → player

let isPlaced = false;
let isConnectionError = false;

feed.addEventListener("snapshot", ({ detail }) => {
  if (isPlaced) {
    player.snapshot(detail);
    return;
  }
  isPlaced = true;
  const start = initial.cursor ?? (initial.follow ? startOfShow(detail.view) : null);
  if (start) player.following = false; // Nothing later may show, not even for a moment.
  player.snapshot(detail);
  player.setSpeed(initial.speed);
  if (initial.cursor && !initial.play) player.go(initial.cursor).catch(showError);
  else if (start) player.go(start, { stay: true }).then(() => player.play()).catch(showError);
  else if (!initial.follow) player.hold();
  if (new URLSearchParams(location.search).has("room")) {
    import("../watch/together.js").then(({ together }) => together(id, player), showError);
  }
});

/** Where to begin with an exhibition that goes on: at its start, or with the turn that is being spoken. */
function startOfShow(view) {
  if (!view.exhibition || view.state === "concluded") return null;
  const newest = newestTurn(view);
  return newest > 1 ? view.turns[newest].started : 1;
}
feed.addEventListener("frame", ({ detail }) => {
  if (detail.position <= player.head) return; // Fetched already, after a decision on this page.
  player.append(detail);
});
feed.addEventListener("delta", ({ detail }) => player.delta(detail));
feed.addEventListener("state", ({ detail }) => {
  if (detail !== "live") player.wait = "";
  if (detail === "live" && isConnectionError) showTrouble("");
  draw();
});
feed.addEventListener("status", ({ detail }) => {
  if (typeof detail.spectators === "number") setText($("#watching"), DEBATE.watching(detail.spectators));
  if ("wait" in detail) {
    player.wait = detail.wait;
    draw();
  }
});
feed.addEventListener("error", async ({ detail }) => {
  const isDeleted = detail.code === "debate_deleted" || (detail.code === 4404 && player.view);
  if (!player.view || isDeleted) {
    const why = detail.code === 4404 ? DEBATE.notFound : DEBATE.notShown;
    setText($("#kind"), DEBATE.notHere);
    setText($("#motion"), isDeleted ? DEBATE.deleted : why);
    document.body.toggleAttribute("data-missing", true);
  }
  if (detail.code === 4403) await api.view(id).then(() => feed.open(), showError);
  else showError(isDeleted ? new Error(DEBATE.deletedNow) : detail);
  isConnectionError = true;
});
addEventListener("offline", () => feed.offline());
addEventListener("online", () => feed.online());

/** Fetches the newest view: after the end, the feed sends nothing. */
async function catchUp() {
  const view = await api.view(id);
  if (view.position > player.head) player.snapshot({ view, speaking: null });
}

// Player → page

let isPaintDue = false;
/** Whether a seat has changed: a blind debate has named its models, or a model has taken over from a person. */
const hasNewSeats = changeDetector();
let openedAt = null;
let fetchingFormat = null;
let fetchingShare = null;
let dockNotices = null;
let wasPlaying = false;
let placedAt = 0;
/** Whether the page has shown the debate as it went on, live or in a replay. */
let isWatched = false;

function draw() {
  if (isPaintDue) return;
  isPaintDue = true;
  if (document.hidden) setTimeout(paint, HIDDEN_PAINT_MS);
  else requestAnimationFrame(paint);
}
player.addEventListener("change", draw);
player.addEventListener("reached", ({ detail }) => {
  announce(detail.event);
  lateParts.watch?.reached(detail);
  if (player.playing || feed.state === "live") showDock(detail);
});

/** Readers who prefer less motion see each turn of a replay whole. */
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
const keepCalm = () => {
  player.isCalm = isCalm.matches;
};
isCalm.addEventListener("change", keepCalm);
keepCalm();

/** A choice in the help, which the browser keeps as one of two words. */
function choice(selector, name, words, choose) {
  const box = $(selector);
  box.checked = storage.get(name) === words[0];
  box.addEventListener("change", () => {
    storage.set(name, box.checked ? words[0] : words[1]);
    choose(box.checked);
  });
  choose(box.checked);
}
choice("#pace-recorded", "pace", ["recorded", "reading"], (isRecorded) => {
  player.setPace(isRecorded ? "recorded" : "reading");
});
choice("#hide-later", "later", ["hidden", "shown"], (isHidden) => {
  player.hidesLater = isHidden;
  draw();
});

function paint() {
  isPaintDue = false;
  const { view, following } = player;
  const isFirst = openedAt === null;
  if (!view || (openedAt !== view.opened_at && !begin(view))) {
    showStatus();
    return;
  }
  const show = () => showView(view, following);
  if (document.body.hasAttribute("data-ready")) follow.hold(show);
  else show(); // The parts of the page come one after the other.
  document.body.toggleAttribute("data-ready", !Object.values(lateParts).includes(null));
  showPlaceOfCursor(isFirst, showRoom(view));
  remember();
}

function showView(view, following) {
  showStatus();
  if (hasNewSeats(view.pro, view.con, view.judge)) head(view);
  document.body.classList.toggle("reading-back", !following);
  document.body.classList.toggle("going-on", view.state !== "concluded");
  progress(view);
  parts.format.record.show(view, player.speech, { head: following || player.playing });
  parts.format.show(view, { head: following, end: player.end });
  contents($("#contents"), showPlace);
  parts.timeline.show();
  scoreSummary(view);
  showLateParts(view, following || (player.playing && player.isShowing));
  showWhatIf(view, following);
}

/** Shows the parts that this debate needs. */
function showLateParts(view, isPresent) {
  const isLive = player.newest.state !== "concluded";
  if (isLive || ["paused", "halted"].includes(view.state)) {
    late("moderator", () => import("../acts/moderator.js").then(({ moderator }) => moderator(id, showError)));
  }
  if (view.people) late("people", () => import("../acts/people.js").then(({ people }) => people(id, showError)));
  if (view.poll) late("poll", () => import("../vote/poll.js").then(({ pollPart }) => pollPart(id)));
  if (isLive || view.audience) {
    late("audience", () => import("../acts/audience.js").then(({ audience }) => audience(id)));
  }
  if (new URLSearchParams(location.search).has("said")) {
    late("said", () => import("./said.js").then(({ said }) => said(() => follow.leave()) ?? {}));
  }
  for (const part of Object.values(lateParts)) part?.show?.(view, isPresent, player.newest);
  const vote = $("[data-view-button=vote]");
  if (vote.hidden !== $("#audience").hidden) draw(); // The address may name its tab.
  vote.hidden = $("#audience").hidden;
}

/** Fetches a part once; the page is drawn again when it is there. */
function late(name, fetchPart) {
  if (name in lateParts) return;
  lateParts[name] = null;
  whole(fetchPart).then((part) => {
    lateParts[name] = part;
    draw();
  });
}

/** What needs a module that is fetched now. If it fails, the page says so and goes on without it. */
function whole(act, message = DEBATE.partFailed) {
  return act().catch(() => showError(new Error(message)));
}

function showStatus() {
  const { name, text } = statusOf(copy ? "copy" : feed.state, player);
  $("#status").dataset.state = name;
  document.body.toggleAttribute("data-away", AWAY.includes(name));
  setText($("#status"), text);
}

/** Fetches the parts of the debate's format and shows its head. False while the parts are being fetched. */
function begin(view) {
  if (!parts.format) {
    fetchingFormat ??= whole(() => fetchFormat(view));
    return false;
  }
  openedAt = view.opened_at;
  speak(view.language);
  for (const section of document.querySelectorAll("main [data-formats]")) {
    section.hidden = !section.dataset.formats.split(" ").includes(view.format);
  }
  $("#record").setAttribute("aria-label", view.format === "exchange" ? DEBATE.transcript : DEBATE.record);
  return true;
}

async function fetchFormat(view) {
  parts.format = await formats(view, {
    go: jump,
    id,
    appeal: (claim) => api.appeal(id, claim).catch(showError),
    decide: (decision, reason) => api.decide(id, decision, reason).then(catchUp),
    audit: auditLink,
    frameAt: (position) => player.frameAt(position),
    wantFrame: (position) => player.wantFrame(position),
    hold,
    play: () => player.toggle(),
  });
  draw();
}

/** Offers other rules at the newest event, once there is a score. */
function showWhatIf(view, following) {
  const isJudged = view.protocol?.assessment || view.panel?.conclusion
    || Object.values(view.turns).some(({ judged }) => judged);
  const isOffered = following && view.state !== "open" && view.format !== "calibration" && isJudged;
  $("#whatif").hidden = !isOffered;
}

function openWhatIf({ target }) {
  const body = $("#whatif .whatif");
  if (!target.open || target.hidden || body.childElementCount) return;
  whole(() => import("../audit/whatif.js").then(({ whatif }) => whatif(body, id)));
}

/** Announces a finished turn or a score once to screen readers. Text that streams is never announced. */
async function announce(event) {
  const { view } = player;
  const { announcement } = await import("../words/announcements.js");
  const text = announcement(event, view);
  if (text) setText($("#announcer"), text);
}

/** Tells of an earlier turn that loses points before the reader's eyes. */
async function showDock({ event, position }) {
  if (event.type === "debate_concluded") (await dockNotices)?.notices.clear();
  if (!(event.applied < 0)) return;
  const { view } = player;
  dockNotices ??= import("../watch/docks.js").then(({ docks, isDock }) => ({ isDock, notices: docks(seeDock) }));
  const { isDock, notices } = await dockNotices;
  if (!parts.format || !isDock(event, view)) return;
  parts.format.record.flash?.(event, position);
  notices.tell(event, position, view);
  follow.keep(); // The foot has grown.
}

function seeDock(event, position) {
  if (player.playing) player.hold();
  placedAt = player.position; // The reader has not asked for the place of the cursor.
  follow.leave();
  const entry = parts.format.record.flash(event, position);
  const folded = entry?.closest("details");
  if (folded) folded.open = true;
  entry?.scrollIntoView({ block: "center" });
}

function showError(error) {
  isConnectionError = false;
  showTrouble(error.message);
}

/** Shows a message above the debate; an empty one hides it. */
function showTrouble(message) {
  hold(() => {
    setText($("#trouble-text"), message);
    $("#trouble").hidden = !message;
  });
}

// Following: see follow.js

/** What a reader who follows must see: the newest words, the verdicts, or the place of the event at the cursor. */
function newestPlace() {
  const { view, frame, following, playing, share } = player;
  if (!view || !parts.format || document.body.dataset.view !== "debate") return null;
  const event = frame?.event ?? {};
  const isGoingOn = isWatched && !(following && view.state === "concluded");
  if (view.format !== "exchange" || !(following || playing)) {
    const element = parts.format.place(event, view, share);
    return element && { element, isMoving: following ? isGoingOn : playing };
  }
  const whole = player.isCalm && event.type === "turn_spoken" && $(`[data-turn='${event.turn}']`);
  const element = parts.format.placeInPanel(event) ?? $(".ending:has(.verdicts)") ?? (whole || null);
  return { element: element ?? newestWords() ?? $("#transcript"), isGrowing: !element, isMoving: isGoingOn };
}

/** The turn that the reader reads: the last one whose first words are in the upper part of the window. */
function turnInView() {
  const { top } = $("#foot").getBoundingClientRect();
  const started = [...document.querySelectorAll("article.turn")].filter((article) => {
    return article.getBoundingClientRect().top < top * READING_LINE;
  });
  return Number(started.at(-1)?.dataset.turn ?? 0);
}

function turnsBehind() {
  const newest = newestTurn(player.view);
  return newest - turnInView();
}

/** Keeps the place in view; a step or a jump of the cursor goes there, unless the reasons of a turn were opened. */
function showPlaceOfCursor(isFirst, isTurnOpened) {
  const { view, position, following, playing } = player;
  const isMoved = !following && !playing && position !== placedAt && view.position === position;
  isWatched ||= playing || (following && view.state !== "concluded");
  if (isTurnOpened) follow.leave();
  else if (isMoved || (playing && !wasPlaying) || (isFirst && following && view.state !== "concluded")) follow.join();
  if (isMoved) placedAt = position;
  if (following || playing) placedAt = 0;
  wasPlaying = playing;
  stay();
}

/** Keeps the place in view and marks it, also when boxes on the page grow. */
function stay() {
  if (!player.view) return;
  follow.keep();
  const isSpeech = player.following || (player.playing && player.view.format === "exchange");
  mark(isSpeech ? null : newestPlace()?.element);
}

/** Changes the page outside of `paint`. */
function hold(change) {
  follow.hold(change);
  stay();
}

/** Marks the place that the cursor is at. */
function mark(place) {
  for (const each of document.querySelectorAll("[data-here]")) {
    if (each !== place) each.removeAttribute("data-here");
  }
  place?.setAttribute("data-here", "");
}

/** The newest words; of an exchange that has ended, the card of its outcome at the start of the page. */
function live() {
  player.live();
  if (player.newest?.state !== "concluded" || player.newest.format !== "exchange") return void follow.join();
  follow.leave();
  requestAnimationFrame(() => scrollTo(0, 0)); // After it is painted: the card comes above the words that were read.
}

// Player ↔ address

let written = "";
let writing = null;

/** Leaving or joining the newest event is a step that Back undoes. A move in between only corrects the address. */
function remember() {
  if (!isPlaced || !player.view || player.view.position !== player.position) return;
  const next = address.write(location, player);
  if (next === written) return;
  const isStep = written !== "" && next.includes("#") !== written.includes("#");
  const current = location.pathname + location.search + location.hash;
  written = next;
  clearTimeout(writing);
  if (next === current) return;
  if (isStep && self === top) setTimeout(() => history.pushState(null, "", next));
  else writing = setTimeout(() => history.replaceState(null, "", next), ADDRESS_MS);
}

addEventListener("popstate", () => {
  clearTimeout(writing);
  const { cursor, speed } = address.read(location);
  written = location.pathname + location.search + location.hash;
  explainedTurn = null;
  player.setSpeed(speed);
  if (cursor) player.go(cursor).catch(showError);
  else if (player.newest?.state === "concluded") {
    follow.leave();
    player.live();
  } else live();
});

function jump(position) {
  if (["score", "vote"].includes(document.body.dataset.view)) move({ view: null });
  return player.go(position).then(remember, showError);
}

/** The address of this moment, whatever comes after. */
function linkHere() {
  const hash = player.position ? `#e${player.position}` : "";
  return address.changed({ pathname: location.pathname, search: location.search, hash }, { speed: null });
}

/** The address of the debate, wherever the cursor is. */
const linkToDebate = () => address.changed({ ...location, hash: "" }, { speed: null, follow: null });

async function showFiling() {
  const [{ filing }, { origins }] = await Promise.all([import("../acts/filing.js"), import("../acts/origins.js")]);
  filing($("#filing div"), id, player.newest);
  const canBeDerived = ["exchange", "protocol"].includes(player.newest.format);
  if (canBeDerived) $("#filing div").append(origins(id, player.newest, player.position));
}

/** Links and exports, fetched when the reader asks for them. */
function sharing() {
  fetchingShare ??= import("../acts/share.js").then(({ share }) => share(id, linkHere));
  return fetchingShare;
}

const openWatch = () => {
  return late("watch", () => import("../watch/watch.js").then(({ watch }) => watch(player, playHighlights)));
};

function playHighlights() {
  if (player.newest?.state !== "concluded") return;
  whole(() => import("../watch/highlights.js").then((highlights) => highlights.playHighlights(player)));
}

const copyLink = (link) => whole(() => sharing().then(({ copy: copyText }) => copyText(link)));

// The two views: the debate, and the audit of its log

let fetchingAudit = null;
let explainedTurn = null;
let isSearchAsked = false;
let isEventAsked = false;
/** Screens on which one tab is shown at a time. */
const SMALL = matchMedia("(max-width: 1020px)");
/** Tab → where the reader left it. */
const leftAt = new Map();

/** Shows the view and explains the turn that the address names. True if it has opened the reasons of that turn. */
function showRoom(view) {
  const { view: asked, turn } = address.read(location);
  const isAudit = asked === "audit";
  const isShown = isAudit || (SMALL.matches && !$(`[data-view-button=${asked}]`).hidden);
  const name = isShown ? asked : "debate";
  showTab(name);
  $("#audit").hidden = !isAudit;
  for (const button of document.querySelectorAll("[data-view-button]")) {
    button.setAttribute("aria-pressed", String(button.dataset.viewButton === name));
  }
  if (isAudit) {
    whole(() => showAudit(view), DEBATE.auditFailed);
    return false;
  }
  if (turn === explainedTurn || (turn !== null && !parts.format.record.open?.(turn))) return false;
  explainedTurn = turn;
  return turn !== null;
}

/** Shows a tab where the reader left it. Wide screens show the score beside the debate. */
function showTab(name) {
  const { dataset } = document.body;
  if (dataset.view === name) return;
  if (dataset.view) leftAt.set(dataset.view, scrollY);
  const isFirst = !dataset.view;
  dataset.view = name;
  if (!isFirst && SMALL.matches) scrollTo(0, leftAt.get(name) ?? 0);
}

async function showAudit(view) {
  fetchingAudit ??= import("../audit/audit.js").then(({ audit }) => audit($("#audit"), id, { go: leaveAudit, move }));
  const part = await fetchingAudit;
  await part.show(player.position, view);
  if (isSearchAsked) part.search();
  if (isEventAsked) part.focus();
  isSearchAsked = false;
  isEventAsked = false;
}

/** Attributes of a link to an event in the audit. */
function auditLink(event) {
  const members = { view: "audit", event, q: null, side: null, type: null, turn: null };
  return {
    href: address.changed(location, members),
    on: onClick(() => {
      isEventAsked = true;
      move(members);
    }),
  };
}

/** Changes members of the address. A change of the view is a step that Back undoes. */
function move(members) {
  const next = address.changed(location, members);
  written = next;
  clearTimeout(writing);
  if ("view" in members) history.pushState(null, "", next);
  else history.replaceState(null, "", next);
  draw();
}

function leaveAudit(position) {
  move({ view: null, event: null });
  return jump(position);
}

function turnAtCursor(view) {
  return player.frame?.event.turn ?? newestTurn(view);
}

/** Explains the score of the turn that is read, or the newest before it. */
function explain() {
  const { view } = player;
  if (!view) return;
  const judged = Object.keys(view.turns).map(Number).filter((number) => view.turns[number].judged);
  const here = (!follow.on && turnInView()) || turnAtCursor(view);
  const turn = judged.filter((number) => number <= here).at(-1) ?? judged.at(-1);
  if (!turn) return;
  explainedTurn = null;
  move({ view: null, turn });
}

function toggleAudit() {
  move({ view: address.read(location).view === "audit" ? null : "audit", turn: null });
}

function search() {
  isSearchAsked = true;
  move({ view: "audit" });
}

// Acts of the reader

for (const button of document.querySelectorAll("[data-view-button]")) {
  button.addEventListener("click", () => {
    $("#menu").open = false;
    move({ view: button.dataset.viewButton, turn: null });
  });
}
$("#bar").addEventListener("click", () => {
  if (SMALL.matches) move({ view: document.body.dataset.view === "score" ? null : "score", turn: null });
});
$("#copy").addEventListener("click", () => copyLink(linkToDebate()));
$("#copy-here").addEventListener("click", () => copyLink(linkHere()));
$(".menu").addEventListener("toggle", () => whole(sharing));
$("#filing").addEventListener("toggle", ({ target }) => target.open && whole(showFiling));
$("#trouble-close").addEventListener("click", () => showTrouble(""));
$("#back").addEventListener("click", live);
$("#watch").addEventListener("toggle", openWatch);
$("#about").addEventListener("toggle", async ({ target }) => {
  if (target.open && !copy) (await import("../acts/made.js")).listMade(id);
});
$("#whatif").addEventListener("toggle", openWhatIf);

const step = (count) => () => player.step(count).catch(showError);
const turn = (direction) => () => player.turn(direction)?.catch(showError);
const change = (direction) => () => player.change(direction)?.catch(showError);
keys({
  ArrowLeft: step(-1),
  k: step(-1),
  ArrowRight: step(1),
  j: step(1),
  "Shift+ArrowLeft": turn(-1),
  "Shift+ArrowRight": turn(1),
  Home: () => player.go(1).catch(showError),
  End: live,
  l: live,
  f: () => follow.join(),
  a: toggleAudit,
  b: explain,
  h: playHighlights,
  y: () => copyLink(linkHere()),
  "/": search,
  ",": change(-1),
  ".": change(1),
  Space: () => player.toggle(),
  "[": () => player.faster(-1),
  "]": () => player.faster(1),
});

SMALL.addEventListener("change", draw);
document.addEventListener("reveal", ({ target }) => {
  const name = target.closest("#audience") ? "vote" : target.closest("aside") ? "score" : "debate";
  showTab(name);
  move({ view: name });
});
menus();
printing();
new ResizeObserver(stay).observe($("#record"));
if (!copy) import("../parts/role.js").then(({ role }) => role());
for (const type of ["pointermove", "focusin"]) {
  addEventListener(type, () => import("../parts/terms.js").then(({ terms }) => terms()), { once: true });
}
feed.open();
paint();
