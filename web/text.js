/** Text by Unicode code points: offsets on the wire count those, strings in JavaScript count UTF-16 units. */

export function points(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

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
 * `text` cut at the edges of `spans` (`{name, span: [start, end)}`): pieces in order, each with the names that cover it.
 * Spans may overlap; what reaches beyond the text is cut off.
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
 * The speech of a turn in flight after a delta: `{turn, attempt, text, points}`.
 * What is known already changes nothing; a hole is shown (the recorded turn mends it).
 */
export function speak(speech, { turn, attempt, at, text }) {
  const length = points(text);
  if (!speech || speech.turn !== turn || speech.attempt !== attempt) {
    return { turn, attempt, text: (at > 0 ? "… " : "") + text, points: at + length, holed: at > 0 };
  }
  if (at === speech.points) return { ...speech, text: speech.text + text, points: at + length };
  if (at > speech.points) return { ...speech, text: `${speech.text} … ${text}`, points: at + length, holed: true };
  if (at === 0 && length >= speech.points) return { turn, attempt, text, points: length, holed: false };
  if (at + length <= speech.points || speech.holed) return speech;
  return { ...speech, text: head(speech.text, at) + text, points: at + length };
}

/** How much of a spoken turn had been said `elapsed` ms after it began, by its recorded pace. */
export function paced(text, pace, elapsed) {
  let said = 0;
  for (const [ms, count] of pace) {
    if (ms > elapsed) break;
    said = count;
  }
  return { text: head(text, said), points: said };
}
