/** What the chair of a debate does to it for everyone: pause, go on, one turn, halt, say, close a vote. */

import { api } from "../parts/api.js";
import { openRound } from "../replay/history.js";
import { MODERATOR } from "../words/acts.js";

const judged = ({ turns }) => Object.values(turns).filter((turn) => turn.judged).length;

/**
 * The acts for debate `id`; a refusal goes to `showError`.
 * @param {string} id
 * @param {(error: Error) => void} showError
 */
export function chair(id, showError) {
  let newest = null;
  /** The number of judged turns after which the debate pauses. */
  let stopAt = Infinity;
  const act = (name, reason) => api.act(id, name, reason).catch(showError);
  const isOpen = () => newest.state === "open";

  return {
    /** Tells the newest view: the acts are about the debate as it is now. */
    see(view) {
      newest = view;
      if (judged(view) < stopAt) return;
      stopAt = Infinity;
      if (isOpen()) act("pause", MODERATOR.pauseReason);
    },
    /** Pauses the debate, or lets it go on. */
    toggle() {
      stopAt = Infinity;
      return isOpen() ? act("pause", MODERATOR.pauseReason) : act("resume", MODERATOR.resumeReason);
    },
    /** Lets the debate go on until one more turn has been judged, as long as this page is open. */
    next() {
      stopAt = judged(newest) + 1;
      return isOpen() ? undefined : act("resume", MODERATOR.nextReason);
    },
    halt: (reason) => act("halt", reason || MODERATOR.haltReason),
    say: (text) => api.say(id, text),
    /** Closes the vote that is open. */
    closeVote() {
      const when = openRound(newest.poll);
      return when && api.closePoll(id, when).catch(showError);
    },
  };
}
