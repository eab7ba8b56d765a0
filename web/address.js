/** All view state stands in the address: `#e42` is the cursor, `?speed=` the pace, `?follow=0` a cursor that stays. */

/** What the address asks for: `{cursor: number | null, speed, follow}`. */
export function read({ hash, search }) {
  const asked = new URLSearchParams(search);
  const cursor = /^#e([1-9]\d{0,9})$/.exec(hash);
  return {
    cursor: cursor ? Number(cursor[1]) : null,
    speed: asked.has("speed") ? Number(asked.get("speed")) : 1,
    follow: asked.get("follow") !== "0",
  };
}

/** The address for a player's state, as a path with query and hash. */
export function write({ pathname, search }, { following, position, speed }) {
  const asked = new URLSearchParams(search);
  if (speed === 1) asked.delete("speed");
  else asked.set("speed", String(speed));
  asked.delete("follow");
  const text = asked.toString();
  return pathname + (text && `?${text}`) + (following ? "" : `#e${position}`);
}
