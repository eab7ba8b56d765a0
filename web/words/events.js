/** The sentences of events, which are loaded when the reader moves to an event or opens the audit. */

import { count, joined, plain, signed } from "./formatting.js";
import { CUT_OFF, NAME, STANDING, VERDICT, changeName, failureWords, reasonWords } from "./words.js";

/** The seat of a person by its name in the log: a side, the judge, or a rater. */
const seatName = (seat) => NAME[seat] ?? (seat === "judge" ? "the judge" : `rater ${plain(seat)}`);

/** What a model was asked, by the purpose of the call; `rest` is the key of the question without its purpose. */
const QUESTION = {
  __proto__: null,
  speak: ({ turn }) => `the speech of turn ${turn}`,
  open: () => "the opening",
  cross: () => "the cross-examination",
  answer: () => "answers to the other side’s questions",
  close: () => "the closing",
  score: ({ turn }) => `the score of turn ${turn}`,
  claims: ({ turn }) => `suspect claims in turn ${turn}`,
  premises: ({ turn }) => `the premises of turn ${turn}`,
  compare: ({ order }) => `which is better, read in the order turn ${order.join(", turn ")}`,
  gaps: ({ turn }) => `gaps that turn ${turn} exposes in earlier turns`,
  score_and_claims: ({ turn }) => `the score of turn ${turn}, and suspect claims in it`,
  gaps_and_premises: ({ turn }) => `gaps that turn ${turn} exposes in earlier turns, and its premises`,
  evidence: ({ turn }, rest) => {
    return `how passages bear on claims of turn ${turn}, ${rest.endsWith("backward") ? "passage" : "claim"} first`;
  },
  second_opinion: (_, rest) => `a second opinion on claim ${rest}`,
  audit: () => "the closing audit",
  narrative: (_, rest) => `the narrative verdict${rest ? ", with the speakers’ labels swapped" : ""}`,
  conflict: () => "why the two verdicts differ",
  convergence: () => "the agreement at the end",
  assess: () => "the standing of every argument",
  panel: (_, rest) => `the scores of rater ${plain(rest)}`,
  group: () => "which findings say the same",
  deliberate: (_, rest) => `rater ${plain(rest.replace(":", ", round "))} of deliberation`,
};

/** The question of a model call: `the score of turn 3`. */
function questionWords({ purpose, key = "", ...event }) {
  const asked = QUESTION[purpose]?.({ order: [], ...event }, key.split(":").slice(1).join(":")) ?? plain(purpose);
  return event.sample > 1 ? `${asked}, sample ${event.sample}` : asked;
}

const WHO = { __proto__: null, panel: "a rater", deliberate: "a rater" };
const DEBATERS = ["speak", "open", "cross", "answer", "close"];

function answerWords(event) {
  const { purpose } = event;
  if (DEBATERS.includes(purpose)) return `the model wrote ${questionWords(event)}`;
  return `${WHO[purpose] ?? "the judge"} answered: ${questionWords(event)}`;
}

const change = ({ turn, dimension, applied }) => `turn ${turn}: ${plain(dimension)} ${signed(applied)}`;

const decider = (by) => (by === "evidence" ? "the evidence" : `a second opinion (${by})`);

/** What is found of a citation, after “turn 3 cites E1: ”. */
const FINDINGS = {
  __proto__: null,
  verified: "the quoted words stand there",
  paraphrased: "no words are quoted",
  misquoted: "the quoted words do not stand there",
  misread: "the quoted words were not found, but the page was read badly",
  unknown_passage: "there is no such passage",
  uncited: "it cannot be checked",
};

const RELATIONS = {
  __proto__: null,
  supports: "supports",
  contradicts: "contradicts",
  beside_the_point: "is beside the point of",
  undecided: "has no decided relation to",
};

/** What an operator changed; an absent field stayed as it was. */
function labelWords({ title, tags, hidden, archived, link }) {
  const parts = [
    title !== undefined && (title ? `the title is now “${title}”` : "the title was removed"),
    tags !== undefined && (tags.length ? `the tags are now ${tags.join(", ")}` : "the tags were removed"),
    hidden !== undefined && (hidden ? "the debate was hidden" : "the debate is no longer hidden"),
    archived !== undefined && (archived ? "the debate was archived" : "the debate is no longer archived"),
    link !== undefined && (link ? "only readers with a new link see the debate" : "the debate is listed for all"),
  ].filter(Boolean);
  return parts.join("; ") || "the labels stayed as they were";
}

/** The sentence of each event, by its type. */
const EVENTS = {
  __proto__: null,
  debate_opened: () => "the debate opened",
  transcript_supplied: ({ source, turns }) => {
    return `a transcript with ${count(turns.length, "entry", "entries")} was supplied${source ? `: ${source}` : ""}`;
  },
  turn_started: ({ side, turn, attempt }) => {
    return `${NAME[side]} started turn ${turn}${attempt > 1 ? `, attempt ${attempt}` : ""}`;
  },
  turn_spoken: ({ side, turn, words, by }) => {
    const length = count(words, "word");
    if (by === "transcript") return `turn ${turn}, ${NAME[side]}, was taken from the transcript, ${length}`;
    return `${NAME[side]} finished turn ${turn}, ${length}`;
  },
  seat_link_made: ({ seat }) => `a link was made for the seat of ${seatName(seat)}`,
  seat_link_revoked: ({ seat }) => `the link of the seat of ${seatName(seat)} was revoked`,
  seat_taken: ({ seat }) => `the person for ${seatName(seat)} took the seat`,
  seat_connection_lost: ({ seat }) => `the connection of ${seatName(seat)} is lost, the clock goes on`,
  seat_returned: ({ seat }) => `${seatName(seat)} is connected again`,
  seat_resigned: ({ seat }) => `${seatName(seat)} resigned`,
  seat_handed_over: ({ seat, model, reason }) => {
    return `${model || "a model"} speaks for ${seatName(seat)} from now on, after a ${plain(reason)}`;
  },
  turn_failed: ({ turn, attempt, kind }) => `turn ${turn}, attempt ${attempt}: ${failureWords(kind)}`,
  attempt_abandoned: ({ turn, attempt, kind }) => `turn ${turn}, attempt ${attempt} does not count: ${plain(kind)}`,
  model_answered: answerWords,
  model_failed: (event) => {
    const asked = event.purpose ? `: ${questionWords(event)}` : "";
    if (CUT_OFF.has(event.kind)) return `call cut off${asked} (${plain(event.kind)})`;
    return `no usable answer${asked} (${failureWords(event.kind)})`;
  },
  turn_scored: ({ missing, absent, turn }) => {
    if (missing) return `no score for turn ${turn}: ${missing.reason}`;
    return `turn ${turn} was scored${absent ? `, without ${Object.keys(absent).map(plain).join(", ")}` : ""}`;
  },
  turns_compared: ({ earlier, later, missing }) => {
    return `turns ${earlier} and ${later} were ${missing ? `not compared: ${missing.reason}` : "compared"}`;
  },
  turn_rescored: ({ turn, components, missing }) => {
    if (missing) return `turn ${turn} was not scored again: ${missing.reason}`;
    const counts = components ? "the median of the readings counts" : "the first score stands";
    return `turn ${turn} was scored again, ${counts}`;
  },
  score_inferred: ({ turn, dimensions }) => {
    return `turn ${turn}: ${Object.keys(dimensions).map(plain).join(", ")} follow from its comparisons`;
  },
  score_capped: (event) => `${change(event)}, ${changeName(event.rule)}`,
  score_harmonized: (event) => `${change(event)}, ${changeName(event.rule)}`,
  penalty_applied: (event) => `${change(event)}, ${changeName(event.rule)}`,
  penalty_reversed: (event) => `${change(event)}, penalty reversed`,
  logic_gap_adjusted: ({ turn, applied, exposed_by: by }) => {
    const shows = by.turn > turn ? "exposed" : "shows";
    return `turn ${turn} changed by ${signed(applied)} for a gap that turn ${by.turn} ${shows}`;
  },
  claim_flagged: ({ claim }) => `claim ${claim} was flagged`,
  claim_appealed: ({ claim }) => `claim ${claim} was appealed`,
  claim_upheld: ({ claim, by }) => `${decider(by)} upheld claim ${claim}`,
  claim_cleared: ({ claim, by }) => `${decider(by)} cleared claim ${claim}`,
  evidence_supplied: ({ document }) => `document ${document.name} is evidence`,
  citation_checked: ({ citation, turn, passage, finding }) => {
    const cited = passage || "a source outside the evidence";
    return `turn ${turn} cites ${cited} (${citation}): ${FINDINGS[finding] ?? finding}`;
  },
  evidence_weighed: ({ turn, passage, relation }) => {
    return `passage ${passage} ${RELATIONS[relation] ?? relation} a claim of turn ${turn}`;
  },
  premise_stated: ({ side, premise }) => `${NAME[side]} stated premise ${premise}`,
  premise_revised: ({ premise }) => `premise ${premise} was revised`,
  premise_dropped: ({ premise }) => `premise ${premise} was dropped without mention`,
  premise_withdrawn: ({ premise }) => `premise ${premise} was withdrawn openly, a concession`,
  contradiction_found: ({ side, premises }) => `${NAME[side]} contradicts ${premises.join(", ")}`,
  opponent_answered: ({ turn, answered = [] }) => {
    return `turn ${turn} answers ${joined(answered) || "no premise of the other side"}`;
  },
  check_missing: ({ purpose, turn, reason }) => `${purpose} of turn ${turn} were not checked: ${reason}`,
  debate_audited: ({ found, missing }) => {
    const docked = found ? `took points from ${count(found, "turn")}` : "took no points";
    return `the closing audit ${missing ? `was not made: ${missing.reason}` : docked}`;
  },
  finding_refused: ({ about, reason }) => {
    const of = about ? ` about turn ${about}` : "";
    const isPaid = reason.startsWith("nothing is left to pay");
    return `a finding of the judge${of} ${isPaid ? "is paid for" : "was refused"}: ${reasonWords(reason)}`;
  },
  injection_detected: ({ turn }) => `turn ${turn} tries to instruct the judge`,
  pressure_applied: ({ side, turn }) => `${NAME[side]} is under pressure after turn ${turn}`,
  traits_shifted: ({ side }) => `${NAME[side]}’s traits changed`,
  directive_issued: ({ side, text }) => `a directive was issued to ${NAME[side]}: ${text}`,
  narrative_verdict_reached: () => "the narrative verdict",
  conflict_resolved: () => "why the verdicts differ",
  convergence_assessed: () => "the agreement at the end was assessed",
  scorecard_verdict_reached: () => "the scorecard’s verdict",
  arguments_opened: (event) => `${NAME[event.side]} opened with ${count(event.arguments.length, "argument")}`,
  argument_cross_examined: ({ by, target }) => `${NAME[by]} cross-examined ${target}`,
  cross_examination_faulted: ({ by }) => `${NAME[by]}’s cross-examination did not keep its form`,
  questions_answered: ({ side, answers }) => {
    return `${NAME[side]} answered ${count(Object.keys(answers).length, "question")}`;
  },
  closing_stated: ({ side, shift }) => `${NAME[side]} closed${shift ? `, its position ${shift}` : ""}`,
  fallacy_found: ({ argument, fallacy, by }) => {
    return `a fallacy in ${by ? "the cross-examination of " : ""}${argument}: ${plain(fallacy)}`;
  },
  argument_traced: ({ argument, standing }) => `${argument}: ${STANDING[standing]?.toLowerCase() ?? "no standing"}`,
  assessment_given: () => "the judge’s assessment",
  panelist_scored: ({ missing, rater }) => `rater ${plain(rater)} ${missing ? "gave no scores" : "scored"}`,
  agreement_measured: () => "the raters’ agreement was measured",
  opinion_given: ({ rater, round, verdict }) => {
    return `${plain(rater)}, round ${round}: ${verdict ? VERDICT[verdict] : "no verdict"}`;
  },
  deliberation_held: ({ round }) => `round ${round} of deliberation ended`,
  panel_concluded: () => "the panel’s outcome",
  artifact_judged: () => "the verdict on the artifact",
  decision_recorded: () => "a person’s decision was recorded",
  rater_calibrated: (event) => `the ${event.rater} rater on ${event.case}`,
  moderator_spoke: ({ text }) => `the moderator said: ${text}`,
  audience_voted: () => "a spectator voted",
  poll_opened: ({ when }) => `the ${when === "before" ? "first" : "second"} vote of the audience began`,
  poll_closed: ({ when, cast }) => `the ${when === "before" ? "first" : "second"} vote closed: ${count(cast, "voter")}`,
  stance_stated: () => "a voter voted in the poll",
  belief_stated: ({ turn }) => `a spectator stated a belief after turn ${turn}`,
  family_warned: ({ family }) => `judge and debater are of one family: ${family || "named at the end"}`,
  context_shortened: ({ turn }) => `from turn ${turn} on the judge reads earlier turns in a shortened form`,
  context_summarised: () => "earlier turns were summarised for the model",
  debate_labelled: labelWords,
  debate_paused: () => "paused",
  debate_resumed: () => "resumed",
  debate_halted: () => "halted",
  debate_concluded: () => "the debate ended",
  lab_measured: ({ effects }) => `the judge was measured: ${count(effects.length, "figure")}`,
  withheld: () => "withheld until the debate has ended",
};

/** The beginnings of the types of events, by who makes them happen. */
const JUDGES = [
  "turn_scored", "turns_", "claim_flagged", "claim_upheld", "claim_cleared", "premise_", "contradiction_",
  "opponent_answered", "check_missing", "finding_refused", "injection_", "argument_traced", "assessment_", "fallacy_",
  "narrative_", "conflict_", "convergence_", "debate_audited",
];
const SPOKEN = [
  "turn_started", "turn_spoken", "turn_failed", "attempt_", "arguments_", "cross_", "questions_", "closing_",
  "seat_resigned",
];
const RATERS = ["panelist_", "opinion_", "rater_"];
const RULES = [
  "claim_appealed", "score_", "penalty_", "logic_gap", "pressure_", "traits_", "directive_", "scorecard_",
  "seat_handed_over", "agreement_", "panel_", "deliberation_", "artifact_", "debate_concluded", "family_", "context_",
];

/**
 * Who made an event happen.
 * @param {object} event
 * @param {"pro" | "con" | undefined} side The side of the event's turn.
 * @returns {"pro" | "con" | "judge" | "rater" | "rules" | "people"}
 */
export function actor({ type, purpose, side: own, by }, side) {
  const begins = (beginnings) => beginnings.some((start) => type.startsWith(start));
  if (type.startsWith("model_")) {
    if (DEBATERS.includes(purpose)) return side ?? "rules";
    return purpose in WHO ? "rater" : "judge";
  }
  if (type === "argument_cross_examined" || begins(SPOKEN)) return own ?? by ?? side ?? "rules";
  if (begins(JUDGES)) return "judge";
  if (begins(RATERS)) return "rater";
  return begins(RULES) ? "rules" : "people";
}

/**
 * One event as a sentence, in small letters and without a full stop.
 * @param {object} event
 * @returns {string}
 */
export const eventWords = (event) => EVENTS[event.type]?.(event) ?? plain(event.type);
