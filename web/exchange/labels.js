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

const VERBS = "is|was|were|has|had|does|did|cannot|could|would|should|never|also|already|then|kept|gave|took"
  + "|came|went|began|fell|grew|brought|told|wrote|drew|said|meant|withdrew|spoke|chose";
const STRICT = "the|a|an|its|it|his|her|their|this|these|those|no|nothing|every|each|both|all|what|how"
  + "|why|whether";
const LOOSE = `${STRICT}|that|not|when|where|to|from|with|by|into|on|in|at|for|against|over|without|only|as`
  + "|turns?";
const PAST = "(?!hundred|hatred|kindred|sacred)[a-z]{2,}[a-df-z]ed"
  + "|made|met|held|lost|won|left|led|built|found|broke|stood";
/** German verbs that are no English words: "A" before one of them is no article. */
const GERMAN = "muss|kann|soll|wird|wurde|bleibt|gesteht|gibt|nimmt|zeigt|verliert|beginnt";
/** What follows a speaker and no article: a verb, with the words that may follow it. */
const ACTS = new RegExp(
  `^\\s+(?:(?:${VERBS}|${GERMAN})\\b(?!-)|(?:and|or) (?:[AB]|Pro|Con)\\b|(?:${PAST}) (?:${LOOSE}|[AB]|Pro|Con)\\b`
    + `|(?!series|species|lens|means|news)[a-z]{2,}[b-hj-rtv-z]s (?:${LOOSE}|[AB]|Pro|Con)\\b)`,
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

/**
 * The same as a plain text.
 * @param {string} text
 * @param {"pro" | "con"} first
 * @returns {string}
 */
export function renamed(text, first) {
  const names = { A: NAME[first], B: NAME[first === "pro" ? "con" : "pro"] };
  return unquoted(text, (part) => {
    const whole = part.replace(SPEAKERS, (_, one, and, two) => names[one] + (two ? and + names[two] : ""));
    return whole.replace(LETTER, (letter, at) => {
      return isLabel(letter, ...around(whole, at, letter)) ? names[letter] : letter;
    });
  });
}

function isLabel(letter, before, after) {
  if (NO_LABEL.test(before) || (/\b[A-Z][a-z]+ $/.test(before) && /^\. [A-Z]/.test(after))) return false;
  if (letter === "B" || POSSESSIVE.test(after) || ACTS.test(after)) return true;
  if (START.test(before)) return false;
  return END.test(after) || !CAPITAL.test(after);
}

/** The words just before and after a label: what tells a label from other words is near. */
function around(text, at, label) {
  const { length } = label;
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
