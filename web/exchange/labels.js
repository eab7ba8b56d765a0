/**
 * The judge's own labels of the sides, replaced by Pro and Con where a person reads its words.
 *
 * The judge knows the debaters as Speaker A (who spoke first) and Speaker B, and two speeches that it compares as the
 * first and the second. A label is replaced only where it can mean nothing else; words in quotation marks stay as they
 * are. The log keeps the judge's words. server/export/labels.py follows the same rules.
 */

import { inLanguage } from "../parts/dom.js";
import { NAME } from "../words/words.js";

const CLOSERS = { "„": "“", "“": "”", "«": "»", '"': '"' };
/** Characters before a label that are looked at, and half of those after it. */
const NEAR = 24;
const SPEAKERS = /\b(?:[Tt]he )?(?:[Ss]peaker|[Dd]ebater|[Ss]ide)s? ([AB])\b(?:( and | or )([AB])\b)?/g;
const LETTER = /(?<![\w.&/-])[AB](?=['’]s\b|[^\w&/-]|$)/g;
const NO_LABEL = new RegExp(
  "\\b(?:plan|vitamin|hepatitis|group|grade|type|class|option|appendix|exhibit|figure|table|section|league|category"
    + "|zone|schedule|team|school|level)\\s$",
  "i",
);
const START = /(?:^|[.!?:…]['"”’)]*\s+|[“‘"'([]\s*|[—–]\s*)$/;
const POSSESSIVE = /^['’]s\b/;
const END = /^(?:[,;:.!?)\]…—–]|\s[—–]|$)/;
const CAPITAL = /^\s+[A-Z]/;

const VERBS = "is|was|were|has|had|does|did|cannot|could|would|should|never|also|already|then|kept|gave|took|came|went"
  + "|began|fell|grew|brought|told|wrote|drew|said|meant|withdrew|spoke|chose";
const STRICT = "the|a|an|its|it|his|her|their|this|these|those|no|nothing|every|each|both|all|what|how|why|whether";
const LOOSE = `${STRICT}|that|not|when|where|to|from|with|by|into|on|in|at|for|against|over|without|only|as|turns?`;
const PAST = "(?!hundred|hatred|kindred|sacred)[a-z]{2,}[a-df-z]ed"
  + "|made|met|held|lost|won|left|led|built|found|broke|stood";
/** German verbs that are no English words: "A" before one of them is no article. */
const GERMAN = "muss|kann|soll|wird|wurde|bleibt|gesteht|gibt|nimmt|zeigt|verliert|beginnt";
/** What follows a speaker and no article: a verb, with the words that may follow it. */
const ACTS = new RegExp(
  `^\\s+(?:(?:${VERBS}|${GERMAN})\\b(?!-)|(?:and|or) (?:[AB]|Pro|Con)\\b|(?:${PAST}) (?:${LOOSE}|[AB]|Pro|Con)\\b`
    + `|(?!series|species|lens|means|news)[a-z]{2,}[b-hj-rtv-z]s (?:${LOOSE}|[AB]|Pro|Con)\\b)`,
);

const SHOWN = /Shown as (\d+)-(\d+): /;
const ORDINAL = /\b([Tt]he )?(first|second|First|Second)\b( (?:speech|speaker|debater|text)\b)?/g;
const NOUNS = "steps|lines|words|points|reasons|turns|premises|claims|arguments|examples|sentences|links|questions"
  + "|images|years|days|months|times|things|parts|signs|results";
const SPEECH_ACTS = new RegExp(
  `^\\s+(?:(?:${VERBS}|can|will|may|might|must|still|now|merely|simply|who|which|while|because|although|though|against)`
    + "\\b(?!-)|only [a-z]+(?:s|ed)\\b|and [a-z]{2,}[b-hj-rtv-z]s\\b|(?:and|or|nor) the (?:first|second)\\b"
    + `|(?:${PAST}) (?:${LOOSE})\\b|(?!(?:${NOUNS})\\b)[a-z]{2,}[b-hj-rtv-z]s\\b|[a-z]+s (?:${STRICT})\\b)`,
);

/**
 * The side that spoke first in a debate.
 * @param {View} view
 * @returns {"pro" | "con"}
 */
export const firstSide = (view) => view.turns[1]?.side ?? "pro";

/**
 * The judge's words with the names of the sides, marked with their language.
 * @param {string} text
 * @param {"pro" | "con"} first The side that spoke first.
 * @returns {Child}
 */
export const named = (text, first) => inLanguage(renamed(text, first));

function renamed(text, first) {
  const names = { A: NAME[first], B: NAME[first === "pro" ? "con" : "pro"] };
  return unquoted(text, (part) => {
    const whole = part.replace(SPEAKERS, (_, one, and, two) => names[one] + (two ? and + names[two] : ""));
    return whole.replace(LETTER, (letter, at) => {
      return isLabel(letter, ...around(whole, at, letter)) ? names[letter] : letter;
    });
  });
}

/**
 * The reason of a comparison: what the judge said of the two speeches in each order, with the names of the sides.
 * @param {string} reason
 * @param {Record<string, {side: "pro" | "con"}>} turns By number.
 * @returns {{turns: number[], text: Child}[]} `turns` in the order shown; empty if the order is not known.
 */
export function compared(reason, turns) {
  const first = firstSide({ turns });
  const parts = reason.split(SHOWN);
  const readings = parts[0].trim() ? [{ turns: [], text: inLanguage(renamed(parts[0].trim(), first)) }] : [];
  for (let i = 1; i < parts.length; i += 3) {
    const order = [Number(parts[i]), Number(parts[i + 1])];
    const [one, two] = order.map((number) => NAME[turns[number]?.side]);
    const text = renamed(parts[i + 2].trim(), first);
    readings.push({ turns: order, text: inLanguage(one && two ? speeches(text, { first: one, second: two }) : text) });
  }
  return readings;
}

function speeches(text, names) {
  return unquoted(text, (part) => part.replace(ORDINAL, (found, article, word, noun, at) => {
    const [before, after] = around(part, at, found);
    const name = names[word.toLowerCase()];
    const isCapital = /^[FS]/.test(word);
    const isSpeaker = SPEECH_ACTS.test(after) || (article && (POSSESSIVE.test(after) || END.test(after)));
    if (noun || isSpeaker) return article || noun || isCapital ? name : found;
    return isCapital && !article && !START.test(before) && !CAPITAL.test(after) ? name : found;
  }));
}

function isLabel(letter, before, after) {
  if (NO_LABEL.test(before) || (/\b[A-Z][a-z]+ $/.test(before) && /^\. [A-Z]/.test(after))) return false;
  if (letter === "B" || POSSESSIVE.test(after) || ACTS.test(after)) return true;
  if (START.test(before)) return false;
  return END.test(after) || !CAPITAL.test(after);
}

/** The words just before and after a label: what tells a label from other words is near. */
function around(text, at, { length }) {
  return [text.slice(Math.max(0, at - NEAR), at), text.slice(at + length, at + length + 2 * NEAR)];
}

/** The text with `change` made outside of quotation marks. A mark that is not closed is none. */
function unquoted(text, change) {
  const parts = [];
  const last = Object.fromEntries(Object.entries(CLOSERS).map(([opener, end]) => [opener, text.lastIndexOf(end)]));
  let done = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (!(last[text[at]] > at)) continue;
    const end = text.indexOf(CLOSERS[text[at]], at + 1) + 1;
    parts.push(change(text.slice(done, at)), text.slice(at, end));
    done = end;
    at = end - 1;
  }
  return [...parts, change(text.slice(done))].join("");
}
