/** A page that joined a room shows what its wall shows: the same event at the same moment. */

import { api } from "../parts/api.js";
import { changed } from "../parts/address.js";
import { h, setText } from "../parts/dom.js";
import { TOGETHER } from "../words/watch.js";

/** The server is asked again after this long where no wall steers, or where it did not answer. */
const AGAIN_MS = 3_000;
/** A page that plays may be so many events away from the wall, which plays at the same pace. */
const APART = 1;

/**
 * Follows the wall until the reader leaves the room.
 * @param {string} id
 * @param {import("../replay/player.js").Player} player
 */
export async function together(id, player) {
  const told = h("span");
  const leave = h("button", { type: "button", on: { click: () => part() } }, TOGETHER.leave);
  const note = h("p.together", { role: "status" }, told, leave);
  document.querySelector("main").prepend(note);
  let isIn = true;

  function part() {
    isIn = false;
    note.remove();
    history.replaceState(history.state, "", changed(location, { room: null }));
  }

  let known;
  while (isIn) {
    const shown = await api.room(id, known).catch(() => ({ position: null }));
    if (!isIn) return;
    known = shown.position === null ? undefined : shown;
    setText(told, known ? TOGETHER.follows : TOGETHER.waits);
    if (known) await follow(known).catch(() => undefined); // The next answer tries again.
    else await new Promise((done) => setTimeout(done, AGAIN_MS));
  }

  async function follow({ position, playing }) {
    if (position === 0) return player.live();
    const apart = Math.abs(player.position - position);
    if (playing && player.playing && apart <= APART) return undefined;
    if (apart > 0 || player.following) await player.go(position, { stay: true });
    if (playing !== player.playing) player.toggle();
    return undefined;
  }
}
