/** JSON values: merge patches and shared structure. */

/**
 * Applies a JSON merge patch (RFC 7396). Neither argument is changed; members that the patch does not name stay the
 * same objects.
 * @param {unknown} target
 * @param {unknown} patch
 * @returns {any}
 */
export function merge(target, patch) {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) members.delete(key);
    else members.set(key, merge(members.get(key), value));
  }
  // This defines own members: a key named __proto__ is a key like any other.
  return Object.fromEntries(members);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * `fresh`, with every part that equals its counterpart in `known` replaced by that object: it need not be drawn again.
 * @param {any} known
 * @param {any} fresh Changed in place.
 * @returns {any}
 */
export function shared(known, fresh) {
  if (known === fresh) return fresh;
  if (known === null || fresh === null || typeof known !== "object" || typeof fresh !== "object") return fresh;
  const isSameSize = Object.keys(known).length === Object.keys(fresh).length;
  let isSame = isSameSize && Array.isArray(known) === Array.isArray(fresh);
  for (const key of Object.keys(fresh)) {
    if (Object.hasOwn(known, key)) fresh[key] = shared(known[key], fresh[key]);
    isSame &&= Object.hasOwn(known, key) && fresh[key] === known[key];
  }
  return isSame ? known : fresh;
}
