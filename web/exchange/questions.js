/** How many of the judge's questions about a turn, or about a protocol, have been answered. */

/** The questions about a turn of an exchange, by purpose, each asked once for every sample. */
export const QUESTIONS = { first: 3, later: 6, laterOfPerson: 5, evidence: 2, evidenceOfPerson: 1 };
/** The same for a judge that is asked briefly. */
const BRIEF = { first: 2, later: 3 };
const JOINT = ["score_and_claims", "gaps_and_premises"];
const ABOUT_A_TURN = new Set(["score", "claims", "premises", "compare", "gaps", "evidence", ...JOINT]);
const EVIDENCE = new Set(["evidence"]);
const ABOUT_A_PROTOCOL = new Set(["assess", "panel"]);
/** A citation, as judge/evidence/citations.py reads it: `[E3]`, `(E3 and E5, p. 2)`. */
const ID = String.raw`E[ \u00a0]?\d{1,5}`;
const NEXT = String.raw`\s{0,2}(?:[,;/&+、，；–-]|and|und|et|y)\s{0,2}${ID}`;
const PLACE = String.raw`\s{0,2}[,:][^\])）］】]{0,30}`;
const MARK = new RegExp(String.raw`[[(（［【]\s{0,2}${ID}(?:${NEXT})*(?:${PLACE})?\s{0,2}[\])）］】]`, "gi");

/** Whether a text cites a passage that the evidence has; the passages are E1 to the last one of all documents. */
function citesPassage(text, { documents }) {
  const last = Object.values(documents).reduce((sum, { passages }) => sum + passages, 0);
  const ids = (text.match(MARK) ?? []).flatMap((mark) => mark.match(new RegExp(ID, "gi")));
  return ids.map((id) => Number(id.slice(1))).some((number) => number >= 1 && number <= last);
}

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
 * The questions about a turn that has been spoken and is not judged yet.  Those about evidence count from the beginning
 * if the turn cites a passage; about a claim without a citation they count once the first one is answered.
 * @param {number} turn
 * @param {View} view
 * @param {(position: number) => object | undefined} frameAt
 * @returns {{answered: number, asked: number} | null} Null if it is not known.
 */
export function questionsAbout(turn, view, frameAt) {
  const { spoken, text } = view.turns[turn];
  const answered = answersAfter(spoken, view, ABOUT_A_TURN, frameAt);
  if (answered === null) return null;
  const isPerson = view.judge?.model?.startsWith("person:");
  const { first, later: laterOfModel } = view.judge?.effort === "brief" ? BRIEF : QUESTIONS;
  const later = isPerson ? QUESTIONS.laterOfPerson : laterOfModel;
  const weighs = view.evidence && (citesPassage(text, view.evidence) || answersAfter(spoken, view, EVIDENCE, frameAt));
  const evidence = isPerson ? QUESTIONS.evidenceOfPerson : QUESTIONS.evidence;
  const asked = (turn === 1 ? first : later) + (weighs ? evidence : 0);
  return { answered, asked: asked * (view.judge?.samples ?? 1) };
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
