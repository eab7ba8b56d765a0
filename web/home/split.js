/** How a transcript is split into entries with sides, and the ways to mend it. All functions return new values. */

/**
 * @typedef {"pro" | "con" | "context" | "out"} EntrySide
 * @typedef {object} Entry What one speaker says; as the server's preview has it, with an `id`.
 * @property {number} id
 * @property {string} speaker
 * @property {string} text
 * @property {EntrySide | null} side
 * @property {number | null} at_ms
 */

/** Bounds of the server (server/debate/setup/transcripts.py). */
export const BOUNDS = { turns: 200, turnText: 60_000, contexts: 100, contextText: 4000 };

let lastId = 0;

function withId(entry) {
  lastId += 1;
  return { ...entry, id: lastId };
}

/**
 * The entries of a preview, each with an id.
 * @param {object[]} entries
 * @returns {Entry[]}
 */
export const numbered = (entries) => entries.map(withId);

/**
 * Joins an entry to the one above, which keeps its speaker and side.
 * @param {Entry[]} entries
 * @param {number} id
 * @returns {Entry[]}
 */
export function mergeUp(entries, id) {
  const at = entries.findIndex((entry) => entry.id === id);
  if (at < 1) return entries;
  const above = entries[at - 1];
  const joined = { ...above, text: `${above.text}\n\n${entries[at].text}` };
  return [...entries.slice(0, at - 1), joined, ...entries.slice(at + 1)];
}

/**
 * Splits an entry before a character. Both parts keep the speaker and the side; nothing happens if one were empty.
 * @param {Entry[]} entries
 * @param {number} id
 * @param {number} offset In UTF-16 units, as the cursor of a text field is.
 * @returns {Entry[]}
 */
export function splitAt(entries, id, offset) {
  const at = entries.findIndex((entry) => entry.id === id);
  if (at < 0) return entries;
  const { text } = entries[at];
  const low = text.charCodeAt(offset);
  const cut = low >= 0xdc00 && low <= 0xdfff ? offset - 1 : offset;
  const [first, second] = [text.slice(0, cut).trim(), text.slice(cut).trim()];
  if (!first || !second) return entries;
  const lower = withId({ ...entries[at], text: second, at_ms: null });
  return [...entries.slice(0, at), { ...entries[at], text: first }, lower, ...entries.slice(at + 1)];
}

/**
 * Gives an entry a side.
 * @param {Entry[]} entries
 * @param {number} id
 * @param {EntrySide | null} side
 * @returns {Entry[]}
 */
export const withSide = (entries, id, side) => {
  return entries.map((entry) => (entry.id === id && entry.side !== side ? { ...entry, side } : entry));
};

/**
 * Gives all entries of a speaker a side. Those that are left out stay so, unless all of them are.
 * @param {Entry[]} entries
 * @param {string} speaker
 * @param {EntrySide | null} side
 * @returns {Entry[]}
 */
export const withSpeakerSide = (entries, speaker, side) => {
  const own = entries.filter((entry) => entry.speaker === speaker);
  const isOut = own.every((entry) => entry.side === "out");
  const changes = (entry) => entry.speaker === speaker && entry.side !== side && (isOut || entry.side !== "out");
  return entries.map((entry) => (changes(entry) ? { ...entry, side } : entry));
};

/**
 * Gives the entries of a speaker to another one, with that one's side if there is one. What is left out stays so.
 * @param {Entry[]} entries
 * @param {string} speaker
 * @param {string} other
 * @returns {Entry[]}
 */
export const withSamePerson = (entries, speaker, other) => {
  const known = speakersOf(entries).find(({ name }) => name === other);
  if (!known || speaker === other) return entries;
  return entries.map((entry) => {
    if (entry.speaker !== speaker) return entry;
    return { ...entry, speaker: other, side: entry.side === "out" ? "out" : known.side ?? entry.side };
  });
};

/**
 * Gives all entries without a side this one.
 * @param {Entry[]} entries
 * @param {EntrySide} side
 * @returns {Entry[]}
 */
export const withOthers = (entries, side) => {
  return entries.map((entry) => (entry.side === null ? { ...entry, side } : entry));
};

const wordsOf = (text) => text.split(/\s+/).filter(Boolean).length;

/**
 * Leaves out the entries with fewer words, such as interruptions.
 * @param {Entry[]} entries
 * @param {number} words
 * @returns {Entry[]}
 */
export const withoutShort = (entries, words) => {
  const isShort = ({ side, text }) => side !== "out" && wordsOf(text) < words;
  return entries.map((entry) => (isShort(entry) ? { ...entry, side: "out" } : entry));
};

/**
 * The speakers in the order of their first words. `side` is null if their entries, without those left out, have several
 * sides; `isOpen` says that one of them has none.
 * @param {Entry[]} entries
 * @returns {{name: string, side: EntrySide | null, isOpen: boolean, entries: number, words: number}[]}
 */
export function speakersOf(entries) {
  const found = new Map();
  for (const { speaker, side, text } of entries) {
    const known = found.get(speaker) ?? { name: speaker, side, isOpen: false, entries: 0, words: 0 };
    known.entries += 1;
    known.words += wordsOf(text);
    known.isOpen ||= side === null;
    if (known.side === "out") known.side = side;
    else if (known.side !== side && side !== "out") known.side = null;
    found.set(speaker, known);
  }
  return [...found.values()];
}

/**
 * The number of the turn to which each entry belongs; null for context and for what is left out.
 * @param {Entry[]} entries
 * @returns {(number | null)[]}
 */
export function turnsOf(entries) {
  let turn = 0;
  let last = null;
  return entries.map(({ side }) => {
    if (side !== "pro" && side !== "con") return null;
    if (side !== last) turn += 1;
    last = side;
    return turn;
  });
}

/**
 * What hinders the debate from being opened, the first by its kind; null if nothing does.
 * @param {Entry[]} entries
 * @returns {{kind: string, value?: string | number} | null}
 */
export function hindrance(entries) {
  const open = entries.find(({ side }) => side === null);
  if (open) return { kind: "open", value: open.speaker };
  for (const side of ["pro", "con"]) {
    if (!entries.some((entry) => entry.side === side)) return { kind: "silent", value: side };
  }
  const turns = turnsOf(entries);
  const count = Math.max(...turns.map((turn) => turn ?? 0));
  if (count > BOUNDS.turns) return { kind: "turns", value: count };
  const lengths = new Map();
  entries.forEach(({ text }, i) => lengths.set(turns[i], (lengths.get(turns[i]) ?? 0) + text.length));
  const long = [...lengths].find(([turn, length]) => turn !== null && length > BOUNDS.turnText);
  if (long) return { kind: "turnText", value: long[0] };
  const contexts = entries.filter(({ side }) => side === "context");
  if (contexts.length > BOUNDS.contexts) return { kind: "contexts", value: contexts.length };
  if (contexts.some(({ text }) => text.length > BOUNDS.contextText)) return { kind: "contextText" };
  return null;
}

/**
 * The turns of the request that opens the debate: without what is left out.
 * @param {Entry[]} entries
 * @returns {object[]}
 */
export function requestTurns(entries) {
  return entries.filter(({ side }) => side !== "out").map(({ side, speaker, text, at_ms: at }) => {
    return { side, speaker, text, ...(at === null || at === undefined ? {} : { at_ms: at }) };
  });
}
