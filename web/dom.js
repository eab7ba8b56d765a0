/** Small makers of elements.  Whatever is given as a child becomes text, never markup. */

const SVG = "http://www.w3.org/2000/svg";
/** Marks that turn the direction of what follows: text keeps its own to itself. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/;

/** `h("p.said", {id: "x", on: {click}}, "text", node)`: an element with classes, attributes, listeners and children. */
export function h(name, attributes = {}, ...children) {
  return made(document.createElement(name.split(".")[0]), name, attributes, children);
}

/** The same in the SVG namespace. */
export function s(name, attributes = {}, ...children) {
  return made(document.createElementNS(SVG, name.split(".")[0]), name, attributes, children);
}

function made(element, name, attributes, children) {
  const [, ...classes] = name.split(".");
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [type, listener] of Object.entries(value)) element.addEventListener(type, listener);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(key, String(value));
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (element.namespaceURI !== SVG && name !== "bdi" && TURNING.test(child) ? h("bdi", {}, child) : child)));
  return element;
}

const BUNDLE = 20;
/** Attributes of a link to the event at `position`. */
export const toEvent = (position, go) => ({ href: `#e${position}`, on: { click: (event) => { event.preventDefault(); go(Number(position)); } } });

const rows = new WeakMap();
const built = new WeakMap();   // value → its element, for who comes back to it

/** Children of `root` out of `[key, value, make]`, in an order that holds: what has the same value stays. */
export function keep(root, entries) {
  const known = rows.get(root) ?? new Map();
  const now = new Map();
  let place = root.firstChild;
  for (const [key, value, make] of entries) {
    const old = known.get(key);
    const { as, element } = built.get(value)?.as === key ? built.get(value) : { as: key, element: make() };
    if (value) built.set(value, { as, element });
    now.set(key, element);
    if (!old) root.insertBefore(element, place);
    else if (old !== element) old.replaceWith(element);
    if (old) place = element.nextSibling;
  }
  for (const [key, element] of known) if (!now.has(key)) element.remove();
  rows.set(root, now);
}

const bundles = new WeakMap();

/** The same for a long list, in bundles (each a `name`) that are passed over where they are far from sight. */
export function bundled(root, name, entries) {
  const known = bundles.get(root) ?? bundles.set(root, []).get(root);
  const now = Array.from({ length: Math.ceil(entries.length / BUNDLE) }, (_, i) => known[i] ??= h(`${name}.bundle`));
  now.forEach((each, i) => keep(each, entries.slice(i * BUNDLE, (i + 1) * BUNDLE)));
  keep(root, now.map((each, i) => [i, each, () => each]));
}

/** Replaces text only where it differs: live regions and selections are left in peace. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Words for those who hear the page and do not see it. */
export const heard = (text) => h("span.heard", {}, text);

export const $ = (selector, root = document) => root.querySelector(selector);

/** What the browser remembers, if it does. */
export const memory = {
  get(key) {
    try { return localStorage.getItem(`moot.${key}`); } catch { return null; }
  },
  set(key, value) {
    try { localStorage.setItem(`moot.${key}`, value); } catch { /* private window: it holds for this page */ }
  },
};
