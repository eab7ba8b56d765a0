/** RFC 7396: what `patch` makes of `target`.  Neither is changed; what it does not name stays the same object. */
export function merge(target, patch) {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) members.delete(key);
    else members.set(key, merge(members.get(key), value));
  }
  return Object.fromEntries(members);   // defines own members: a key named __proto__ is a key like any other
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `fresh`, with what equals `known` taken from there: it need not be drawn anew. */
export function shared(known, fresh) {
  if (known === null || fresh === null || typeof known !== "object" || typeof fresh !== "object") return fresh;
  let isSame = Object.keys(known).length === Object.keys(fresh).length && Array.isArray(known) === Array.isArray(fresh);
  for (const key of Object.keys(fresh)) {
    if (Object.hasOwn(known, key)) fresh[key] = shared(known[key], fresh[key]);
    isSame &&= Object.hasOwn(known, key) && fresh[key] === known[key];
  }
  return isSame ? known : fresh;
}
