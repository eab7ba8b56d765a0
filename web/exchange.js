/** What an exchange shows: its transcript, the margin, the course of its scores, what each case stands on. */

import { $ } from "./dom.js";
import { graph } from "./graph.js";
import { anomalies, register, scorecard, temper } from "./margin.js";
import { transcript } from "./transcript.js";
import { spine } from "./verdicts.js";

/** The parts in their places; `appeal(claim)` asks for a second opinion. */
export function exchange(go, id, appeal) {
  const record = transcript($("#transcript"), go, id);
  const card = scorecard($("#scorecard"));
  const course = graph($("#graph"), go);
  const [claims, odd] = [register($("#claims"), appeal, go), anomalies($("#anomalies"))];
  const [tempers, cases] = [temper($("#temper"), go), spine($("#spine"), go)];
  return {
    record,
    show(view, { head, at }) {
      card.show(view.scorecard);
      course.show(view, head ? null : at);
      claims.show(view, head);
      odd.show(view);
      tempers.show(view);
      cases.show(view);
    },
  };
}
