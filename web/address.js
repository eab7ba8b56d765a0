/**
 * All view state stands in the address: `#e42` is the cursor, `?speed=` the pace, `?follow=0` a cursor that stays,
 * `?view=audit` the log, `?turn=3` the turn whose score is asked about; further members belong to the log's filters.
 */

/** What the address asks for: `{cursor: number | null, speed, follow, view, turn: number | null}`. */
export function read({ hash, search }) {
  const asked = new URLSearchParams(search);
  const cursor = /^#e([1-9]\d{0,9})$/.exec(hash);
  return {
    cursor: cursor ? Number(cursor[1]) : null,
    speed: asked.has("speed") ? Number(asked.get("speed")) : 1,
    follow: asked.get("follow") !== "0",
    view: asked.get("view") === "audit" ? "audit" : "debate",
    turn: /^[1-9]\d{0,3}$/.test(asked.get("turn")) ? Number(asked.get("turn")) : null,
  };
}

/** The address for a player's state. */
export function write({ pathname, search }, { following, position, speed }) {
  const asked = new URLSearchParams(search);
  if (speed === 1) asked.delete("speed");
  else asked.set("speed", String(speed));
  asked.delete("follow");
  return put(pathname, asked, following ? "" : `#e${position}`);
}

/** The address with other members in its query; those without a value are left out. */
export function changed({ pathname, search, hash }, members) {
  const asked = new URLSearchParams(search);
  for (const [name, value] of Object.entries(members)) {
    if (value === null || value === undefined || value === "" || value === "debate") asked.delete(name);
    else asked.set(name, String(value));
  }
  return put(pathname, asked, hash);
}

function put(pathname, asked, hash) {
  const text = asked.toString();
  return pathname + (text && `?${text}`) + hash;
}
