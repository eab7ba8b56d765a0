/**
 * The words of the page: every sentence, label and message that its modules show. Those of the HTML files stand there.
 *
 * Shared words come first, then the words of each part under the name of its module, then the sentences of events.
 * Words that not every page needs are in modules of their own beside this one.
 */

import { count, grouped, joined, moment, number, plain } from "./formatting.js";

/** The sign of each side, for readers who cannot tell the colours apart. */
export const SIGN = { pro: "▲", con: "▼" };
/** Both sides, in the order in which they are shown. */
export const SIDES = ["pro", "con"];
/** The name of each side, as the winner of a comparison. */
export const NAME = { __proto__: null, pro: "Pro", con: "Con", neither: "Neither" };
/** Where a speech comes from, in a word beside its speaker. */
export const ORIGIN = { model: "AI-generated", script: "scripted", person: "a person", transcript: "transcript" };

/**
 * A reason that Moot wrote, with the names of the sides: `pro 56, con 69.7`.
 * @param {string} reason
 * @returns {string}
 */
export const sidesNamed = (reason) => reason.replace(/\b(?:pro|con)\b/g, (side) => NAME[side]);

/** The dimensions of a score, in the order of the scorecard. */
export const DIMENSIONS = ["logic", "rhetoric", "tactics", "frame_control", "credibility"];
/** The dimensions of which the composite consists. */
export const IN_COMPOSITE = ["logic", "rhetoric", "tactics"];
/** In the place of a model's name while a debate is blind. */
export const UNNAMED = "model named at the end";

/** The standing of an argument. */
export const STANDING = {
  UPHELD: "Upheld",
  PARTIALLY_UPHELD: "Upheld in part",
  REFUTED: "Refuted",
  UNCERTAIN: "Uncertain",
};
/** The sign of a standing. */
export const STANDING_SIGN = { UPHELD: "✓", PARTIALLY_UPHELD: "◐", REFUTED: "✕", UNCERTAIN: "?" };
/** The verdict on an artifact or a debate. */
export const VERDICT = {
  PASS: "Pass",
  FAIL: "Fail",
  CONDITIONAL: "Conditional",
  pro: "Pro",
  con: "Con",
  tie: "Tie",
  neither: "Neither",
};
/** The sign of a verdict. */
export const VERDICT_SIGN = { PASS: "✓", FAIL: "✕", CONDITIONAL: "◐", ...SIGN, tie: "=", neither: "=" };
/** The formats that are marked as such; an exchange is not. */
export const FORMAT = {
  protocol: "protocol",
  deliberation: "artifact",
  calibration: "calibration",
  lab: "lab",
  answers: "two answers",
  consultancy: "consultancy",
};
/** The rounds of a protocol, in order. */
export const ROUND = {
  openings: "openings",
  cross_examination: "cross-examination",
  answers: "answers",
  closings: "closings",
  judgement: "judgement",
};

/**
 * @param {View} view
 * @returns {string[]} The rounds of one protocol; older ones have no answers.
 */
export const roundsOf = (view) => Object.keys(ROUND).filter((name) => name !== "answers" || view.turns_planned > 6);

/**
 * The outcome of a concluded debate in a few words: those of the server where there are sides.
 * @param {View} view
 * @returns {string}
 */
export function outcomeWords({ outcome, panel, format }) {
  if (outcome) return outcome.headline;
  if (panel?.verdict) return panel.verdict.verdict ? `verdict ${VERDICT[panel.verdict.verdict]}` : "no verdict";
  return format === "lab" ? "judge measured" : "raters measured";
}

const FAILURE = {
  __proto__: null,
  refuse: "refused",
  refused: "refused",
  timeout: "timed out",
  reset: "broke off",
  drip: "was too slow",
  empty: "returned no text",
  overloaded: "overloaded",
  rate_limit: "rate limited",
  auth: "not authorised",
  context_length: "too long for the model",
  resigned: "the person has resigned",
};

/**
 * @param {string} kind The kind of a failed model call.
 * @returns {string}
 */
export const failureWords = (kind) => FAILURE[kind] ?? plain(kind);

/** Errors of requests. */
export const ERRORS = {
  failed: "The server could not do that.",
  unreachable: "The server does not answer. Is it still running?",
  embedded: "This is an embedded debate. Open it in Moot to take part.",
  notInCopy: "This copy does not contain that.",
  copyIsReadOnly: "This is a copy: it can only be read.",
};

/** Errors of the connection. */
export const FEED = {
  notFound: "There is no such debate.",
  notAllowed: "You may not open this debate.",
};

// The page of a debate

/** The page as a whole. */
export const DEBATE = {
  watching: (spectators) => `${grouped(spectators)} watching`,
  notHere: "Not found",
  notFound: "There is no debate at this address",
  notShown: "This debate cannot be shown",
  deleted: "This debate has been deleted",
  deletedNow: "It was deleted while this page was open.",
  transcript: "Transcript",
  record: "Record",
  partFailed: "A part of this page could not be loaded. Reload the page.",
  auditFailed: "The audit could not be loaded. Reload the page.",
};

/** The head of the page. */
export const HEADER = {
  kind: {
    exchange: "Exchange: speeches in turn, each one scored",
    protocol: "Protocol: a debate in rounds",
    deliberation: "An artifact before a panel",
    calibration: "Raters judge debates with a known outcome",
    answers: "A question with two answers",
    consultancy: "Consultancy: a model argues for an assigned answer",
  },
  opened({ opened_at: openedAt, format, turns_planned: turns, max_words: words }) {
    const lengths = {
      exchange: `${count(turns, "turn")}${words ? ` of at most ${count(words, "word")}` : ""}`,
      protocol: `opening, cross-examination${turns > 6 ? ", answers" : ""} and closing of each side`,
    };
    return [`Opened ${moment(openedAt)}`, lengths[format]].filter(Boolean).join(" · ");
  },
  judgedTranscript: "Transcript: what was said elsewhere, each turn scored",
  judgedAgain: "The turns of another debate, judged again",
  supplied: "Transcript supplied:",
  turnsOf: "The turns of another debate:",
  source(source, licence) {
    return [source ?? "its source is named at the end", licence && `licence: ${licence}`].filter(Boolean).join(" · ");
  },
  inTranscript: "in the transcript",
  inDebate: "in the debate that is judged again",
  digest: (digest) => `SHA-256: ${digest}`,
  origin: { rejudge: "Judged again:", fork: "A fork of" },
  compare: "Compare with the first judging",
  made: {
    rejudge: (judge) => `Judged again${judge ? ` by ${judge}` : ""}`,
    fork: (position) => `Forked at event ${position}`,
  },
  compareWith: "compare",
  originAt: (position) => `the debate up to event ${position}`,
  about: (roles) => `Note on ${roles}`,
  foreign: (language) => `In ${language}, which is not the debate’s language: `
    + "passages are found by numbers and names only.",
  takeover: (side) => `the model that takes over for ${side}`,
  family: (family) => `they are models of one family (${family}). Judges favour models of their own family.`,
  judge: "Judge",
  theJudge: "the judge",
  rubric: (name) => `rubric ${name}`,
  brief: "asked briefly",
  panel: "Panel",
  rater: (title) => title,
  everyRater: "every rater",
  round: (round, all, name) => `Round ${round} of ${all}: ${name}`,
  rounds: (all) => (all > 3 ? "Four rounds" : "Three rounds"),
  panelWorking: "The panel is at work",
  deliberation: (round) => `Deliberation, round ${round}`,
  independent: "Independent opinions",
  sum: (known, unknown) => (unknown ? `at least ${known}` : known),
  usage({ calls, failed_calls: failed, tokens, cached_tokens: cached, unpriced_calls: unpriced }) {
    const unknown = unpriced ? `, ${unpriced} of unknown cost` : "";
    const read = cached ? ` (${grouped(cached)} from a cache)` : "";
    return `${count(calls, "model call")}, ${failed} failed, ${count(tokens, "token")}${read}${unknown}`;
  },
  aboutName: (notes) => (notes ? `About · ${count(notes, "note")}` : "About"),
  score: "Score",
  scoreOf: (pro, con) => `Score: Pro ${pro}, Con ${con}`,
  places: [
    ["briefing", "Briefing"],
    ["verdict", "Verdict"],
    ["case-pro", "Arguments"],
    ["closings", "Closings"],
    ["panel", "Panel"],
    ["deliberation", "Deliberation"],
    ["text", "Text"],
  ],
};

/** The status of the connection and the debate. */
export const STATUS = {
  connection: {
    connecting: "Connecting…",
    "catching-up": "Catching up…",
    reconnecting: "Reconnecting…",
    silent: "No word for 12 s, trying again…",
    offline: "Offline, waiting for the network…",
    refused: "Not available",
  },
  replaying: (speed) => `Replaying at ${speed}×`,
  showing: (speed) => `Playing at reading speed${speed === 1 ? "" : ` ×${speed}`}`,
  readingBack: "Reading back",
  copy: (position) => `A copy, exported at event ${position}`,
  ended: "Ended",
  endedWith: (outcome) => `Ended: ${outcome}`,
  halted: "Debate halted",
  paused: "Debate paused",
  live: (wait) => (wait ? `Live, ${wait}` : "Live"),
  vote: { __proto__: null, before: "the first vote is open", after: "the second vote is open" },
};

/** The foot of the page. */
export const TIMELINE = {
  slider: (position, head, words) => `${TIMELINE.position(position, head)}${words && `: ${words}`}`,
  position: (position, head) => `event ${position}${head ? ` of ${head}` : ""}`,
  pause: "Pause my view",
  hold: "Pause my view",
  play: "Play",
  playFromStart: "Play from the start",
  back: (isLive, unseen) => `${isLive ? "Back to live" : "To the end"}${unseen ? ` · ${unseen} new` : ""}`,
};

/** A probability in whole percent, rounded down as in the server's sentences: no figure claims more. */
/** In percent. */
export const percentSure = (value) => (value > 0.995 ? "over 99 %" : `${Math.floor(value * 100 + 1e-9)} %`);

/** The bar that says who leads. */
export const BAR = {
  none: "no score yet",
  sure: " sure",
  label([pro, con], isNone) {
    return isNone ? "No score yet" : `${NAME.pro} ${number(pro, 1)}, ${NAME.con} ${number(con, 1)}`;
  },
  curve: "The lead over the debate",
  pin: (name) => `Moment ${name}`,
};

/** The lead in words. */
export const LEAD = {
  leads: (side, margin) => (margin ? `${SIGN[side]} ${NAME[side]} +${number(margin, 1)}` : LEAD.level),
  level: "Level",
  none: "No lead yet: each side needs a score.",
  noise: (isWithin, noise) => [`, ${isWithin ? "within" : "beyond"} `, "the judge’s ", `noise ${number(noise, 1)}`],
  noiseTitle: "Asked again, this judge would give another lead. A lab run has measured by how much it differs.",
  sure: (certainty) => ["", "", `, ${percentSure(certainty)} sure`],
  sureTitle: "How probable it is that this side is ahead, by how far scores and comparisons lie apart in this debate.",
  unsure: "Not distinguishable",
  unsureTitle: "The lead is not sure enough to name a side.",
  spread: (points) => ["", "", ` ±${number(points, 1)}`],
  spreadTitle: "The judge read each turn several times. On average, its scores of one turn lie within this range.",
  notWeighed: "No lead yet: the judge weighs the arguments after the closings.",
  upheld: (pro, con) => `Upheld so far: ${SIGN.pro} ${NAME.pro} ${pro}, ${SIGN.con} ${NAME.con} ${con}`,
  noTotals: "No lead: a side has no total.",
  means: ([pro, con]) => `${SIGN.pro} ${number(pro, 1)}, ${SIGN.con} ${number(con, 1)}`,
  totals([pro, con], maximum) {
    const total = (value) => (typeof value === "number" ? `${number(value, 1)}/${maximum}` : "no total");
    return `${SIGN.pro} ${total(pro)}, ${SIGN.con} ${total(con)}`;
  },
  panel({ winner, leaning }) {
    if (winner !== "neither") return `the panel: ${SIGN[winner]} ${NAME[winner]}`;
    if (leaning in SIGN) return `the panel names no winner, it leans to ${NAME[leaning]}`;
    return "the panel names no winner";
  },
  changed: (title, { from, to }) => `${title} changed from ${VERDICT[from]} to ${VERDICT[to]}`,
  verdict: (verdict) => `${VERDICT_SIGN[verdict]} ${VERDICT[verdict]}`,
  noVerdict: "No verdict",
  opinions: (counts) => counts.map(([verdict, raters]) => {
    return `${VERDICT_SIGN[verdict]} ${VERDICT[verdict]} ${raters}`;
  }).join(", "),
  noOpinions: (raters) => `No opinion yet from ${count(raters, "rater")}.`,
  closeTitle: "No side is ahead so far: the means are too close, or too few turns are judged.",
  see: "→ see",
  /** The same beside the scorecard, before its quote or its score. */
  movedShort({ turn, by, applied, again }) {
    if (by && by !== turn) return `turn ${by} ${by > turn ? "exposed" : "shows a flaw in"} turn ${turn}: `;
    if (again) return `turn ${turn} was scored again: `;
    if (applied === undefined) return `turn ${turn} was scored `;
    return `turn ${turn} ${applied > 0 ? "gained" : "lost"} ${count(Math.abs(applied), "point")}: `;
  },
  /** What moved the lead: a member of `moves`. */
  moved({ turn, composite, before, applied, by, again }, turns) {
    const named = (n) => (turns[n] ? `${SIGN[turns[n].side]} ${NAME[turns[n].side]}’s turn ${n}` : `turn ${n}`);
    if (applied === undefined) {
      return `${named(turn)} scored ${number(composite, 1)}/${turns[turn]?.composite_maximum ?? 100}`;
    }
    const points = applied > 0 ? `+${number(applied)}` : `−${number(-applied)}`;
    const docked = by > turn ? "" : `turn ${turn}: `;
    if (by) return `${exposure(by, turn, named)} (${docked}${points})`;
    if (again) return `${named(turn)} was scored again: ${number(composite, 1)} after ${number(before, 1)}`;
    const what = applied > 0 ? "gained" : "lost";
    return `${named(turn)} ${what} ${count(Math.abs(applied), "point")}`;
  },
};

/** A flaw in turn `turn` that the words of turn `by` show; the closing audit finds such words in any turn. */
function exposure(by, turn, named) {
  if (by === turn) return `${named(turn)} shows a flaw of its own`;
  return `${named(by)} ${by > turn ? "exposed" : "shows a flaw in"} ${named(turn)}`;
}

/** The way back to the newest words. */
export const FOLLOW = {
  catchUp: (turns) => (turns > 0 ? `${count(turns, "turn")} behind · catch up` : "Catch up"),
};

/**
 * @param {{answered: number, asked: number}} known
 * @returns {string}
 */
export const answeredWords = ({ answered, asked }) => `${answered} of ${asked} questions answered`;

/** The transcript. */
export const TRANSCRIPT = {
  was: (score) => `was ${score}`,
  exposed: (turns) => `exposed a flaw in ${joined(turns.map((turn) => `turn ${turn}`))}`,
  attempt: (attempt, failure) => `Attempt ${attempt} ${failure}`,
  resigned: "The person has resigned.",
  retry(wasRetried, isRunning) {
    if (wasRetried) return "Tried again.";
    return isRunning ? "It will be tried again." : "It has not been tried again.";
  },
  moderator: "The moderator",
  cited: {
    verified: "the quoted words stand in the passage",
    paraphrased: "no words of the passage are quoted",
    misquoted: "the quoted words do not stand in the passage",
    misread: "the quoted words were not found, but the page was read badly",
    unknown_passage: "the evidence has no such passage",
  },
  waiting: "is about to speak",
  writing: (name) => `${name} is writing`,
  absent: (name) => `${name} has the turn, and has not taken the seat yet`,
  speaking: "speaking",
  clipped: (limit) => `Cut short: a turn has at most ${limit}.`,
  answeredBy: (model) => `Answered by ${model}.`,
  judging: (known) => `The judge is reading this turn${known ? `: ${answeredWords(known)}` : ""}`,
  notJudged: "Not judged yet",
  repetition: (share) => `${share} % of this turn repeats earlier turns of the same side word for word.`,
  injection: "Tries to instruct the judge: ",
  noComparison: (turn, reason) => `No comparison with turn ${turn}: ${reason}.`,
  against: (turn) => `Against turn ${turn}: `,
  result: { later: "won", earlier: "lost", draw: "drawn" },
  degree: { clear: " clearly", slight: " slightly" },
  compared: (turn) => `Compared with turn ${turn}`,
  order: (sides) => `Read in the order ${sides.join(", ")}: `,
  pressure: (turn) => `Pressure on the debater after turn ${turn}, from 0 to 1: `,
  noPressure: "none",
  directive: "Directive",
  concession: (premise) => `Concession, it withdraws ${premise} openly`,
  unchecked: (parts) => `Not checked: ${parts.join("; ")}.`,
  flipped: " (the two orders disagreed)",
  open: "The debate is open, and Pro speaks first. The text appears here as it is spoken. A score follows every turn.",
  empty: "The debate has no turns.",
};

/** The scores of a turn. */
export const SCORES = {
  none: "No score: ",
  absent: (name, reason) => `No score for ${name}: ${reason}.`,
  median: "the median of the readings gives ",
  inferred: (names) => `No score for ${names.join(", ")}: the points follow from the comparisons of the turn.`,
  revised: "revised: ",
  given: "the judge gave ",
  admitted: "when it was judged ",
  changedLater: "changed later",
  lowered: "lowered by rule",
  raised: "raised by rule",
  why: "why this score",
  entries: "Every entry, in order",
  notInComposite: "not in the composite",
  unverified: "not found in the turn: at most half the points count",
  rules: "Rules",
};

/** Short notes of the rules in the reason of a scorecard, and their plain words: see server/export/reasons.py. */
const REASONS = [
  [/: within ([\d.]+) (\w+) decides: /, ": at most $1 apart, so the mean $2 decides: "],
  [/: within ([\d.]+) nobody wins$/, ": at most $1 apart, so nobody wins"],
];

/**
 * What the scorecard recorded as its reason, in plain words.
 * @param {string} reason
 * @returns {string}
 */
export const reasonWords = (reason) => REASONS.reduce((text, [found, words]) => text.replace(found, words), reason);

/** The ledger of a turn's score. */
export const LEDGER = {
  given: (passages) => `The debater was given the passages ${passages.join(", ")}.`,
  routine: (entries, sum) => `${count(entries, "routine adjustment")}, ${sum}`,
  justNow: (entries) => `${count(entries, "change")} just now`,
  routineOf: (turn) => `Routine adjustments of the score of turn ${turn}`,
  turn: (turn) => `turn ${turn}: `,
  changesOf: (turn) => `Changes of the score of turn ${turn}`,
  of: (turn) => `The ledger of turn ${turn}`,
  loading: "Loading the ledger…",
  seeEvent: "see the event",
  initial: "the judge’s points, as admitted by the rules",
  capped: "the requested points are struck through",
  amounts: (requested, applied) => `requested ${requested}, applied ${applied}`,
  because: (cause) => `because of event ${cause}`,
  before: "as it was before",
  call: (name) => `the ${name.startsWith("panel.") ? "rater" : "judge"}’s question and answer (${name})`,
};

/** The sidebar of an exchange. */
export const SIDEBAR = {
  noScores: "No turn has been judged yet. After the first score, the mean of each dimension appears here.",
  noScore: "no score",
  more: "More",
  mean: "Mean",
  turnState: { __proto__: null, speaking: "speaking", spoken: "judging" },
  claim: "suspect claim",
  premise: "premise",
  characters: "Characters",
  exchangesWon: "exchanges won",
  judgedTurns: "judged turns",
  ahead: " is ahead so far.",
  unsure: (certainty) => ` leads so far, ${percentSure(certainty)} sure: not distinguishable.`,
  means: "Scores are means over judged turns.",
  sums: "Not the mean of the turns: the sum of the components, each as its mean over the turns in which it counts.",
  leads: (certainty) => ` is ahead so far, ${percentSure(certainty)} sure.`,
  noClaims: "No claim is suspect. Claims that the judge flags appear here with their penalty.",
  notChecked: (turns) => `The claims of turn ${turns.join(", ")} were not checked.`,
  claimKind: {
    hollow_specificity: "sounds exact, names no cause",
    no_mechanism: "no mechanism",
    fabricated_citation: "fabricated citation",
    inverted_fact: "inverted fact",
    reversed_causality: "cause and effect reversed",
    overclaim: "more certain or wider than its grounds",
    unverifiable: "cannot be verified",
    misquotation: "the passage does not have these words",
    wrong_passage: "another passage has these words",
    invented_passage: "the evidence has no such passage",
    contradicted_by_evidence: "the evidence says the opposite",
  },
  byEvidence: { upheld: "upheld by the evidence", cleared: "cleared by the evidence" },
  claimState: {
    flagged: "flagged",
    upheld: "upheld by a second opinion",
    cleared: "cleared by a second opinion",
  },
  appealed: ", appealed",
  appeal: "Appeal",
  anomaly: (isWinner, other, low, high) => {
    const [result, who] = isWinner ? ["won", "winner"] : ["lost", "loser"];
    return `, and ${result} it against turn ${other}: the ${who} should have ${low} to ${high}.`;
  },
};

/** The summary of a concluded exchange. */
export const SUMMARY = {
  watch: "▶ Watch it",
  whatif: "What if?",
  menu: "Share",
  highlights: "Three moments",
  above: " above the line Pro is ahead, ",
  below: " below it Con. ",
  gates: (nameAt) => `Dotted: a side is named from ${percentSure(nameAt)} on. `,
  ticks: " points taken off.",
  scorecard: "Scorecard",
  narrative: "Narrative verdict",
  rules: "What moved the lead",
  moments: "Key moments",
  all: "All of it",
};

const EXCHANGE = "An exchange is two neighbouring turns; the turn that is better on more dimensions wins it.";

/** The verdicts on the whole debate, and the premises. */
export const VERDICTS = {
  scorecard: "The scorecard’s verdict",
  narrative: "The narrative verdict",
  conflict: "Why the two verdicts differ",
  clearer: "Why one verdict is clearer than the other",
  convergence: "Agreement at the end",
  missing: (reason) => `There is none: ${reason}.`,
  flipped: "The winner changed when the labels of the speakers were swapped, so neither is named.",
  sure: (margin, confidence) => `${margin === "none" ? "No margin" : `A ${margin} margin`}, ${confidence} confidence`,
  names: (winner) => (winner === "neither" ? "Names no winner" : `Names ${NAME[winner]}`),
  noScore: (reason) => `no score: ${reason}`,
  apart: (margin) => `${margin} apart`,
  noise: (margin, noise) => `A lead of ${margin}; asked again, this judge differs from itself by ${noise}.`,
  exchangesWon({ pro, con, drawn }) {
    return `Exchanges won: Pro ${pro}, Con ${con}${drawn ? `, ${drawn} drawn` : ""}. ${EXCHANGE}`;
  },
  pattern: {
    coherence_collapse: "Coherence collapse: one side won turns by abandoning its earlier ground.",
    asymmetric_depth: "Asymmetric depth: one side had the style, the other the substance.",
    convergence_failure: "Convergence failure: the sides argued past each other and never met on the question.",
    recovery_arc: "Recovery: a side that was behind repaired its case and won with it.",
    rule_effect: "The rules of the scorecard made the difference.",
    none: "",
  },
  courseTitle: "the course of its argument",
  course: [
    ["evolution", "How it developed"],
    ["fractures", "Where it broke"],
    ["held", "What held"],
  ],
  restsOn: "Rests on ",
  ended: {
    genuine_agreement: "The sides came to agree.",
    definitional_dispute: "The sides differ only on what words mean.",
    degree_disagreement: "The sides differ only on how much.",
    degenerate_convergence: "Both sides ended up defending the same position.",
    stalled: "The sides repeat themselves.",
    unresolved: "The sides still disagree on the question itself.",
  },
  became: "became",
  similarity: (value) => `Similarity of their last turns: ${value} of 1.`,
  spine: "The premises of each case",
  premisesOf: (side) => `Premises of ${side}`,
  standing({ kept, revised, withdrawn, dropped }) {
    const gone = [`${withdrawn} withdrawn openly`, `${dropped} dropped without mention`];
    const all = kept + revised + withdrawn + dropped;
    const stands = `${kept + revised} of ${count(all, "premise")} ${kept + revised === 1 ? "stands" : "stand"}`;
    return [stands, ...(withdrawn + dropped ? gone : [])].join(", ");
  },
  premiseState: {
    kept: "kept",
    revised: "revised",
    dropped: "dropped without mention",
    withdrawn: "a concession: withdrawn openly",
  },
  contradicts: (premises, turn) => `Contradicts ${premises} in turn ${turn}: `,
};
