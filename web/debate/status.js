/** The status of the page in words: the connection to the server, and the debate itself. */

import { openRound } from "../replay/history.js";
import { outcomeWords, STATUS } from "../words/words.js";

/**
 * The text of `role=status`. `name` is for the style and for tests.
 * @param {string} connection The state of the feed, or `copy` in an exported file.
 * @param {Player} player
 * @returns {{name: string, text: string}}
 */
export function statusOf(connection, player) {
  const { newest, view, following } = player;
  const isOver = newest?.state === "concluded";
  const isShown = !isOver || connection === "refused" || connection === "catching-up";
  if (STATUS.connection[connection] && isShown) return { name: connection, text: STATUS.connection[connection] };
  if (!following) return { name: "back", text: movesWords(player) };
  if (connection === "copy" && newest && !isOver) return { name: "copy", text: STATUS.copy(newest.position) };
  switch (view?.state) {
    case "concluded":
      // The bar names the winner.
      return { name: "ended", text: view.outcome ? STATUS.ended : STATUS.endedWith(outcomeWords(view)) };
    case "halted":
      return { name: "halted", text: STATUS.halted };
    case "paused":
      return { name: "paused", text: STATUS.paused };
    default:
      if (connection === "closed") return { name: "connecting", text: STATUS.connection.connecting };
      return { name: "live", text: STATUS.live(player.wait || STATUS.vote[openRound(view?.poll)]) };
  }
}

function movesWords({ playing, newest, speed }) {
  if (!playing) return STATUS.readingBack;
  return newest?.exhibition ? STATUS.showing(speed) : STATUS.replaying(speed);
}
