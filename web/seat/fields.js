/** Places in an answer, and the words that stand there. The server declares the fields: server/people/forms.py. */

import { countWords } from "./counting.js";

/**
 * The value at a place of an answer.
 * @param {any} answer
 * @param {(string | number)[]} path
 * @returns {any}
 */
export const at = (answer, path) => path.reduce((value, part) => value?.[part], answer);

/**
 * Sets the value at a place of an answer; `undefined` removes it.
 * @param {any} answer
 * @param {(string | number)[]} path
 * @param {any} value
 */
export function put(answer, path, value) {
  let around = answer;
  for (const [i, part] of path.slice(0, -1).entries()) {
    around = around[part] ??= typeof path[i + 1] === "number" ? [] : {};
  }
  if (value === undefined) delete around[path.at(-1)];
  else around[path.at(-1)] = value;
}

/**
 * The number of words at a place of an answer, in all its texts.
 * @param {any} value
 * @returns {number}
 */
export function wordsIn(value) {
  if (typeof value === "string") return countWords(value);
  const inner = value && typeof value === "object" ? Object.values(value) : [];
  return inner.reduce((sum, each) => sum + wordsIn(each), 0);
}
