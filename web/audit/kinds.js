/** The kinds of events by which the log is filtered, and how many there are of what the judge left open. */

import { CUT_OFF } from "../words/words.js";

const BEGINNINGS = {
  turns: ["turn_", "attempt_", "arguments_", "argument_cross", "cross_", "questions_", "closing_"],
  scores: [
    "turn_scored", "turn_rescored", "turns_compared", "score_", "penalty_", "logic_gap", "argument_traced",
    "assessment_", "fallacy_",
  ],
  claims: ["claim_", "finding_refused", "injection_"],
  premises: ["premise_", "contradiction_", "opponent_answered"],
  characters: ["pressure_", "traits_", "directive_"],
  "model calls": ["model_", "check_missing", "debate_audited"],
  panel: ["panel", "agreement_", "opinion_", "deliberation_", "artifact_", "decision_", "rater_"],
  verdicts: ["scorecard_verdict", "narrative_", "conflict_", "convergence_", "debate_concluded"],
  audience: ["audience_", "belief_", "poll_", "stance_"],
  moderator: ["debate_", "moderator_", "family_", "context_"],
};
const SCORED = ["turn_scored", "turn_rescored"];
const JUDGED = [...SCORED, "turns_compared", "narrative_", "conflict_", "convergence_", "debate_audited"];

const begins = (type, beginnings) => beginnings.some((start) => type.startsWith(start));

/** Whether an event says that something was not judged or not checked. */
function isUnchecked({ type, missing, absent }) {
  return type === "check_missing" || (begins(type, JUDGED) && Boolean(missing || absent));
}

/** What the judge left open, and its second looks: by name, whether an event belongs to it. */
const OPEN = {
  "no usable answer": ({ type, purpose, kind }) => {
    return type === "model_failed" && purpose !== "speak" && !CUT_OFF.has(kind);
  },
  "not checked": isUnchecked,
  "refused or corrected": ({ type }) => type === "finding_refused",
  "second opinions": ({ type }) => type === "claim_upheld" || type === "claim_cleared",
  "read in a shortened form": ({ type }) => type === "context_shortened",
  "closing audit": ({ type }) => type === "debate_audited",
};

/** The names of all kinds. */
export const KINDS = [...Object.keys(BEGINNINGS), ...Object.keys(OPEN)];

/**
 * @param {object} event
 * @param {string} kind
 * @returns {boolean} Whether the event is of this kind; true for a kind that does not exist.
 */
export function isOfKind(event, kind) {
  if (kind in OPEN) return OPEN[kind](event);
  if (!(kind in BEGINNINGS)) return true;
  return !(kind === "turns" && SCORED.includes(event.type)) && begins(event.type, BEGINNINGS[kind]);
}

/**
 * How many events there are of each kind that the judge left open, or looked at again.
 * @param {{event: object}[]} frames
 * @returns {[kind: string, events: number][]} Without those that do not occur.
 */
export function openKinds(frames) {
  return Object.keys(OPEN)
    .map((kind) => [kind, frames.filter(({ event }) => OPEN[kind](event)).length])
    .filter(([, events]) => events > 0);
}
