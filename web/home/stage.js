/** The exhibition that plays at the head of the first page. It is replayed from its frames, at a pace for readers. */

import { api } from "../parts/api.js";
import { $, h, setText } from "../parts/dom.js";
import { newestTurn } from "../replay/history.js";
import { merge } from "../replay/patch.js";
import { Player } from "../replay/player.js";
import { eventWords } from "../words/events.js";
import { capital, number } from "../words/formatting.js";
import { STAGE } from "../words/home.js";
import { NAME, SIDES, SIGN, outcomeWords } from "../words/words.js";

const EXHIBITION = "juries";
/** Times the pace of a reader: the stage is to give an impression. */
const SPEED = 2;
/** Events that say something to the reader. */
const TOLD = new Set([
  "turn_scored", "turns_compared", "claim_flagged", "claim_upheld", "claim_cleared", "points_penalised",
  "logic_gap_adjusted", "premise_dropped", "scorecard_verdict_reached", "narrative_verdict_reached",
]);

/**
 * Fetches the exhibition and plays it, unless the reader prefers less motion.
 * @returns {Promise<void>}
 */
export async function stage() {
  const root = $("#stage");
  let frames;
  try {
    ({ frames } = await api.exhibition(EXHIBITION));
  } catch {
    root.hidden = true; // The rest of the page works without it.
    return;
  }
  const player = new Player({
    view: async (at) => viewAt(frames, at),
    frames: async (after, limit) => ({ frames: frames.slice(after, after + limit), next: null }),
  });
  const button = $("#stage-toggle");
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
  let wasPlaying = false;

  function show() {
    if (player.view) draw(player, frames);
    const isOver = player.following;
    root.dataset.state = player.playing ? "playing" : isOver ? "ended" : "paused";
    setText(button, player.playing ? STAGE.pause : isOver ? STAGE.again : STAGE.play);
  }

  /** Nothing moves where no one looks. */
  function rest(isSeen) {
    if (!isSeen && player.playing) {
      wasPlaying = true;
      player.hold();
    } else if (isSeen && wasPlaying) {
      wasPlaying = false;
      player.play();
    }
  }

  button.addEventListener("click", () => {
    wasPlaying = false;
    if (player.playing) player.hold();
    else player.play();
  });
  player.speed = SPEED;
  player.isCalm = isCalm.matches;
  player.addEventListener("change", show);
  player.snapshot({ view: viewAt(frames, frames.length), speaking: null });
  if (isCalm.matches) await player.go(player.newest.turns[2].judged);
  else await player.play();
  document.addEventListener("visibilitychange", () => rest(!document.hidden));
  new IntersectionObserver(([{ isIntersecting }]) => rest(isIntersecting)).observe(root);
  isCalm.addEventListener("change", () => {
    player.isCalm = isCalm.matches;
    if (isCalm.matches) player.hold();
  });
}

function viewAt(frames, position) {
  return frames.slice(0, position).reduce((view, { patch }) => merge(view, patch), {});
}

function draw(player, frames) {
  const { view, speech, position } = player;
  const newest = newestTurn(view);
  const turn = view.turns[newest];
  setText($("#stage-motion"), view.motion);
  $("#stage-open").href = addressAt(position, player.following ? "" : "?play");
  if (turn) {
    const { side } = turn;
    const who = $("#stage-who");
    who.className = `who ${side}`;
    setText(who, `${SIGN[side]} ${STAGE.turn(NAME[side], newest, view.turns_planned)}`);
    const text = $("#stage-text");
    setText(text, turn.state === "speaking" ? (speech?.text ?? "") : turn.text);
    if (player.playing) text.scrollTop = text.scrollHeight;
  }
  $("#stage-scores").replaceChildren(...SIDES.map((side) => {
    const { composite } = view.scorecard[side];
    return h(`span.${side}`, {}, `${SIGN[side]} ${NAME[side]} `, h("b", {}, scoreWords(composite)));
  }));
  $("#stage-event").replaceChildren(view.conclusion ? `${capital(outcomeWords(view))}.` : told(view, frames, position));
}

const addressAt = (position, how) => `/exhibitions/${EXHIBITION}${how}#e${position}`;

const scoreWords = (composite) => (typeof composite === "number" ? number(composite, 1) : "–");

/** The newest event that says something to the reader: a link to its reasons. */
function told(view, frames, position) {
  const { event, position: at } = frames.slice(0, position).findLast(({ event: { type } }) => TOLD.has(type)) ?? {};
  if (!event) return STAGE.begins;
  const score = event.type === "turn_scored" ? view.turns[event.turn].composite : null;
  const words = `${capital(eventWords(event))}${typeof score === "number" ? `: ${number(score, 1)}` : ""}.`;
  return h("a", { href: addressAt(at, "") }, words);
}
