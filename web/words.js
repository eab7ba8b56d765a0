/** The page's wording: sides, numbers, states and events as a person would say them. */

export const SIGN = { pro: "▲", con: "▼" };
export const NAME = { pro: "Pro", con: "Con", neither: "Neither" };
export const DIMENSIONS = ["logic", "rhetoric", "tactics", "frame_control", "credibility"];
export const IN_COMPOSITE = ["logic", "rhetoric", "tactics"];

/** `frame_control` → `frame control`. */
export const plain = (name) => String(name).replaceAll("_", " ");

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

const RULE = { scorecard: "the scorecard", narrative: "the narrative verdict", panel: "the panel" };
export const ruleWords = (rule) => `by ${RULE[rule] ?? plain(rule)}`;

const KIND = {
  refuse: "refused", refused: "refused", timeout: "timed out", reset: "broke off", drip: "too slow", empty: "said nothing",
  overloaded: "overloaded", rate_limit: "rate limited", auth: "not let in", context_length: "too long for the model",
};
export const kindWords = (kind) => KIND[kind] ?? plain(kind);

/** One event in one line. */
export function eventWords(event) {
  const side = NAME[event.side];
  switch (event.type) {
    case "debate_opened": return "the debate opened";
    case "turn_started": return `${side} took the floor for turn ${event.turn}${event.attempt > 1 ? `, attempt ${event.attempt}` : ""}`;
    case "turn_spoken": return `${side} finished turn ${event.turn}, ${count(event.words, "word")}`;
    case "turn_failed": return `turn ${event.turn}, attempt ${event.attempt}: ${kindWords(event.kind)}`;
    case "attempt_abandoned": return `turn ${event.turn}, attempt ${event.attempt} was cut off`;
    case "model_answered": return event.purpose === "speak" ? `the model delivered turn ${event.turn}` : `the judge answered about turn ${event.turn ?? "all"}`;
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
    case "finding_refused": return `a finding of the judge was refused: ${event.reason}`;
    case "injection_detected": return `turn ${event.turn} tries to instruct the judge`;
    case "pressure_applied": return `${side} feels the lost exchange`;
    case "traits_shifted": return `${side}’s traits moved`;
    case "directive_issued": return `${side} was told: ${event.text}`;
    case "narrative_verdict_reached": return "the narrative’s verdict";
    case "conflict_resolved": return "why the verdicts differ";
    case "convergence_assessed": return "where the debate ended up";
    case "scorecard_verdict_reached": return "the scorecard’s verdict";
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
