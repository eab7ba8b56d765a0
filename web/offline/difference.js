/** The difference between two positions of an exported debate, as the server's `GET …/diff` has it. */

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** Points, quote and reason of a component are one value. */
const isComponent = (keys) => keys.length === 5 && keys[2] === "components";
/** Members of a view that are not compared: the lead follows from others. */
const IGNORED = ["position", "lead"];
/** Patches are followed to this depth. */
const DEPTH = 5;

/** The differences of one debate. */
export class Differences {
  #copy;

  /** @param {{view(position: number): object, archive: {frames: object[]}}} copy */
  constructor(copy) {
    this.#copy = copy;
  }

  /**
   * @param {number} from
   * @param {number} to
   * @returns {{from: number, to: number, changes: object[], events: Record<number, object>}}
   */
  between(from, to) {
    const touched = node();
    const frames = this.#copy.archive.frames.slice(from, to);
    for (const { position, patch } of frames) note(touched, patch, position, 0);
    const before = this.#copy.view(from);
    const all = [...walk(before, this.#copy.view(to), [], touched, [])];
    const changes = all.filter(({ keys }) => !IGNORED.includes(keys[0]));
    const cited = new Set(changes.flatMap((change) => change.because_of));
    const events = {};
    for (const { position, event, cause } of frames) {
      if (cited.has(position)) events[position] = summary(event, cause);
    }
    return { from, to, changes, events };
  }
}

function summary({ type, turn, rule }, cause) {
  const members = Object.entries({ type, turn, rule, cause });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined && value !== null));
}

/** The positions whose patches touched a value, and the same for its members. */
const node = () => ({ positions: [], below: new Map() });

function note(place, patch, position, depth) {
  if (!isObject(patch) || !Object.keys(patch).length || depth === DEPTH) {
    place.positions.push(position);
    return;
  }
  for (const [key, deeper] of Object.entries(patch)) {
    if (!place.below.has(key)) place.below.set(key, node());
    note(place.below.get(key), deeper, position, depth + 1);
  }
}

function* allPositions({ positions, below }) {
  yield* positions;
  for (const each of below.values()) yield* allPositions(each);
}

function* walk(before, after, keys, touched, above) {
  const isWalked = isObject(after) && (isObject(before) || (before === undefined && Object.keys(after).length > 0));
  if (isWalked && !isComponent(keys)) {
    const old = before ?? {};
    const replaced = [...above, ...touched.positions];
    const removed = Object.keys(old).filter((each) => !Object.hasOwn(after, each));
    for (const key of [...Object.keys(after), ...removed]) {
      const [was, is] = [old, after].map((each) => (Object.hasOwn(each, key) ? each[key] : undefined));
      if (was !== is) yield* walk(was, is, [...keys, key], touched.below.get(key) ?? node(), replaced);
    }
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    const because = [...new Set([...above, ...allPositions(touched)])].sort((a, b) => a - b);
    const values = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
    yield { path: keys.join("."), keys, ...values, because_of: because };
  }
}
