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

const BAND_END = { winner: "winner", loser: "loser" };

/** A question by its key: `rescore:5`, `compare:1-6`. */
function askedWords(key) {
  const [name, about = ""] = key.split(":");
  if (name === "rescore") return `the second reading of turn ${about}`;
  if (name === "compare") return `the comparison of turn ${about.replace("-", " with turn ")}`;
  return `the answer to ${key}`;
}

/** What if. */
export const WHATIF = {
  note: "No model is asked and nothing is recorded: the rules run again over the recorded answers with your numbers.",
  unused: (keys) => `Recorded answers that these rules do not use: ${keys.map(askedWords).join("; ")}.`,
  penalties: "Penalties",
  outOf: (value, most) => `${value} of ${most}`,
  bands: "Bands",
  certainty: "Comparisons, findings together, certainty",
  caps: "Caps",
  panel: "Panel",
  noRater: "none",
  leaveOut: "Leave out the rater",
  submit: "Run the rules again",
  reset: "Reset",
  noChange: "Change a number or leave out a rater first.",
  bandLabel: (name, end, isLow) => `${name}, ${BAND_END[end]} ${isLow ? "at least" : "at most"}`,
  capLabel: (name, index) => `${name}, ${["one link", "two links", "three links"][index]} missing`,
  says: (outcome) => `Under these rules: ${outcome}`,
  columns: ["recorded", "would be"],
  winner: "Winner",
  noWinner: "no winner is named",
  decidedBy: "Decided by",
  meanComposite: "mean composite",
  alpha: "Alpha",
  nothingChanges: "Nothing changes.",
};
