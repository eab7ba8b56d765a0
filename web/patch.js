/** RFC 7396: what `patch` makes of `target`.  Neither is changed; what the patch does not name stays the same object. */
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
