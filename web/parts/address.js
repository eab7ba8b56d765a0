/**
 * The state of the page is in its address: `#e42` is the cursor, `?speed=` the speed, `?play` a cursor that plays,
 * `?follow=0` one that does not follow, `?view=audit` the log (on small screens also `score` and `vote`), `?turn=3` the
 * turn whose score is explained. Other members are filters of the log.
 */

const VIEWS = ["debate", "score", "vote", "audit"];

/** @typedef {{pathname: string, search: string, hash: string}} Address The part of `location` that is used here. */

/**
 * The state that an address names.
 * @param {Address} address
 * @returns {{cursor: number | null, speed: number, follow: boolean, play: boolean, view: string, turn: number | null}}
 */
export function read({ hash, search }) {
  const query = new URLSearchParams(search);
  const cursor = /^#e([1-9]\d{0,9})$/.exec(hash);
  return {
    cursor: cursor ? Number(cursor[1]) : null,
    speed: query.has("speed") ? Number(query.get("speed")) : 1,
    follow: query.get("follow") !== "0",
    play: query.has("play"),
    view: VIEWS.includes(query.get("view")) ? query.get("view") : "debate",
    turn: /^[1-9]\d{0,3}$/.test(query.get("turn")) ? Number(query.get("turn")) : null,
  };
}

/**
 * The address of a player's state.
 * @param {Address} address
 * @param {{following: boolean, position: number, speed: number}} player
 * @returns {string}
 */
export function write({ pathname, search }, { following, position, speed }) {
  const query = new URLSearchParams(search);
  if (speed === 1) query.delete("speed");
  else query.set("speed", String(speed));
  query.delete("follow");
  query.delete("play");
  return join(pathname, query, following ? "" : `#e${position}`);
}

/**
 * The address with other members in its query. Members without a value are removed.
 * @param {Address} address
 * @param {Record<string, unknown>} members
 * @returns {string}
 */
export function changed({ pathname, search, hash }, members) {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(members)) {
    if (value === null || value === undefined || value === "" || value === "debate") query.delete(name);
    else query.set(name, String(value));
  }
  return join(pathname, query, hash);
}

function join(pathname, query, hash) {
  const text = query.toString();
  return pathname + (text && `?${text}`) + hash;
}

/**
 * @param {string} first A debate.
 * @param {string} second Another judging of its turns.
 * @returns {string} The address that compares them.
 */
export const compareHref = (first, second) => `/compare?${new URLSearchParams({ a: first, b: second })}`;
