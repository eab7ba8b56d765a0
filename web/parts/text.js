/** Text by Unicode code points: the server's offsets count code points, JavaScript strings count UTF-16 units. */

/**
 * The number of code points in a text.
 * @param {string} text
 * @returns {number}
 */
export function points(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * The first `count` code points of a text.
 * @param {string} text
 * @param {number} count
 * @returns {string}
 */
export function head(text, count) {
  if (count <= 0) return "";
  let units = 0;
  let seen = 0;
  for (const point of text) {
    if (seen === count) break;
    seen += 1;
    units += point.length;
  }
  return text.slice(0, units);
}

/**
 * `text` cut at the edges of spans: pieces in order, each with the names of the spans that cover it.
 * Spans may overlap. A span that reaches beyond the text is cut there.
 * @param {string} text
 * @param {{name: string, span: [start: number, end: number]}[]} spans Half-open, in code points.
 * @returns {{text: string, names: string[]}[]}
 */
export function pieces(text, spans) {
  const all = Array.from(text);
  const edges = new Set([0, all.length]);
  for (const { span: [start, end] } of spans) {
    edges.add(Math.min(Math.max(start, 0), all.length));
    edges.add(Math.min(Math.max(end, 0), all.length));
  }
  const sorted = [...edges].sort((a, b) => a - b);
  const cut = [];
  for (let i = 0; i + 1 < sorted.length; i += 1) {
    const [from, to] = [sorted[i], sorted[i + 1]];
    const names = spans.filter(({ span: [start, end] }) => start <= from && to <= end).map(({ name }) => name);
    cut.push({ text: all.slice(from, to).join(""), names });
  }
  return cut;
}

/**
 * The spans, each grown so far that it cuts none of the `marks`: an edge inside a mark moves to the outer edge of it.
 * @param {{name: string, span: [start: number, end: number]}[]} spans
 * @param {{span: [start: number, end: number]}[]} marks
 * @returns {{name: string, span: [start: number, end: number]}[]}
 */
export function aroundMarks(spans, marks) {
  const cut = (at) => marks.find(({ span: [start, end] }) => start < at && at < end)?.span ?? [at, at];
  return spans.map((each) => ({ ...each, span: [cut(each.span[0])[0], cut(each.span[1])[1]] }));
}

/**
 * The text of a turn that is being spoken, as far as it is known. `points`: its code points at the debater, which are
 * more than those of `text` if a delta was lost (`hasGap`).
 * @typedef {{turn: number, attempt: number, text: string, points: number, hasGap?: boolean}} Speech
 */

/**
 * The speech after a delta. A delta that repeats known text changes nothing. A gap shows as an ellipsis until the
 * recorded turn replaces the speech.
 * @param {Speech | null} speech
 * @param {{turn: number, attempt: number, at: number, text: string}} delta `at`: its offset in code points.
 * @returns {Speech}
 */
export function applyDelta(speech, { turn, attempt, at, text }) {
  const length = points(text);
  if (!speech || speech.turn !== turn || speech.attempt !== attempt) {
    return { turn, attempt, text: (at > 0 ? "… " : "") + text, points: at + length, hasGap: at > 0 };
  }
  if (at === speech.points) return { ...speech, text: speech.text + text, points: at + length };
  if (at > speech.points) return { ...speech, text: `${speech.text} … ${text}`, points: at + length, hasGap: true };
  if (at === 0 && length >= speech.points) return { turn, attempt, text, points: length, hasGap: false };
  if (at + length <= speech.points || speech.hasGap) return speech;
  return { ...speech, text: head(speech.text, at) + text, points: at + length };
}

/**
 * The part of a turn that was spoken `elapsed` ms after the turn began.
 * @param {string} text
 * @param {[ms: number, count: number][]} pace The recorded pace: code points spoken by each moment.
 * @param {number} elapsed
 * @returns {{text: string, points: number}}
 */
export function spokenBy(text, pace, elapsed) {
  let spoken = 0;
  for (const [ms, count] of pace) {
    if (ms > elapsed) break;
    spoken = count;
  }
  return { text: head(text, spoken), points: spoken };
}
