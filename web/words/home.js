/** The words of the first page. */

import { capital, count, number } from "./formatting.js";
import { FORMAT } from "./words.js";

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
  answering: "Available",
  silent: "Not available",
  noCharacter: "None: the same rules for both sides",
  serverChoice: "the server’s choice",
  otherModel: "another model…",
  person: "a person…",
  nameless: "Enter the person’s name.",
  noTakeover: "no model takes over",
  about: (model) => `Note on ${model}: `,
  appeared: (names) => `Now available: ${names.join(", ")}`,
  open: "Open the debate",
  opening: "Opening…",
};

/** The documents of the form. */
export const DOCUMENTS = {
  reading: "is being read…",
  remove: "Remove",
  removeNamed: (name) => `Remove ${name}`,
  preview: "How it is read",
  page: (number) => `page ${number}`,
  more: (number) => `and ${count(number, "more passage")}`,
  tooMany: "A debate has at most 20 documents.",
  tooLarge: (name) => `${name} has more than 50 MB.`,
  tooLargeTogether: "The documents have more than 70 MB together.",
  notRead: (name) => `${name} could not be read.`,
  partFailed: "The part of the page for documents could not be loaded. Try again.",
};

/** What a search found in speeches. */
export const HITS = {
  title: "In what was said",
  turn: (name, turn) => `${name}, turn ${turn}`,
  moderator: "Moderator",
};

/** The import of a log. */
export const IMPORT = {
  drop: "Drop a transcript or the log of a debate here.",
  reading: (name) => `Importing ${name}…`,
  tooLarge: "This file is larger than 256 MiB, the most that the server takes.",
  empty: "This file is empty.",
  failed: (name, why) => `${name} was not imported: ${why}`,
};


/** The moment at the head of the first page. */
export const STAGE = {
  play: "Play",
  pause: "Pause",
  playLabel: "Play the moment",
  pauseLabel: "Pause the moment",
};

/** The card of a debate. */
export const CARD = {
  curve: "The lead over the debate",
  /** Figures in brackets stand on one line. */
  outcome: (text) => text.replace(/\(.*?\)/g, (figures) => figures.replaceAll(" ", "\u00a0")),
};

/** The list of debates. */
export const LIST = {
  keeps: (days) => `A debate is deleted ${count(days, "day")} after the last thing that happened in it.`,
  found: (shown, hasMore) => count(shown, "debate") + (hasMore ? " and more" : ""),
  state: { open: "Live", paused: "Paused", halted: "Halted", concluded: "Ended" },
  over: { deliberation: "Judged", calibration: "Measured", lab: "Measured" },
  about: {
    deliberation: "Personas judge a text, first independently and then together",
    calibration: "Raters judge debates whose outcome is known",
    lab: "A judge reads texts that differ in one respect",
  },
  blind: "blind",
  supplied: "transcript",
  origin: { rejudge: "judged again", fork: "fork" },
  exhibition: "exhibition",
  docked: (n) => count(n, "deduction"),
};

/** The exhibitions. */
export const EXHIBITIONS = {
  about({ format, turns, panel }, docked) {
    const what = capital(FORMAT[format] ?? count(turns, "turn"));
    return [`${what}${panel?.length ? " with a panel" : ""}`, "scripted", docked ? LIST.docked(docked) : ""];
  },
};
