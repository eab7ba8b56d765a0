/** Where things stand, in words: the line to the server, and the debate itself. */

import { outcomeWords } from "./words.js";

const LINE = {
  connecting: "Connecting…",
  "catching-up": "Catching up…",
  reconnecting: "Reconnecting…",
  refused: "Not available",
};

/** What `role=status` says: `{name, text}`; `name` is for the style and for tests. */
export function standing(line, player) {
  const { newest, view, following } = player;
  const isOver = newest?.state === "concluded";
  if (LINE[line] && !(isOver && line !== "refused" && line !== "catching-up")) return { name: line, text: LINE[line] };
  if (!following) {
    return { name: "back", text: player.playing ? `Replaying at ${player.speed}×` : "Reading back" };
  }
  if (line === "copy" && newest && !isOver) return { name: "copy", text: `A copy, taken at event ${newest.position}` };
  switch (view?.state) {
    case "concluded":
      return { name: "ended", text: `Ended: ${outcomeWords(view)}` };
    case "halted":
      return { name: "halted", text: "Halted" };
    case "paused":
      return { name: "paused", text: "Paused" };
    default:
      return line === "closed" ? { name: "connecting", text: "Connecting…" } : { name: "live", text: player.wait ? `Live, ${player.wait}` : "Live" };
  }
}
