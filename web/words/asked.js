/** The words around the forms of a person who judges or debates; server/people/questions.py has those of questions. */

import { capital, count } from "./formatting.js";

/** A speech or a passage by its name: `turn 3`, `passage E2`, `PRO-1`. */
function turn(name) {
  if (/^\d+$/.test(name ?? "")) return `turn ${name}`;
  return /^E\d+$/.test(name ?? "") ? `passage ${name}` : name;
}

/** The page of a person who judges. */
export const ASKED = {
  none: "None so far.",
  removeShort: "Remove",
  row: (number) => `Entry ${number}`,
  choose: "Choose words",
  chooseOthers: "Choose other words",
  removeWords: "Remove words",
  from: (name) => `from ${turn(name)}`,
  use: "Use these words",
  cancel: "Cancel",
  select: (names) => `Select words in ${names.length === 1 ? turn(names[0]) : "the text"}: with the mouse, with a
    finger, or with Shift and the arrow keys. Then press “Use these words”.`.replace(/\s+/g, " "),
  speechToChooseFrom: (name) => `${capital(turn(name))}: select words with Shift and the arrow keys`,
  tooLong: (most) => `Select fewer words: at most ${most} characters.`,
  selected: (words) => `Selected: “${words}”`,
  noneYet: "No turn to choose from.",
  motion: "The motion",
  speeches: "What was said",
  words: (count, most) => `${count} of ${most} words`,
  sums: "What this will count",
  premises: "The premises so far",
  send: "Send this answer",
  sendStatement: "Send this statement",
  sendAll: (number) => `Send all ${count(number, "answer")}`,
  sending: "Sending…",
  sent: "Sent. Thank you.",
  mend: (number) => `${count(number, "place")} must be corrected before this can be sent.`,
  kept: "Your answers are kept: you can reload or close this page and go on later.",
  notKept: "Your answers could not be kept on the server. They stay in this page as long as it is open.",
  no: "no",
  left(seconds) {
    const minutes = Math.floor(seconds / 60);
    return `${minutes < 1 ? "Less than a minute" : count(minutes, "minute")} left`;
  },
};
