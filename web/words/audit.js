/** The words of the audit, of model calls and of what-if, which are loaded when the reader opens them. */

/** A model call. */
export const CALL = {
  reasoning: "its reasoning",
  answer: "the raw answer",
  noAnswer: (message) => `no answer: ${message}`,
};

/** The audit of the log. */
export const AUDIT = {
  title: "The log",
  intro: "Everything on this page follows from these events. Open one to see its causes, effects and changes.",
  overview: "What the judge left open, and looked at again: ",
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
  between: (from, to) => `What moved from event ${from} to event ${to}`,
  becauseOf: "because of ",
  more: (events) => ` and ${events} more`,
  everyChange: (changes) => `every changed value: ${changes}`,
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
  actor: {
    __proto__: null,
    pro: ["▲", "Pro"],
    con: ["▼", "Con"],
    judge: ["J", "Judge"],
    rater: ["R", "Rater"],
    rules: ["§", "Rules"],
    people: ["·", "Moot"],
  },
};

const because = (why) => (why ? ` (${why})` : "");
const decider = (by) => (by ? "The evidence" : "A second opinion");
const rose = (isUp) => (isUp ? "rose" : "fell");

/** What moved between two moments. server/export/moved.py has the same sentences. */
export const MOVED = {
  ended: (winner) => `The debate ended: ${winner}.`,
  state: {
    __proto__: null,
    open: "The debate runs.",
    paused: "The debate was paused.",
    halted: "The debate was halted.",
    concluded: "The debate ended.",
  },
  verdict: (verdict) => `The verdict on the artifact: ${verdict}.`,
  mean: (name, before, after, isUp) => {
    return `The mean score of ${name} ${before ? `${rose(isUp)} from ${before} to` : "is"} ${after}.`;
  },
  turn: (name, before, after, isUp, why) => `Turn ${name} ${rose(isUp)} from ${before} to ${after}${because(why)}.`,
  scored: (name, score, first, why) => {
    return `Turn ${name} was scored ${first ? `${first}, now ${score}` : score}${because(why)}.`;
  },
  dimension: (name, dimension, before, after, isUp, why) => {
    return `Turn ${name}, ${dimension}, ${rose(isUp)} from ${before} to ${after}${because(why)}.`;
  },
  turnState: {
    __proto__: null,
    speaking: (name) => `Turn ${name} began.`,
    spoken: (name) => `Turn ${name} was spoken.`,
    judged: (name) => `Turn ${name} was judged, without a score.`,
  },
  claim: {
    __proto__: null,
    flagged: (name, kind, points) => `Claim ${name} was flagged: ${kind}${points && `, ${points}`}.`,
    upheld: (name, kind, _, by) => `${decider(by)} upheld claim ${name}${because(kind)}.`,
    cleared: (name, kind, _, by) => `${decider(by)} cleared claim ${name}${because(kind)}.`,
  },
  premises: {
    dropped: (names) => `Premises dropped without mention: ${names}.`,
    withdrawn: (names) => `Premises withdrawn openly: ${names}.`,
    revised: (names) => `Premises revised: ${names}.`,
    kept: (names) => `Premises stated: ${names}.`,
  },
  steps: {
    opened: (names) => `Arguments opened: ${names}.`,
    crossed: (names) => `Cross-examined: ${names}.`,
    answered: (names) => `Questions answered about ${names}.`,
  },
  standing: (name, standing) => `Argument ${name}: ${standing}.`,
  traits: (name, traits) => `The character of ${name} changed in ${traits}.`,
  usage: (calls, tokens) => `It took ${calls} and ${tokens}.`,
  others: (values) => `Only details changed: ${values}.`,
  left: (changes) => `And ${changes}: see every changed value.`,
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
