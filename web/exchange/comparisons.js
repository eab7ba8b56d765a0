/** What the judge said when it compared two speeches, with the names of the sides. */

import { h, inLanguage } from "../parts/dom.js";
import { NAME, TRANSCRIPT } from "../words/words.js";
import {
  CAPITAL, END, LOOSE, PAST, POSSESSIVE, START, STRICT, VERBS, around, firstSide, renamed, unquoted,
} from "./labels.js";

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

/**
 * What the judge said of the two turns, in each order.
 * @param {{earlier: number, reason?: string} | undefined} found
 * @param {View} view
 * @returns {HTMLElement[]}
 */
export function comparisonReasons(found, view) {
  const readings = found?.reason ? compared(found.reason, view.turns) : [];
  if (!readings.length) return [];
  return [h("section.compared-why", {},
    h("h3", {}, TRANSCRIPT.compared(found.earlier)),
    readings.map(({ turns, text }) => {
      const sides = turns.map((number_) => NAME[view.turns[number_]?.side] ?? number_);
      return h("p", {}, sides.length > 0 && h("span.quiet", {}, TRANSCRIPT.order(sides)), text);
    }))];
}
