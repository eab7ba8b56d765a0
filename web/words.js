/**
 * The words of the page: every sentence, label and message that its modules show. Those of the HTML files stand there.
 *
 * Shared words come first, then the words of each part under the name of its module, then the sentences of events.
 * The words of the protocol and of panels are in words_panel.js, which only their debates load.
 */

import { capital, count, grouped, moment, number, percent, plain, signed } from "./formatting.js";

/** The sign of each side, for readers who cannot tell the colours apart. */
export const SIGN = { pro: "▲", con: "▼" };
/** The name of each side, as the winner of a comparison. */
export const NAME = { __proto__: null, pro: "Pro", con: "Con", neither: "Neither" };
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
export const FORMAT = { protocol: "protocol", deliberation: "artifact", calibration: "calibration" };
/** The rounds of a protocol, in order. */
export const ROUND = {
  openings: "openings",
  cross_examination: "cross-examination",
  closings: "closings",
  judgement: "judgement",
};

/** The winner of a debate without one. */
export const NO_WINNER = "No winner is named";

/**
 * @param {"pro" | "con" | "neither"} winner
 * @returns {string} A sentence without its full stop.
 */
export const winnerWords = (winner) => (winner === "neither" ? NO_WINNER : `${NAME[winner]} wins`);

/**
 * An item that raters score: the name of an argument, or a turn.
 * @param {string} item
 * @returns {string}
 */
export const itemWords = (item) => (/^\d+$/.test(item) ? `Turn ${item}` : item);

const RULE = {
  __proto__: null,
  scorecard: "the scorecard",
  narrative: "the narrative verdict",
  panel: "the panel",
  assessment: "the judge’s assessment",
};

/**
 * @param {string} rule What decided a debate.
 * @returns {string} `by the scorecard`
 */
export const ruleWords = (rule) => `by ${RULE[rule] ?? plain(rule)}`;

/**
 * The outcome of a concluded debate, in small letters.
 * @param {View} view
 * @returns {string}
 */
export function outcomeWords({ panel, conclusion: { winner, by_rule: rule } = {}, format }) {
  if (format === "calibration") return "raters measured";
  if (panel?.verdict) return panel.verdict.verdict ? `verdict ${VERDICT[panel.verdict.verdict]}` : "no verdict";
  if (winner !== "neither") return `${winnerWords(winner)} ${ruleWords(rule)}`;
  return rule === "panel" ? "no winner is named" : `no winner is named ${ruleWords(rule)}`;
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

/** The dialog that asks for the token. */
export const TOKEN = {
  title: "This server needs its token",
  where: "The token is in MOOT_TOKEN, where the server was started. Actions that cost money need it.",
  label: "Token",
  cancel: "Cancel",
  submit: "Continue",
  wrong: "This is not the token.",
};

// The first page

/** The form that opens a debate. */
export const FORM = {
  length: (characters) => `${characters} of 2,000`,
  examplesTitle: "For example: ",
  examples: [
    "Cities should ban private cars from their centres",
    "This house would replace juries with trained judges",
    "Homework does more harm than good",
  ],
  rater: (name) => `${capital(name)} rater`,
  raterModel: (name) => `The ${name} rater’s model as provider:model`,
  asJudge: "same as the judge",
  answering: "Available",
  silent: "Not available",
  serverChoice: "the server’s choice",
  otherModel: "another model…",
  about: (model) => `Note on ${model}: `,
  open: "Open the debate",
  opening: "Opening…",
};

/** The list of debates. */
export const LIST = {
  found: (shown, hasMore) => count(shown, "debate") + (hasMore ? " and more" : ""),
  state: { open: "Live", paused: "Paused", halted: "Halted", concluded: "Ended" },
  over: { deliberation: "Judged", calibration: "Measured" },
  about: {
    deliberation: "Personas judge a text, first independently and then together",
    calibration: "Raters judge debates whose outcome is known",
  },
  blind: "blind",
  exhibition: "exhibition",
};

/** The exhibitions. */
export const EXHIBITIONS = {
  play: "Play",
  playLabel: (motion) => `Play: ${motion}`,
  about({ format, turns, panel, summary }) {
    const what = capital(FORMAT[format] ?? count(turns, "turn"));
    return `${what}${panel?.length ? " with a panel" : ""}, scripted. ${summary}`;
  },
};

// The page of a debate

/** The page as a whole. */
export const DEBATE = {
  watching: (spectators) => `${grouped(spectators)} watching`,
  notHere: "Not found",
  notFound: "There is no debate at this address",
  notShown: "This debate cannot be shown",
  transcript: "Transcript",
  record: "Record",
  partFailed: "A part of this page could not be loaded. Reload the page.",
  auditFailed: "The audit could not be loaded. Reload the page.",
};

/**
 * The announcement of an event for screen readers; null for events that are not announced.
 * @param {object} event
 * @param {View} view The view after the event.
 * @returns {string | null}
 */
export function announcement(event, view) {
  switch (event.type) {
    case "turn_spoken":
      return `${NAME[event.side]} finished turn ${event.turn}: ${count(event.words, "word")}.`;
    case "turn_scored": {
      const { composite } = view.turns[event.turn] ?? {};
      const isScored = typeof composite === "number";
      return isScored ? `Turn ${event.turn} scored ${number(composite)}.` : `No score for turn ${event.turn}.`;
    }
    case "argument_traced":
      return event.standing ? `${event.argument}: ${STANDING[event.standing]}.` : null;
    case "panel_concluded":
      return event.winner === "neither" ? "The panel names no winner." : `The panel concludes: ${NAME[event.winner]}.`;
    case "artifact_judged":
      return event.verdict ? `Verdict: ${VERDICT[event.verdict]}.` : null;
    default:
      return null;
  }
}

/** The head of the page. */
export const HEADER = {
  kind: {
    exchange: "The motion",
    protocol: "Protocol: three rounds",
    deliberation: "An artifact before a panel",
    calibration: "Raters judge debates with a known outcome",
  },
  opened({ opened_at: openedAt, format, turns_planned: turns, max_words: words }) {
    const lengths = {
      exchange: `${count(turns, "turn")} of at most ${count(words, "word")}`,
      protocol: "opening, cross-examination and closing of each side",
    };
    return [`Opened ${moment(openedAt)}`, lengths[format]].filter(Boolean).join(" · ");
  },
  about: (roles) => `Note on ${roles}: `,
  family: (family) => `they are models of one family (${family}). Judges favour models of their own family.`,
  judge: "Judge",
  theJudge: "the judge",
  rubric: (name) => `rubric ${name}`,
  panel: "Panel",
  rater: (title) => `the ${title.toLowerCase()}`,
  everyRater: "every rater",
  round: (round, name) => `Round ${round} of 3: ${name}`,
  threeRounds: "Three rounds",
  judgement: "Three rounds: judgement",
  panelWorking: "The panel is at work",
  deliberation: (round) => `Deliberation, round ${round}`,
  independent: "Independent opinions",
  usage({ calls, failed_calls: failed, tokens, unpriced_calls: unpriced }) {
    const unknown = unpriced ? `, ${unpriced} without a known price` : "";
    return `${count(calls, "model call")}, ${failed} failed, ${count(tokens, "token")}${unknown}`;
  },
  totals: "Totals",
  scorecard: "Scorecard",
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
    refused: "Not available",
  },
  replaying: (speed) => `Replaying at ${speed}×`,
  readingBack: "Reading back",
  copy: (position) => `A copy, exported at event ${position}`,
  ended: (outcome) => `Ended: ${outcome}`,
  halted: "Halted",
  paused: "Paused",
  live: (wait) => (wait ? `Live, ${wait}` : "Live"),
};

/** The foot of the page. */
export const TIMELINE = {
  slider: (position, head, words) => `event ${position} of ${head}${words && `: ${words}`}`,
  position: (position, head) => `event ${position} of ${head}`,
  pause: "Pause",
  hold: "Hold here",
  play: "Play",
  playFromStart: "Play from the start",
  back: (isLive, unseen) => `${isLive ? "Back to live" : "To the end"}${unseen ? ` · ${unseen} new` : ""}`,
};

/** The export menu: the path of each file below the debate, its name, its purpose. */
export const SHARE = {
  files: [
    ["export.html", "HTML", "replays without a server"],
    ["export.md", "Markdown", "to read"],
    ["events.ndjson", "NDJSON", "the whole log, to import and verify"],
    ["export.json", "JSON", "the current view"],
  ],
  embed: "To embed it in a page",
  embedCode: "Code to embed this debate",
  copied: (event) => `Link copied: ${event ? `event ${event}` : "this debate"}`,
};

/** The moderator's controls. */
export const MODERATOR = {
  pauseReason: "paused from the page",
  resumeReason: "resumed from the page",
  haltReason: "halted from the page",
  paused: "Paused.",
  halted: "Halted.",
  noReason: "No reason was given.",
};

/** The audience. */
export const AUDIENCE = {
  question: "Who is winning so far, in your opinion?",
  note: "Each browser has one vote. Votes, and how many there are, stay hidden until the verdict.",
  voted: "Your vote is recorded. You can change it until the verdict.",
  belief: (turn) => `Where do you stand after turn ${turn}?`,
  believed: (turn) => `Recorded for turn ${turn}. It stays hidden until the end.`,
  whollyPro: "wholly Pro",
  whollyCon: "wholly Con",
  noVotes: "There were no votes before the verdict.",
  besideJudge(winner, share) {
    const judged = winner === "neither" ? "The judge named no winner" : `The judge: ${SIGN[winner]} ${NAME[winner]}`;
    return typeof share === "number" ? `${judged}; ${percent(share)} of the votes agree.` : `${judged}.`;
  },
  caption: "Where the audience stood: 0 is wholly Con, 100 wholly Pro.",
  columns: ["after turn", "mean", "answers"],
  moved: (moved, exchanges) => {
    return `In ${moved} of ${exchanges}, the audience moved towards the side that the judge preferred.`;
  },
};

/** The transcript. */
export const TRANSCRIPT = {
  attempt: (attempt, failure) => `Attempt ${attempt} ${failure}`,
  retry(wasRetried, isRunning) {
    if (wasRetried) return "Tried again.";
    return isRunning ? "It will be tried again." : "It has not been tried again.";
  },
  moderator: "The moderator",
  waiting: "is about to speak",
  speaking: "speaking",
  clipped: (limit) => `Cut at the limit of ${limit}.`,
  answeredBy: (model) => `Answered by ${model}.`,
  judging: "The judge is reading this turn",
  notJudged: "Not judged yet",
  repetition: (share) => `${share} % of this turn repeats earlier turns of the same side word for word.`,
  injection: "Tries to instruct the judge: ",
  noComparison: (turn, reason) => `No comparison with turn ${turn}: ${reason}.`,
  against: (turn) => `Against turn ${turn}: `,
  result: { later: "won", earlier: "lost", draw: "drawn" },
  flipped: " (the two orders disagreed)",
  open: "The debate is open, and Pro speaks first. The text appears here as it is spoken. A score follows every turn.",
  empty: "The debate has no turns.",
  ended: (rule) => `The debate ended; decided ${rule}.`,
};

/** The scores of a turn. */
export const SCORES = {
  none: "No score: ",
  revised: "revised",
  given: "the judge gave ",
  admitted: "the rules admitted ",
  changedLater: "changed later",
  lowered: "lowered by rule",
  raised: "raised by rule",
  why: "why this score",
  entries: "Every entry, in order",
  notInComposite: "not in the composite",
  unverified: "not found in the turn: at most half the points count",
  rules: "Rules",
};

/** The ledger of a turn's score. */
export const LEDGER = {
  rule: {
    __proto__: null,
    band_winner: "raised to the winner’s band",
    band_loser: "lowered to the loser’s band",
    logic_gap: "logic gap",
    cleared: "penalty reversed",
  },
  changesOf: (turn) => `Changes of the score of turn ${turn}`,
  of: (turn) => `The ledger of turn ${turn}`,
  loading: "Loading the ledger…",
  seeEvent: "see the event",
  initial: "the judge’s points, as admitted by the rules",
  capped: "the requested points are struck through",
  amounts: (requested, applied) => `requested ${requested}, applied ${applied}`,
  because: (cause) => `because of event ${cause}`,
  before: "as it was before",
  call: (name) => `the judge’s question and answer (${name})`,
  reasoning: "its reasoning",
  answer: "the raw answer",
  noAnswer: (message) => `no answer: ${message}`,
};

/** The sidebar of an exchange. */
export const SIDEBAR = {
  noScores: "No turn has been judged yet. After the first score, the mean of each dimension appears here.",
  noScore: "no score",
  exchangesWon: "exchanges won",
  judgedTurns: "judged turns",
  noLeader: "No side leads: the scores are too close, or too few turns are judged.",
  leads: " leads.",
  means: "Means over judged turns.",
  noClaims: "No claim is suspect. Claims that the judge flags appear here with their penalty.",
  claimKind: {
    hollow_specificity: "sounds exact, names no cause",
    no_mechanism: "no mechanism",
    fabricated_citation: "fabricated citation",
    inverted_fact: "inverted fact",
    reversed_causality: "cause and effect reversed",
  },
  claimState: {
    flagged: "flagged",
    upheld: "upheld by a second opinion",
    cleared: "cleared by a second opinion",
  },
  appealed: ", appealed",
  appeal: "Appeal",
  anomaly: (isWinner, earlier, later, low, high) => {
    const result = isWinner ? "won" : "lost";
    return ` ${result} the comparison of turns ${earlier} and ${later}; ${low}–${high} would fit.`;
  },
  moved: (moved, all) => (moved ? `${moved} of ${all} traits have changed` : "unchanged"),
  began: (value) => `started at ${value}`,
  directives: "Directives to this debater, hidden while the debate ran:",
  pressure: (turn) => `Pressure after turn ${turn}: `,
  noPressure: "none",
};

/** The graph of scores. */
export const GRAPH = {
  label: "Composite by turn",
  empty: "The composite of every judged turn appears here.",
  pro: "● Pro, solid",
  con: "▲ Con, dashed",
  changed: "◌ first score",
  spread: "┃ spread of the samples",
  noScore: "no score",
  first: (score) => `, first ${score}`,
  apart: (spread) => `, samples at most ${spread} apart`,
};

/** The verdicts on the whole debate, and the premises. */
export const VERDICTS = {
  scorecard: "The scorecard’s verdict",
  narrative: "The narrative verdict",
  conflict: "Why the two verdicts differ",
  convergence: "Agreement at the end",
  missing: (reason) => `There is none: ${reason}.`,
  ahead: (winner) => (winner === "neither" ? "Level" : `${NAME[winner]} is ahead`),
  noScore: (reason) => `no score: ${reason}`,
  apart: (margin) => `${margin} apart`,
  exchangesWon({ pro, con, drawn }) {
    return `Exchanges won: Pro ${pro}, Con ${con}${drawn ? `, ${drawn} drawn` : ""}`;
  },
  pattern: {
    coherence_collapse: "Coherence collapse: one side won turns by abandoning its earlier ground.",
    asymmetric_depth: "Asymmetric depth: one side had the style, the other the substance.",
    convergence_failure: "Convergence failure: the sides argued past each other and never met on the question.",
    recovery_arc: "Recovery: a side that was behind repaired its case and won with it.",
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
  stability: (share) => `${share} % of its premises kept`,
  premiseState: { kept: "kept", revised: "revised", dropped: "dropped without mention", withdrawn: "withdrawn openly" },
  contradicts: (premises, turn) => `Contradicts ${premises} in turn ${turn}: `,
};

/** The audit of the log. */
export const AUDIT = {
  title: "The log",
  intro: "Everything on this page follows from these events. Open one to see its causes, effects and changes.",
  filter: "Filter the log",
  find: "Find",
  placeholder: "Words, names, rules…",
  side: "Side",
  bothSides: "both",
  kind: "Kind",
  everyKind: "every kind",
  turn: "Turn",
  allTurns: "all",
  events: "Events",
  compareLabel: "Compare two moments",
  compareTitle: "Changes between two moments",
  from: "from event",
  to: "to event",
  fromLabel: "From event",
  toLabel: "To event",
  compare: "Compare",
  comparing: "Comparing…",
  changes: "Changes",
  changeColumns: ["What", "before", "after", "because of"],
  noChange: "Nothing that the page shows.",
  around: (shown, event) => `${shown} around event ${event} shown`,
  first: (most) => `the first ${most} shown`,
  noMatch: "No event matches. Remove a filter, or search for other words.",
  seeInDebate: "see it in the debate",
  before: "as it was before",
  causes: "Causes",
  effects: "Effects",
  changed: "Changes",
  raw: "the event as recorded",
};

const BAND_END = { winner: "winner", loser: "loser" };

/** What if. */
export const WHATIF = {
  note: "No model is asked and nothing is recorded: the rules run again over the recorded answers with your numbers.",
  penalties: "Penalties",
  bands: "Bands",
  caps: "Caps",
  panel: "Panel",
  noRater: "none",
  leaveOut: "Leave out the rater",
  submit: "Run the rules again",
  reset: "Reset",
  noChange: "Change a number or leave out a rater first.",
  bandLabel: (name, end, isLow) => `${name}, ${BAND_END[end]} ${isLow ? "at least" : "at most"}`,
  capLabel: (name, index) => `${name}, ${["one link", "two links", "three links"][index]} missing`,
  same: (winner) => `The outcome stays the same: ${winner}.`,
  different: (winner) => `The outcome would change: ${winner}.`,
  columns: ["recorded", "would be"],
  winner: "Winner",
  noWinner: "no winner is named",
  decidedBy: "Decided by",
  meanComposite: "mean composite",
  alpha: "Alpha",
  nothingChanges: "Nothing changes.",
};

/** The page about the judge. `facts`: the member of an entry, and its title. */
export const JUDGE = {
  facts: [
    ["asks", "Question"],
    ["rules", "Rules"],
    ["does", "What Moot does"],
    ["known", "Published"],
    ["says", "Measured here"],
  ],
  question: "The question, word for word",
};

// Events

const ANSWER = {
  __proto__: null,
  open: "an opening was written",
  cross: "a cross-examination was written",
  close: "a closing was written",
  assess: "the judge weighed the arguments",
  panel: "a rater answered",
  deliberate: "a rater answered the others",
};

function answerWords({ purpose, turn }) {
  if (purpose === "speak") return `the model delivered turn ${turn}`;
  return ANSWER[purpose] ?? `the judge answered about ${turn ? `turn ${turn}` : "the whole debate"}`;
}

const change = ({ turn, dimension, applied }) => `turn ${turn}: ${plain(dimension)} ${signed(applied)}`;

/** The sentence of each event, by its type. */
const EVENTS = {
  __proto__: null,
  debate_opened: () => "the debate opened",
  turn_started: ({ side, turn, attempt }) => {
    return `${NAME[side]} started turn ${turn}${attempt > 1 ? `, attempt ${attempt}` : ""}`;
  },
  turn_spoken: ({ side, turn, words }) => `${NAME[side]} finished turn ${turn}, ${count(words, "word")}`,
  turn_failed: ({ turn, attempt, kind }) => `turn ${turn}, attempt ${attempt}: ${failureWords(kind)}`,
  attempt_abandoned: ({ turn, attempt, kind }) => `turn ${turn}, attempt ${attempt} does not count: ${plain(kind)}`,
  model_answered: answerWords,
  model_failed: ({ kind }) => `a model call failed: ${failureWords(kind)}`,
  turn_scored: ({ missing, turn }) => (missing ? `no score for turn ${turn}` : `turn ${turn} was scored`),
  turns_compared: ({ earlier, later }) => `turns ${earlier} and ${later} were compared`,
  score_harmonized: (event) => `${change(event)}, to its band`,
  penalty_applied: (event) => `${change(event)}, ${plain(event.rule)}`,
  penalty_reversed: (event) => `${change(event)}, penalty reversed`,
  logic_gap_adjusted: ({ turn, applied, exposed_by: by }) => {
    return `turn ${turn} was docked ${signed(applied)} for a gap that turn ${by.turn} exposed`;
  },
  claim_flagged: ({ claim }) => `claim ${claim} was flagged`,
  claim_appealed: ({ claim }) => `claim ${claim} was appealed`,
  claim_upheld: ({ claim }) => `claim ${claim} was upheld`,
  claim_cleared: ({ claim }) => `claim ${claim} was cleared`,
  premise_stated: ({ side, premise }) => `${NAME[side]} stated premise ${premise}`,
  premise_revised: ({ premise }) => `premise ${premise} was revised`,
  premise_dropped: ({ premise }) => `premise ${premise} was dropped without mention`,
  premise_withdrawn: ({ premise }) => `premise ${premise} was withdrawn openly`,
  contradiction_found: ({ side, premises }) => `${NAME[side]} contradicts ${premises.join(", ")}`,
  check_missing: ({ purpose, turn, reason }) => `${purpose} of turn ${turn} were not checked: ${reason}`,
  debate_audited: ({ found, missing }) => {
    return missing ? "the closing audit was not made" : `the closing audit docked ${count(found ?? 0, "turn")}`;
  },
  finding_refused: ({ reason }) => `a finding of the judge was refused: ${reason}`,
  injection_detected: ({ turn }) => `turn ${turn} tries to instruct the judge`,
  pressure_applied: ({ side }) => `${NAME[side]} is under pressure after a lost exchange`,
  traits_shifted: ({ side }) => `${NAME[side]}’s traits changed`,
  directive_issued: ({ side, text }) => `${NAME[side]} received a directive: ${text}`,
  narrative_verdict_reached: () => "the narrative verdict",
  conflict_resolved: () => "why the verdicts differ",
  convergence_assessed: () => "the agreement at the end was assessed",
  scorecard_verdict_reached: () => "the scorecard’s verdict",
  arguments_opened: (event) => `${NAME[event.side]} opened with ${count(event.arguments.length, "argument")}`,
  argument_cross_examined: ({ by, target }) => `${NAME[by]} answered ${target}`,
  cross_examination_faulted: ({ by }) => `${NAME[by]}’s cross-examination did not keep its form`,
  closing_stated: ({ side }) => `${NAME[side]} closed`,
  fallacy_found: ({ argument, fallacy }) => `a fallacy in ${argument}: ${plain(fallacy)}`,
  argument_traced: ({ argument, standing }) => `${argument}: ${STANDING[standing]?.toLowerCase() ?? "no standing"}`,
  assessment_given: () => "the judge’s assessment",
  panelist_scored: ({ missing, rater }) => `the ${rater} rater ${missing ? "gave no scores" : "scored"}`,
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
  belief_stated: ({ turn }) => `a spectator stated a belief after turn ${turn}`,
  family_warned: ({ family }) => `judge and debater are of one family: ${family || "named at the end"}`,
  context_summarised: () => "earlier turns were summarised for the model",
  debate_paused: () => "paused",
  debate_resumed: () => "resumed",
  debate_halted: () => "halted",
  debate_concluded: () => "the debate ended",
  withheld: () => "withheld until the debate has ended",
};

/**
 * One event as a sentence, in small letters and without a full stop.
 * @param {object} event
 * @returns {string}
 */
export const eventWords = (event) => EVENTS[event.type]?.(event) ?? plain(event.type);
