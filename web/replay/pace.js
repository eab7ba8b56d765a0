/**
 * The pace of a replay: how long the cursor stays at each event. All times are in ms at speed 1.
 *
 * `reading` is the pace of a reader; `recorded` is that of the debate, as the log has it.
 */

import { head, points, spokenBy } from "../parts/text.js";

/** Code points a second, as most people read. */
export const READING_RATE = 22;
/** The recorded pace shortens every silence that is longer than this. */
export const LONGEST_SILENCE_MS = 10_000;
/** A judge's text is shown at most this long. */
const LONGEST_HOLD_MS = 12_000;
/** A text with fewer code points than this is a name, not prose. */
const PROSE = 20;
/** How long an event is shown. Other events take no time. */
const HOLD_MS = {
  turn_spoken: 700,
  turn_failed: 1_200,
  turn_scored: 3_500,
  turns_compared: 1_200,
  turn_rescored: 3_500,
  score_inferred: 2_000,
  score_capped: 500,
  score_harmonized: 500,
  penalty_applied: 800,
  logic_gap_adjusted: 4_000,
  claim_flagged: 1_200,
  claim_upheld: 1_000,
  claim_cleared: 2_000,
  premise_dropped: 800,
  premise_withdrawn: 800,
  moderator_spoke: 3_000,
  scorecard_verdict_reached: 4_000,
  agreement_measured: 2_000,
  fallacy_found: 1_500,
};
/** An answer of the judge only moves a count. */
const ANSWER_MS = 250;
/** What a side says by protocol: it is read whole. */
const STATEMENTS = new Set(["arguments_opened", "argument_cross_examined", "questions_answered", "closing_stated"]);
/** What a judge writes. */
const JUDGED = new Set([
  "argument_traced", "assessment_given", "panelist_scored", "opinion_given", "panel_concluded", "artifact_judged",
  "narrative_verdict_reached", "conflict_resolved", "convergence_assessed",
]);

/** @param {number} length In code points. @returns {number} The time in which a text is read. */
export const readingMs = (length) => (length / READING_RATE) * 1000;

/** The length of all prose in an event. */
function proseIn(value) {
  if (typeof value === "string") {
    const length = points(value);
    return length < PROSE ? 0 : length;
  }
  return value && typeof value === "object" ? Object.values(value).reduce((sum, each) => sum + proseIn(each), 0) : 0;
}

function holdMs(event) {
  if (STATEMENTS.has(event.type)) return readingMs(proseIn(event));
  if (JUDGED.has(event.type)) return Math.min(LONGEST_HOLD_MS, readingMs(proseIn(event)));
  if (event.type === "model_answered" && event.purpose && event.purpose !== "speak") return ANSWER_MS;
  return HOLD_MS[event.type] ?? 0;
}

/**
 * @typedef {object} Place Where a replay stands.
 * @property {object} frame The frame at the cursor.
 * @property {object} next The frame after it.
 * @property {object | null} spoken The event with the text that is being spoken at the cursor.
 * @property {number} elapsed The time since the spoken turn began.
 * @property {boolean} isCalm Whether a turn appears whole.
 */

/** Whether a turn came in one piece, from a transcript or a person: it has no recorded pace. */
const cameWhole = (spoken) => ["transcript", "person"].includes(spoken?.by);

const timeOf = (frame) => Date.parse(frame.at);

/**
 * The paces by name, each with `wait`: how long to stay at a place; `text`: what is spoken by a time; `limit`: the time
 * that a text takes which is still being spoken, for the replay is never ahead of the debate.
 */
export const PACES = {
  reading: {
    wait({ frame, next, spoken, elapsed, isCalm }) {
      if (spoken) return next.event === spoken ? Math.max(0, readingMs(points(spoken.text)) - elapsed) : 0;
      const { event } = frame;
      const isWhole = isCalm && event.type === "turn_spoken";
      return holdMs(event) + (isWhole ? readingMs(points(event.text)) : 0);
    },
    text({ text }, elapsed) {
      const count = Math.min(points(text), Math.floor((elapsed / 1000) * READING_RATE));
      return { text: head(text, count), points: count };
    },
    limit: (speech) => readingMs(speech.points),
  },
  recorded: {
    wait(place) {
      const { frame, next, spoken } = place;
      if (cameWhole(spoken)) return PACES.reading.wait(place);
      const silence = timeOf(next) - timeOf(frame);
      return spoken ? silence : Math.min(silence, LONGEST_SILENCE_MS);
    },
    text(spoken, elapsed) {
      if (cameWhole(spoken)) return PACES.reading.text(spoken, elapsed);
      const { text, pace } = spoken;
      return pace ? spokenBy(text, pace, elapsed) : { text, points: points(text) };
    },
    limit: () => Infinity,
  },
};
