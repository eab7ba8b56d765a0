/** Words of the ways to watch: highlights, reading aloud, notifications, and notices of points that a turn loses. */

import { count } from "./formatting.js";
import { NAME } from "./words.js";

/** The menu. */
export const WATCH = {
  highlights: "Play the highlights, about a minute",
  noHighlights: "Highlights can be played once the debate has ended.",
  aloud: "Read the speeches aloud",
  served: (voice) => `Generated voices, by ${voice}.`,
  voiceFailed: (message, hasOwn) => {
    const then = hasOwn ? "Your browser’s own voice reads this turn." : "Reading aloud is off.";
    return `${message[0].toUpperCase()}${message.slice(1)}. ${then}`;
  },
  notify: "Notify me when an earlier turn loses points, and of the verdict",
  turns: "Notify me when this side has spoken",
  noSide: "neither side",
  titleOnly: "This browser shows no notifications here. The title of the tab shows the news.",
};

/** The highlights. */
export const HIGHLIGHTS = {
  stop: "Stop",
  caption: (number, all, text) => `${number} of ${all} · ${text}`,
};

/** A page that joined a room. */
export const TOGETHER = {
  follows: "This page follows the wall of the room.",
  waits: "Nobody steers the wall of the room now.",
  leave: "Read by yourself",
};

/** The notifications. */
export const NOTIFY = {
  spoken: (side, turn) => `${NAME[side]} has spoken: turn ${turn}`,
};

/** The notices of earlier turns that lost points. */
export const DOCKS = {
  lost: (turn, points) => `Turn ${turn} lost ${count(points, "point")}`,
  see: "→ see",
  turn: (turn) => `Turn ${turn} `,
};
