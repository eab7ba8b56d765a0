/** The words of the protocol, of panels and of calibrations. */

import { count } from "./formatting.js";
import { answeredWords } from "./words.js";

/** The protocol. */
export const PROTOCOL = {
  rounds: "Rounds",
  statement: {
    openings: ["opening", "openings"],
    cross_examination: ["cross-examination", "cross-examinations"],
    answers: ["answers", "answers"],
    closings: ["closing", "closings"],
  },
  isWriting: (side, [statement]) => `${side} is writing its ${statement}`,
  areWriting: (sides, [, statements]) => `${sides} are writing their ${statements}; neither sees the other’s`,
  judging: (known) => `The judge is weighing every argument${known ? `: ${answeredWords(known)}` : ""}`,
  role: { pro: "speaks for the motion", con: "speaks against the motion" },
  thisOpening: "This opening",
  thisClosing: "This closing",
  theseAnswers: "This round of answers",
  crossOf: (side) => `${side}’s cross-examination of it`,
  brokenForm: (what) => `${what} did not keep its form: `,
  wholeText: "The whole text",
  evidence: "Evidence",
  noScore: (reason) => `no score: ${reason}`,
  notAnswered: (side) => `${side} did not answer this argument.`,
  notYetAnswered: "Not answered yet.",
  response: {
    refute: "refutes this",
    challenge: "challenges this",
    concede: "concedes this",
    partial: "accepts this in part",
  },
  asks: "and asks",
  replies: "answers",
  noReply: (side) => `${side} did not answer this.`,
  shift: (shift) => `Position ${shift}: `,
  judge: "The judge",
  panel: "Panel: ",
  noStanding: "No standing: ",
  why: "why these scores",
  fallacies: "Fallacies",
  closings: "Closings",
  concedes: "Concedes",
  notRebutted: "States that these were not rebutted: ",
  holdAsStated: "States that these hold as stated: ",
  noAssessment: "No overall assessment: ",
  answered: "answered",
  examined: "examined",
  opened: "stated",
  noArguments: "Each argument appears here with the judge’s finding.",
};

/** The decision briefing. `lists`: the member of the briefing, its title, its sign, the text for an empty list. */
export const BRIEFING = {
  title: "Decision briefing",
  print: "Print",
  figuresAreTheJudges: "The figures below are the judge’s, not the panel’s.",
  panel: "The panel",
  noGap: (reason) => `No gap: ${reason}.`,
  recommendation: "Recommendation",
  lists: [
    ["rely_on", "Rely on", "✓", "No argument was upheld."],
    ["with_care", "Treat with care", "◐", ""],
    ["do_not_use", "Do not use", "✕", ""],
    ["still_open", "Still open", "?", ""],
  ],
  unresolved: "Unresolved",
  findOut: "What to find out",
  cautions: "Cautions",
  limits: "Limits: ",
};

/** The panel. */
export const PANEL = {
  title: "The panel",
  progress(done, all) {
    if (!done) return `${count(all, "rater")} will score independently: no rater knows another’s scores.`;
    return `${done} of ${count(all, "rater")} have scored, each independently.`;
  },
  shortProgress: (done, all) => `${done} of ${count(all, "rater")} have scored.`,
  othersReading: "The others are reading",
  noOutcome: "The debate ended without an outcome.",
  topic: (topic) => `Topic: ${topic}. `,
  noTopic: "none in particular",
  decidedBy: (who) => `Decided by ${who}`,
  findOutInstead: "What to find out instead",
  findOutNext: "What to find out next",
  act: "What to do",
  agreement: "The agreement of the raters",
  ifScoresRepeated: (items) => `other ${items} like these were rated`,
  ifStandingsRepeated: (items) => `other ${items} like these were given a standing`,
  repeated: (condition, range) => `If ${condition}, the agreement would likely lie between ${range}.`,
  likely: (value, range) => `${value}, likely between ${range}`,
  isUndefined: "Undefined: ",
  undefinedBecause: (reason) => `undefined: ${reason}`,
  scale: (decides) => `1 is full agreement, 0 is what chance gives, below 0 is less. ${PANEL.decidingMeasure[decides]}`,
  decidingMeasure: {
    arguments: "The first one decides: calibration takes out how strict a rater is. The second one counts as well "
      + "which criterion is rated higher than another.",
    margins: "The lower one of the first two decides: calibration takes out how strict a rater is.",
    raw: "Alpha on the scores as given decides.",
  },
  argumentsMeaning: "alpha of one calibrated score of each by each rater",
  criteriaMeaning: (items) => `alpha over all ${items} on every criterion`,
  lead: "Lead",
  leadMeaning: "alpha of the margins between the sides",
  criteria: ["criterion", "criteria"],
  otherMeasures: "Other measures",
  measureColumns: ["Measure", "value", "likely between", "items"],
  measures: ({ calibration, margins, arguments: on }) => [
    ["arguments", "alpha, one calibrated score of each item by each rater (decides)"],
    ["raw", `alpha, scores as given${margins || on ? "" : " (decides)"}`],
    ["calibrated", `alpha, every item on every criterion, calibrated by ${calibration}`],
    ["margins", "alpha, margins between the sides"],
    ["ordinal", "alpha, ordinal"],
    ["nominal", "alpha, nominal"],
    ["ratio", "alpha, ratio"],
    ["icc_agreement", "ICC(2,k): the raters’ mean, strictness counts"],
    ["icc_consistency", "ICC(3,k): the raters’ mean, strictness does not count"],
    ["kappa", "kappa of the standings"],
  ],
  disputes: "Most disputed",
  noDisputes: (variance) => {
    const why = variance ? `: no item’s scores have a variance of ${variance} or more` : "";
    return `Nothing is disputed${why}.`;
  },
  decides: "This item decides: the outcome depends on it.",
  disputed: "disputed",
  numbers: "Every rater’s numbers",
  numbersMeaning(strictness) {
    const meaning = "Each rater’s own weighted score from 1 to 10, as given, with its standing.";
    return strictness ? `${meaning} Disputes are measured after calibration.` : meaning;
  },
  numbersTable: "Table of the raters’ numbers",
  range: "lowest to highest",
  notGiven: "not given",
  record: (right, of) => `right on ${right} of ${of} known outcomes`,
  noRecord: "no track record yet",
  gaveNothing: "gave no scores",
  offset: (points) => `${points} points beside the mean`,
  focus: (focus) => `Asks ${focus}.`,
  finding: "Its finding: ",
  rating(model, samples, weights) {
    const asked = samples > 1 ? `, ${count(samples, "sample")}, of which the median counts` : "";
    return `${model}${asked}. Weights: ${weights}.`;
  },
  noScores: "No scores: ",
  absent: (items) => `Missing: ${items.join("; ")}.`,
  totals: "As given and calibrated",
  asGiven: "Scores as given",
  calibrated: (method) => `Calibrated${method ? `, ${method}` : ""}`,
  thisDecides: "decides",
  missing: "missing",
  noGap: (reason) => `No gap: ${reason}.`,
  gap: (gap, isCalibrated) => {
    const scores = isCalibrated ? "after calibration" : "on the scores as given";
    return `The sides are ${gap} apart ${scores}. Calibration corrects for raters that are stricter.`;
  },
  withoutTitle: "If one rater were left out",
  withoutColumns: ["Without", "outcome", "alpha", "gap"],
  without: (title) => `Without ${title}`,
  noWinner: "no winner",
  leans: (side) => `leans to ${side}`,
  alphaNotMeasured: "not measured",
  noAgreement: (reason) => `Agreement undefined: ${reason}.`,
  agreementIs: (value, band) => `Agreement ${value}: ${band}.`,
  allNumbers: "All numbers",
};

/** The charts of a panel. */
export const CHARTS = {
  lowestBand: "unacceptable",
  notMeasured: "not measured",
  roundValue: (round, value) => `${round ? `after round ${round}` : "before"} ${value}`,
  round: (round) => (round ? `round ${round}` : "before"),
  agreement: (values) => `Agreement: ${values}`,
};

/** The form for a person's decision. */
export const DECISION = {
  title: "Record your decision",
  note: "The panel leaves the decision to a person. Your text becomes part of the record and cannot be changed later.",
  decision: "Decision",
  reason: "Reason",
  submit: "Record it",
  noDecision: "Write your decision.",
  noReason: "Write the reason: it is recorded with the decision.",
};

/** Deliberation. */
export const DELIBERATION = {
  title: "Deliberation",
  record: "The independent scores of each rater stay the verdict of record: deliberation does not change the outcome.",
  changes: (changes) => (changes ? `${count(changes, "change")} of mind: ` : "No rater changed its mind. "),
  kinds({ evidence = 0, reason = 0, conformity = 0 }) {
    const byReason = reason ? `${reason} by a reason, with words of another judge that were checked; ` : "";
    return `${evidence} by evidence, with a new quote that was checked; ${byReason}${conformity} by conformity. `;
  },
  ended: (reason) => `It ended: ${reason}.`,
  round: (round) => `Round ${round}`,
  by: { evidence: "by evidence", reason: "by a reason", conformity: "by conformity, without new words or a reason" },
  whose: (title) => ` of the ${title}`,
  carried: (title, round) => `${title} gave no opinion in this round: its opinion of round ${round} stands.`,
  noChange: "No rater changed its verdict.",
  opinions: (round) => `The opinions of round ${round}`,
  differences: (items) => `They differed on ${items.join("; ")}.`,
  verdict: "the verdict",
  noOpinion: (reason) => `gave no opinion: ${reason}`,
  found: "found in the text",
  notFound: "not found in the text",
  absent: (items) => `Missing: ${items.join("; ")}`,
  findings: "Findings",
  remediation: "Remediation",
  withdrawn: "Withdrawn in this round",
};

/** A text that a panel judges. */
export const ARTIFACT = {
  progress: (done, all) => `${done} of ${all} have judged independently.`,
  othersReading: "The others are reading",
  notReached: "No verdict was reached.",
  verdict: "The verdict",
  noVerdict: "No verdict",
  weights: "Weight behind each verdict",
  before: "Before they read each other",
  against: "Against it",
  by: (titles, alike) => `(${titles.join(", ")}${alike.map((each) => `; also “${each}”`).join("")})`,
  purpose: (purpose) => `Judged for this purpose: ${purpose}`,
  findings: "Findings",
  remediation: "Remediation",
  agreement: (value) => `Agreement ${value} of 1.`,
  personas: "The personas",
  focus: (focus) => `Reads for ${focus}.`,
  ownVerdict: (round, verdict) => ` after round ${round}; on its own: ${verdict}`,
  opinion: (round) => (round === "0" ? "Its independent opinion" : `Its opinion in round ${round}`),
};

/** A calibration. */
export const CALIBRATION = {
  records: "Records",
  meaning: "A rater is right if its own scores put the known winner ahead. Agreement with other raters does not count.",
  recordColumns: ["Rater", "right", "of", "share"],
  about: (title) => `Note on ${title}: `,
  byCase: "Case by case",
  caseColumns: ["Case", "outcome"],
  notYet: "not yet",
  missing: "missing",
  right: "✓ right",
  wrong: "✕ wrong",
  cases: "The cases",
  source: (side, source) => `Known outcome: ${side}. Source: ${source}`,
};

/**
 * An item that raters score: the name of an argument, or a turn.
 * @param {string} item
 * @returns {string}
 */
export const itemWords = (item) => (/^\d+$/.test(item) ? `Turn ${item}` : item);
