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
  /** The kinds of server/export/said.py; those of `leftOpen` come last. */
  kinds: [
    "turns", "scores", "claims", "premises", "characters", "model calls", "panel", "verdicts", "audience", "moderator",
  ],
  leftOpen: [
    "no usable answer", "not checked", "refused or corrected", "second opinions", "read in a shortened form",
    "closing audit",
  ],
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

/** What if. */
export const WHATIF = {
  intro: "The same speeches and the same answers of the judge, counted again. No model is asked, nothing is recorded.",
  leaning: " leaning to ",
  flips: "changes the winner",
  add: "Add an “if”",
  copy: "Copy these sentences",
  copied: "Copied.",
  notCopied: "This browser does not let the page copy.",
  figures: "All the numbers of the rules",
  noRater: "none",
  leaveOut: "Leave out the rater",
  submit: "Run the rules again",
  reset: "Reset",
  noChange: "Change a number or leave out a rater first.",
  columns: ["recorded", "would be"],
};

/** What the scores of an argument are made of; the server has the sentences. */
export const ARGUMENT_AUDIT = {
  raters: "The raters",
  finding: "its finding on the whole debate",
};
