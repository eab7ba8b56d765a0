/** The words of the part that judges a transcript. */

import { count, grouped } from "./formatting.js";

const SIDE = { pro: "▲ Pro", con: "▼ Con", context: "Context", out: "Left out" };
const KIND = {
  text: "plain text",
  markdown: "Markdown",
  csv: "a table",
  json: "JSON",
  nyu: "NYU debates",
  webvtt: "WebVTT subtitles",
  srt: "SRT subtitles",
  openai: "a chat",
  anthropic: "a chat",
  moot: "a Moot log",
  xml: "XML",
  html: "a web page",
  docx: "a Word document",
  odt: "an OpenDocument text",
  pdf: "a PDF",
};

/** The part that judges a transcript. */
export const SUPPLY = {
  side: SIDE,
  choose: "Choose a file…",
  about: "A debate that was held elsewhere: text or Markdown with names, a web page, DOCX, ODT, PDF, subtitles, "
    + "a table, JSON of chats and of programs that transcribe, XML of parliaments, a Moot log. Drop the file here, "
    + "choose it, or paste the text.",
  file: "The file of a transcript",
  paste: "Pasted text",
  placeholder: "Ann: Cars take the street …\n\nBen: The nurse who works at night …",
  show: "Show the split",
  reading: (name) => `Reading ${name}…`,
  pasted: "pasted text",
  tooLarge: "This file is larger than 50 MiB, the most that the server reads.",
  failed: (name, why) => `${name}: ${why}`,
  which: (total) => `Which of the ${grouped(total)} debates in the file`,
  motion: "Motion",
  source: "Where it comes from",
  licence: "Licence, or under which terms the text may be used",
  speakers: "Speakers",
  whose: (name) => `Side of ${name || "the words without a name"}`,
  nameless: "(no name)",
  guessed: "guessed",
  guess: (names) => `Only a guess, from who talks most: ${names.join(", ")}. Check whose side each one is on.`,
  guessOf: (name, side) => `${name || "the words without a name"} is ${{ pro: "Pro", con: "Con" }[side] ?? "context"}`,
  alike: (one, other) => `${one} and ${other} may be the same person.`,
  samePerson: "same person as…",
  sameAs: (name) => `Same person as ${name || "the words without a name"}`,
  words: (words, entries) => `${count(words, "word")} in ${count(entries, "entry", "entries")}`,
  openSide: "choose a side",
  severalSides: "several sides",
  others: "All without a side",
  shortest: "Leave out entries with fewer words than",
  leaveOut: "Leave them out",
  entries: "Entries",
  keys: "Keys on an entry: ↑ ↓ move, p Pro, c Con, m context, o leave out, u merge with the one above, s split.",
  entry: (number, speaker, side) => `Entry ${number}, ${speaker || "no name"}, ${side}`,
  turn: (turn) => `turn ${turn}`,
  sideOf: (number) => `Side of entry ${number}`,
  merge: "Merge with above",
  split: "Split…",
  splitHere: "Split at the cursor",
  splitting: (number) => `Text of entry ${number}: put the cursor where the second part begins`,
  cancel: "Cancel",
  undo: "Undo",
  doubt: (words) => `A guess, check it: ${words}`,
  found: (kind, form, pro, con, context, out) => {
    const beside = [context && `${context} of context`, out && `${out} left out`].filter(Boolean).join(", ");
    const what = form ? `${KIND[kind]} (${form})` : KIND[kind];
    return `${what}: ${count(pro + con, "turn")}, Pro ${pro}, Con ${con}${beside && ` · ${beside}`}`;
  },
  /** By the kind of what hinders: its value, and the bound that it exceeds. */
  hindered: {
    open: (name) => `Choose a side for ${name || "the words without a name"}, or leave them out.`,
    silent: (side) => `${SIDE[side]} says nothing: a debate has two sides.`,
    turns: (turns, most) => `There are ${turns} turns, and a debate has at most ${most}.`,
    turnText: (turn, most) => `Turn ${turn} has more than ${grouped(most)} characters.`,
    contexts: (entries, most) => `There are ${entries} entries of context, and at most ${most} are read.`,
    contextText: (_, most) => `An entry of context has more than ${grouped(most)} characters.`,
  },
  missing: { motion: "Say what is debated.", source: "Say where the transcript comes from." },
  documents: "Documents that the speeches cite, so that each citation is checked",
  documentList: "Documents",
  addDocuments: "Add documents…",
  judge: "Judge",
  otherModel: "The judge’s model as provider:model",
  open: "Judge this debate",
  opening: "Opening…",
  again: "Another transcript",
};
