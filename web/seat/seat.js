/** The page of a person's seat: the invitation, the debate so far, the turn to write. It asks the server again and
 * again, which is also how the server knows that the page is there. */

import { $, h, setText, speak } from "../parts/dom.js";
import { SEAT } from "../words/seat.js";
import { makeEditor } from "./editor.js";
import { kept, openSecret, seatApi } from "./seat_api.js";

/** The server is asked again after this long; sooner while the seat is not the person's turn would gain nothing. */
const AGAIN_MS = 2_000;
const ENDED_MS = 15_000;

const turns = new Map();
let after = 0;
let timer = 0;
let isLooking = false;
let mustLookAgain = false;
/** The id of the turn that was the person's when the page looked last. */
let wasAsked;
const editor = makeEditor({ report, look });

/** Shows an error. Null hides it; an act's error stays until the next act. */
function report(error, who = "act") {
  const box = $("#trouble");
  const by = [0, 404].includes(error?.status) ? "look" : who; // The next answer of the server shows that it is over.
  if (!error && by !== (box.dataset.by ?? by)) return;
  box.dataset.by = by;
  box.hidden = !error;
  const words = error?.status === 0 ? SEAT.unreachable : error?.status === 404 ? SEAT.void : error?.message;
  setText(box, error ? words : "");
}

async function look() {
  if (isLooking) {
    mustLookAgain = true;
    return;
  }
  clearTimeout(timer);
  isLooking = true;
  let wait = AGAIN_MS;
  try {
    const shown = await seatApi.show(after);
    await show(shown);
    report(null, "look");
    if (shown.state === "concluded") wait = ENDED_MS;
  } catch (error) {
    report(error, "look");
    if (error.status === 404) await gone();
    wait = Math.max(AGAIN_MS, (error.retryAfterS ?? 0) * 1_000, error.status === 404 ? ENDED_MS : 0);
  }
  isLooking = false;
  timer = setTimeout(look, mustLookAgain ? 0 : wait);
  mustLookAgain = false;
}

/** The link is void: the person keeps the text, and nothing else can be done here. */
async function gone() {
  $("#invitation").hidden = true;
  await editor.show(null);
  await showUnsent(null);
}

let questions;

/** The forms of a judge or rater, and of a statement: their module is loaded when there is a question. */
async function showQuestions(shown) {
  if (!questions && shown.questions.length === 0) return;
  questions ??= (await import("./asked.js")).seatQuestions($("#question"), { kept, api: seatApi, look });
  await questions.show(shown.questions);
}

const isJudge = ({ seat }) => seat !== "pro" && seat !== "con";

async function show(shown) {
  document.body.classList.toggle("in-forms", isJudge(shown) || shown.questions.length > 0);
  setText($("#seat-motion"), shown.motion);
  document.title = SEAT.title(shown.motion);
  setText($("#who"), shown.says.who);
  speak(shown.language);
  const isMine = !["free", "taken"].includes(shown.seat_state);
  $("#invitation").hidden = shown.seat_state !== "free";
  $("#seat-table").hidden = !isMine;
  if (isMine) showTurns(shown);
  setText($("#seat-state"), shown.says.state);
  $("#seat-state").toggleAttribute("data-mine", Boolean(shown.request) || shown.questions.length > 0);
  $("#seat-state").classList.toggle("visually-hidden", Boolean(shown.request)); // The heading of the turn says it.
  if (shown.seat_state === "free") return invite(shown.says);
  if (!isMine) return undefined;
  await showQuestions(shown);
  const speaks = shown.request;
  if (speaks?.id !== wasAsked) begin(speaks);
  if (speaks) setText($("#write-title"), SEAT.yours(speaks.turn));
  $("#directive").hidden = !speaks?.directive;
  setText($("#directive-text"), speaks?.directive ?? "");
  showPassages(shown, speaks?.passages ?? []);
  await forgetSpoken();
  await editor.show(speaks);
  await showUnsent(shown);
  $("#leave").hidden = shown.seat_state !== "yours" || shown.state === "concluded";
  setText($("#leave-means"), shown.says.leave);
  return undefined;
}

/** Another turn is the person's, or none: on a phone, the words to answer stand right above the editor. */
function begin(speaks) {
  report(null);
  wasAsked = speaks?.id;
  $("#write").hidden = !speaks;
  if (speaks) $("#seat-turns").lastElementChild?.scrollIntoView({ block: "nearest" });
}

/** Shows the passages of documents that the turn is given. */
function showPassages({ debate, unlisted }, passages) {
  $("#passages").hidden = passages.length === 0;
  if (!passages.length) return;
  setText($("#passage-example"), passages[0].id);
  $("#all-passages").hidden = unlisted;
  $("#all-passages").href = `/d/${encodeURIComponent(debate)}#evidence`;
  const key = passages.map(({ id }) => id).join();
  if ($("#passages").dataset.shown === key) return; // The reader keeps the place and the selection.
  $("#passages").dataset.shown = key;
  $("#passage-list").replaceChildren(...passages.flatMap(({ id, place, text }) => [
    h("dt", { dir: "auto" }, h("b", {}, `[${id}]`), ` ${place}`),
    h("dd", { dir: "auto" }, text),
  ]));
}

function invite({ invited, rules }) {
  setText($("#invitation-title"), invited);
  $("#rules").replaceChildren(...rules.map((rule) => h("li", {}, rule)));
}

function showTurns(shown) {
  const { turns: more, position, debate, unlisted } = shown;
  after = position;
  $("#watch").hidden = unlisted;
  // To a judge it would show the sides and the names; beside a statement its form shows what was said.
  $("#so-far").hidden = shown.questions.length > 0 || (isJudge(shown) && shown.state !== "concluded");
  if (!$("#watch").firstChild) {
    const href = `/d/${encodeURIComponent(debate)}`;
    $("#watch").append(h("a", { href, target: "_blank", rel: "noopener" }, SEAT.watch));
  }
  for (const turn of more) {
    turns.set(turn.turn, turn);
    $("#seat-turns").append(h(`li.${turn.side}`, {},
      h("p.who", {}, h("b", {}, SEAT.turn(turn.turn, turn.side)), turn.speaker && ` · ${turn.speaker}`),
      h("p.said", {}, turn.text)));
  }
  $("#no-turns").hidden = turns.size > 0;
}

/** A draft that stands in the debate now need not be kept. */
async function forgetSpoken() {
  const draft = await kept.get("draft");
  if (draft && turns.get(draft.turn)?.mine) await kept.remove("draft");
}

/** Shows a text whose turn is over and that was not sent. */
async function showUnsent(shown) {
  const speaks = shown?.request;
  const draft = await kept.get("draft");
  const isUnsent = Boolean(draft?.text?.trim()) && draft.id !== speaks?.id && !turns.get(draft.turn)?.mine;
  $("#unsent").hidden = !isUnsent;
  if (!isUnsent) return;
  $("#seat-table").hidden = false;
  const hasResigned = Boolean(shown?.has_resigned);
  const isLate = shown?.seat_state === "handed_over";
  setText($("#unsent-why"), SEAT.unsent(draft.turn, { isLate, hasResigned }));
  setText($("#unsent-text"), draft.text);
}

$("#take").addEventListener("click", async () => {
  $("#take").disabled = true;
  try {
    await seatApi.take();
    report(null);
  } catch (error) {
    report(error);
  }
  $("#take").disabled = false;
  look();
});

$("#resign").addEventListener("click", async () => {
  try {
    await seatApi.resign();
    report(null);
  } catch (error) {
    report(error);
  }
  look();
});

document.addEventListener("visibilitychange", () => document.hidden || look());
addEventListener("online", look);
openSecret().then(look);
