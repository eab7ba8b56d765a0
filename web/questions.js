/** How many of the judge's questions about a turn, or about a protocol, have been answered. */

/** The questions about a turn of an exchange, by purpose, each asked once for every sample. */
export const QUESTIONS = { first: 3, later: 6, laterOfPerson: 5 };
const ABOUT_A_TURN = new Set(["score", "claims", "premises", "compare", "gaps"]);
const ABOUT_A_PROTOCOL = new Set(["assess", "panel"]);

/** The number of different answers of some purposes after a position; null if the page does not hold all frames. */
function answersAfter(start, { position }, purposes, frameAt) {
  const found = new Set();
  for (let at = start + 1; at <= position; at += 1) {
    const event = frameAt(at)?.event;
    if (!event) return null;
    if (event.type === "model_answered" && purposes.has(event.purpose)) found.add(`${event.key} ${event.sample}`);
  }
  return found.size;
}

/**
 * The questions about a turn that has been spoken and is not judged yet.
 * @param {number} turn
 * @param {View} view
 * @param {(position: number) => object | undefined} frameAt
 * @returns {{answered: number, asked: number} | null} Null if it is not known.
 */
export function questionsAbout(turn, view, frameAt) {
  const answered = answersAfter(view.turns[turn].spoken, view, ABOUT_A_TURN, frameAt);
  const later = view.judge?.model?.startsWith("person:") ? QUESTIONS.laterOfPerson : QUESTIONS.later;
  const asked = (turn === 1 ? QUESTIONS.first : later) * (view.judge?.samples ?? 1);
  return answered === null ? null : { answered, asked };
}

/**
 * The questions about a protocol whose closings have been stated: one to the judge, one to each rater.
 * @param {View} view
 * @param {(position: number) => object | undefined} frameAt
 * @returns {{answered: number, asked: number} | null} Null if it is not known.
 */
export function questionsAtTheEnd(view, frameAt) {
  const { positions, assessment } = view.protocol;
  const ends = ["closing:pro", "closing:con"].map((name) => positions[name]);
  if (assessment || ends.includes(undefined)) return null;
  const answered = answersAfter(Math.max(...ends), view, ABOUT_A_PROTOCOL, frameAt);
  const raters = Object.values(view.panel?.raters ?? {});
  const samples = raters.reduce((sum, { seat }) => sum + (seat.samples ?? 1), 0);
  return answered === null ? null : { answered, asked: (view.judge?.samples ?? 1) + samples };
}
