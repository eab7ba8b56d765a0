/** Small makers of elements.  Whatever is given as a child becomes text, never markup. */

const SVG = "http://www.w3.org/2000/svg";
/** Marks that turn what follows them to the right or to the left: text that has some keeps them to itself. */
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

const rows = new WeakMap();
const built = new WeakMap();   // value → its element, for who comes back to it

/** Makes the children of `root` out of `[key, value, make]`, in an order that holds: what has the same value stays as it is. */
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

/** Replaces the text only where it differs, so that live regions and selections are left in peace. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Words for those who hear the page and do not see it. */
export const heard = (text) => h("span.heard", {}, text);

export const $ = (selector, root = document) => root.querySelector(selector);

/** What the browser remembers between visits; a browser that remembers nothing is no error. */
export const memory = {
  get(key) {
    try { return localStorage.getItem(`moot.${key}`); } catch { return null; }
  },
  set(key, value) {
    try { localStorage.setItem(`moot.${key}`, value); } catch { /* private window: it holds for this page */ }
  },
};
