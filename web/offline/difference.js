/** What differs between two positions of a copy, in the shape in which a server says it (`GET …/diff`). */

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isComponent = (keys) => keys.length === 5 && keys[2] === "components";   // points, quote and reason are one value

export class Differences {
  #copy;

  /** `copy` has `view(position)` and `archive.frames`. */
  constructor(copy) {
    this.#copy = copy;
  }

  between(from, to) {
    const touched = node();
    const frames = this.#copy.archive.frames.slice(from, to);
    for (const { position, patch } of frames) note(touched, patch, position, 0);
    const before = this.#copy.view(from);
    const changes = [...walk(before, this.#copy.view(to), [], touched, [])].filter(({ keys }) => keys[0] !== "position");
    const cited = new Set(changes.flatMap((change) => change.because_of));
    const events = Object.fromEntries(frames.filter(({ position }) => cited.has(position)).map(({ position, event, cause }) => [
      position, Object.fromEntries(Object.entries({ type: event.type, turn: event.turn, rule: event.rule, cause }).filter(([, value]) => value !== undefined && value !== null)),
    ]));
    return { from, to, changes, events };
  }
}

const node = () => ({ positions: [], below: new Map() });

function note(place, patch, position, depth) {
  if (!isObject(patch) || !Object.keys(patch).length || depth === 5) {
    place.positions.push(position);
    return;
  }
  for (const [key, deeper] of Object.entries(patch)) {
    if (!place.below.has(key)) place.below.set(key, node());
    note(place.below.get(key), deeper, position, depth + 1);
  }
}

function* all({ positions, below }) {
  yield* positions;
  for (const each of below.values()) yield* all(each);
}

function* walk(before, after, keys, touched, above) {
  const isWalked = isObject(after) && (isObject(before) || (before === undefined && Object.keys(after).length > 0));
  if (isWalked && !isComponent(keys)) {
    const old = before ?? {};
    const replaced = [...above, ...touched.positions];
    for (const key of [...Object.keys(after), ...Object.keys(old).filter((each) => !Object.hasOwn(after, each))]) {
      const [was, is] = [old, after].map((each) => (Object.hasOwn(each, key) ? each[key] : undefined));
      if (was !== is) yield* walk(was, is, [...keys, key], touched.below.get(key) ?? node(), replaced);
    }
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    const because = [...new Set([...above, ...all(touched)])].sort((a, b) => a - b);
    yield { path: keys.join("."), keys, ...(before !== undefined && { before }), ...(after !== undefined && { after }), because_of: because };
  }
}
