/** The announcements of events for screen readers, which are loaded with the first event that is reached. */

import { count, number } from "./formatting.js";
import { NAME, STANDING, VERDICT } from "./words.js";

/**
 * The announcement of an event for screen readers; null for events that are not announced.
 * @param {object} event
 * @param {View} view The view after the event.
 * @returns {string | null}
 */
export function announcement(event, view) {
  switch (event.type) {
    case "turn_spoken":
      return event.by === "transcript"
        ? `Turn ${event.turn}, ${NAME[event.side]}, from the transcript: ${count(event.words, "word")}.`
        : `${NAME[event.side]} finished turn ${event.turn}: ${count(event.words, "word")}.`;
    case "turn_scored": {
      const { composite } = view.turns[event.turn] ?? {};
      const isScored = typeof composite === "number";
      return isScored ? `Turn ${event.turn} scored ${number(composite, 1)}.` : `No score for turn ${event.turn}.`;
    }
    case "argument_traced":
      return event.standing ? `${event.argument}: ${STANDING[event.standing]}.` : null;
    case "debate_concluded":
      return view.outcome ? `${view.outcome.headline}.` : null;
    case "panel_concluded":
      return event.winner === "neither" ? "The panel names no winner." : `The panel concludes: ${NAME[event.winner]}.`;
    case "artifact_judged":
      return event.verdict ? `Verdict: ${VERDICT[event.verdict]}.` : null;
    default:
      return null;
  }
}
