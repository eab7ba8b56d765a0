/** The page's wording: sides, numbers, states and events as a person would say them. */

export const SIGN = { pro: "▲", con: "▼" };
export const NAME = { __proto__: null, pro: "Pro", con: "Con", neither: "Neither" };
export const DIMENSIONS = ["logic", "rhetoric", "tactics", "frame_control", "credibility"];
export const IN_COMPOSITE = ["logic", "rhetoric", "tactics"];

/** `frame_control` → `frame control`; a name does not turn the words around it. */
export const plain = (name) => String(name).replaceAll("_", " ").replace(/[\u202a-\u202e\u2066-\u2069]/g, "");

/** The id of a claim, premise or argument: the page's own begin with a small letter. */
export const anchor = (name) => (/^[A-Z]/.test(name) ? name : `of-${name}`);

export const isMissing = (value) => typeof value === "object" && value !== null && "missing" in value;

/** A number as it is, with at most two decimals; `decimals` makes a column align. */
export function number(value, decimals) {
  if (typeof value !== "number") return "–";
  return decimals === undefined ? String(Math.round(value * 100) / 100) : value.toFixed(decimals);
}

/** A change with its sign: −2, +1, 0. */
export const signed = (value) => (value > 0 ? `+${number(value)}` : value < 0 ? `−${number(-value)}` : "0");

/** The fewest decimals that show every value as it is. */
export function decimalsOf(values) {
  return Math.max(0, ...values.map((value) => (number(value).split(".")[1] ?? "").length));
}

export const count = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

export const winnerWords = (winner) => (winner === "neither" ? "Nobody wins" : `${NAME[winner]} wins`);

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** `["a", "b", "c"]` → `a, b and c`. */
export const joined = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/** A figure of a panel, to two decimals; a missing one is a dash. */
export const figure = (value) => number(value, 2).replace("-", "−");

/** A share of 1 as a percentage. */
export const percent = (share) => `${number(share * 100, Math.abs(share * 1000 - Math.round(share * 100) * 10) < 0.5 ? 0 : 1)} %`;

export const STANDING = { UPHELD: "Upheld", PARTIALLY_UPHELD: "Upheld in part", REFUTED: "Refuted", UNCERTAIN: "Uncertain" };
export const STANDING_SIGN = { UPHELD: "✓", PARTIALLY_UPHELD: "◐", REFUTED: "✕", UNCERTAIN: "?" };
export const VERDICT = { PASS: "Pass", FAIL: "Fail", CONDITIONAL: "Conditional", pro: "Pro", con: "Con", tie: "Tie", neither: "Neither" };
export const VERDICT_SIGN = { PASS: "✓", FAIL: "✕", CONDITIONAL: "◐", pro: SIGN.pro, con: SIGN.con, tie: "=", neither: "=" };
export const FORMAT = { protocol: "protocol", deliberation: "artifact", calibration: "calibration" };
export const ROUND = { openings: "openings", cross_examination: "cross-examination", closings: "closings", judgement: "judgement" };

/** What a panel's items are called. */
export const itemWords = (item) => (/^\d+$/.test(item) ? `Turn ${item}` : item);

export function outcomeWords({ panel, conclusion, format }) {
  if (format === "calibration") return "raters measured";
  if (panel?.verdict) return panel.verdict.verdict ? `verdict ${VERDICT[panel.verdict.verdict]}` : "no verdict";
  if (conclusion.by_rule === "panel" && conclusion.winner === "neither") return "no winner is named";
  return `${winnerWords(conclusion.winner)} ${ruleWords(conclusion.by_rule)}`;
}

const RULE = { __proto__: null, scorecard: "the scorecard", narrative: "the narrative verdict", panel: "the panel", assessment: "the judge’s assessment" };
export const ruleWords = (rule) => `by ${RULE[rule] ?? plain(rule)}`;

const KIND = {
  __proto__: null,
  refuse: "refused", refused: "refused", timeout: "timed out", reset: "broke off", drip: "too slow", empty: "said nothing",
  overloaded: "overloaded", rate_limit: "rate limited", auth: "not let in", context_length: "too long for the model",
};
export const kindWords = (kind) => KIND[kind] ?? plain(kind);

const ASKED = {
  __proto__: null,
  open: "an opening was written", cross: "a cross-examination was written", close: "a closing was written",
  assess: "the judge weighed the arguments", panel: "a rater answered", deliberate: "a rater answered the others",
};
const answerWords = ({ purpose, turn }) => ASKED[purpose] ?? `the judge answered about turn ${turn ?? "all"}`;

/** One event in one line. */
export function eventWords(event) {
  const side = NAME[event.side];
  switch (event.type) {
    case "debate_opened": return "the debate opened";
    case "turn_started": return `${side} took the floor for turn ${event.turn}${event.attempt > 1 ? `, attempt ${event.attempt}` : ""}`;
    case "turn_spoken": return `${side} finished turn ${event.turn}, ${count(event.words, "word")}`;
    case "turn_failed": return `turn ${event.turn}, attempt ${event.attempt}: ${kindWords(event.kind)}`;
    case "attempt_abandoned": return `turn ${event.turn}, attempt ${event.attempt} does not count: ${plain(event.kind)}`;
    case "model_answered": return event.purpose === "speak" ? `the model delivered turn ${event.turn}` : answerWords(event);
    case "model_failed": return `a model call failed: ${kindWords(event.kind)}`;
    case "turn_scored": return event.missing ? `no score for turn ${event.turn}` : `turn ${event.turn} was scored`;
    case "turns_compared": return `turns ${event.earlier} and ${event.later} were compared`;
    case "score_harmonized": return `turn ${event.turn}: ${plain(event.dimension)} ${signed(event.applied)}, to its band`;
    case "penalty_applied": return `turn ${event.turn}: ${plain(event.dimension)} ${signed(event.applied)}, ${plain(event.rule)}`;
    case "penalty_reversed": return `turn ${event.turn}: ${plain(event.dimension)} ${signed(event.applied)}, given back`;
    case "logic_gap_adjusted": return `turn ${event.turn} was docked ${signed(event.applied)} for what turn ${event.exposed_by.turn} exposed`;
    case "claim_flagged": return `claim ${event.claim} was flagged`;
    case "claim_appealed": return `claim ${event.claim} was appealed`;
    case "claim_upheld": return `claim ${event.claim} was upheld`;
    case "claim_cleared": return `claim ${event.claim} was cleared`;
    case "premise_stated": return `${side} stated premise ${event.premise}`;
    case "premise_revised": return `premise ${event.premise} was revised`;
    case "premise_dropped": return `premise ${event.premise} was dropped in silence`;
    case "contradiction_found": return `${side} contradicts ${event.premises.join(", ")}`;
    case "check_missing": return `${event.purpose} of turn ${event.turn} were not checked: ${event.reason}`;
    case "finding_refused": return `a finding of the judge was refused: ${event.reason}`;
    case "injection_detected": return `turn ${event.turn} tries to instruct the judge`;
    case "pressure_applied": return `${side} feels the lost exchange`;
    case "traits_shifted": return `${side}’s traits moved`;
    case "directive_issued": return `${side} was told: ${event.text}`;
    case "narrative_verdict_reached": return "the narrative’s verdict";
    case "conflict_resolved": return "why the verdicts differ";
    case "convergence_assessed": return "where the debate ended up";
    case "scorecard_verdict_reached": return "the scorecard’s verdict";
    case "arguments_opened": return `${side} opened with ${count(event.arguments.length, "argument")}`;
    case "argument_cross_examined": return `${NAME[event.by]} answered ${event.target}`;
    case "cross_examination_faulted": return `${NAME[event.by]}’s cross-examination did not keep its form`;
    case "closing_stated": return `${side} closed`;
    case "fallacy_found": return `a fallacy in ${event.argument}: ${plain(event.fallacy)}`;
    case "argument_traced": return `${event.argument}: ${event.standing ? STANDING[event.standing].toLowerCase() : "no standing"}`;
    case "assessment_given": return "the judge’s assessment";
    case "panelist_scored": return event.missing ? `the ${event.rater} rater gave nothing` : `the ${event.rater} rater scored`;
    case "agreement_measured": return "the raters’ agreement was measured";
    case "opinion_given": return `${plain(event.rater)}, round ${event.round}: ${event.verdict ? VERDICT[event.verdict] : "no verdict"}`;
    case "deliberation_held": return `round ${event.round} of deliberation ended`;
    case "panel_concluded": return "the panel’s outcome";
    case "artifact_judged": return "the verdict on the artifact";
    case "decision_recorded": return "a person’s decision was recorded";
    case "rater_calibrated": return `the ${event.rater} rater on ${event.case}`;
    case "moderator_spoke": return `the moderator said: ${event.text}`;
    case "audience_voted": return "somebody voted";
    case "belief_stated": return `somebody said where they stand after turn ${event.turn}`;
    case "family_warned": return `judge and debater are of one family: ${event.family || "named at the end"}`;
    case "context_summarised": return "earlier turns were summarised for the model";
    case "debate_paused": return "paused";
    case "debate_resumed": return "resumed";
    case "debate_halted": return "halted";
    case "debate_concluded": return "the debate ended";
    case "withheld": return "withheld until the debate has ended";
    default: return plain(event.type);
  }
}

/** A moment as a reader's clock says it. */
export function moment(iso) {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? "" : at.toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}
