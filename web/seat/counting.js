/** The number of words of a text, as the server counts them: events/text/segmentation.py. */

/** Characters without white space that count as one word. */
const LONGEST_RUN = 40;
const UNSPACED = /[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff]/;

/**
 * Runs without white space, or segments in scripts without spaces.
 * @param {string} text
 * @returns {number}
 */
export function countWords(text) {
  let count = 0;
  for (const [run] of text.matchAll(/\S+/gu)) {
    if (UNSPACED.test(run)) {
      const parts = new Intl.Segmenter(undefined, { granularity: "word" }).segment(run);
      count += [...parts].filter(({ isWordLike }) => isWordLike).length || 1;
    } else {
      count += Math.ceil([...run].length / LONGEST_RUN);
    }
  }
  return count;
}
