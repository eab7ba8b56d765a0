/** Functions that make and update elements. A string given as a child becomes text, never markup. */

const SVG = "http://www.w3.org/2000/svg";
/** Characters that change the direction of the text that follows them: such text gets a `<bdi>` of its own. */
const DIRECTION_MARK = /[\u202a-\u202e\u2066-\u2069]/;
/** Letters of other scripts than Latin. */
const FOREIGN = /[\u0370-\u1fff\u2e80-\ud7ff\uf900-\ufefc]/;
/** Elements that hold words of a debater or of the judge. */
const SPOKEN = /^(?:q|mark)\b|\.(?:said|prose|motion|thesis|grounds|spoken)\b/;
const BATCH_SIZE = 20;

/** The language of the debate that the page shows, if it is not English. */
export let language = "";

/** @typedef {Node | string | number | null | undefined | false} Child `null`, `undefined` and `false` are left out. */

/**
 * An HTML element: `h("p.said", {id: "x", on: {click}}, "text", node)`.
 * @param {string} name The tag, then classes, separated by dots.
 * @param {Record<string, any>} [attributes] `on` holds listeners by event; `true` sets an empty attribute;
 *   `false`, `null` and `undefined` leave the attribute out.
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name.split(".")[0]), name, attributes, children);
}

/**
 * The same as `h` for an SVG element.
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name.split(".")[0]), name, attributes, children);
}

/**
 * Tells the language of the words of debaters and judge from now on.
 * @param {string | undefined} tag A BCP 47 tag.
 */
export function speak(tag) {
  language = tag === "en" ? "" : tag ?? "";
}

/**
 * Words of the debate, marked with its language unless it is English.
 * @param {string} text
 * @returns {Child}
 */
export const inLanguage = (text) => (language && text ? h("span", { lang: language }, text) : text);

function fill(element, name, attributes, children) {
  const [, ...classes] = name.split(".");
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") {
      for (const [type, listener] of Object.entries(value)) element.addEventListener(type, listener);
    } else if (value === true) {
      element.setAttribute(key, "");
    } else if (value !== false && value !== undefined && value !== null) {
      element.setAttribute(key, String(value));
    }
  }
  const isHtml = element.namespaceURI !== SVG;
  const isSpoken = language && isHtml && SPOKEN.test(name);
  const shown = children.flat(2).filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...shown.map((child) => {
    if (!isHtml || name === "bdi") return child;
    if (DIRECTION_MARK.test(child)) return h("bdi", {}, child);
    return language && !isSpoken && !element.lang && FOREIGN.test(child) ? inLanguage(child) : child;
  }));
  if (isSpoken && !name.startsWith("mark")) element.lang = language;
  const isWhole = element.lang || (shown.length === 1 && element.firstChild.lang);
  if (isHtml && isWhole && !attributes.lang) element.dir = "auto";
  return element;
}

/**
 * A listener for a link that acts on this page and does not navigate.
 * @param {() => void} act
 * @returns {{click: (event: Event) => void}} For the attribute `on`.
 */
export function onClick(act) {
  return {
    click: (event) => {
      event.preventDefault();
      act();
    },
  };
}

/**
 * Attributes of a link to an event of the log.
 * @param {number | string} position
 * @param {(position: number) => void} go
 * @returns {Record<string, any>}
 */
export const eventLink = (position, go) => ({ href: `#e${position}`, on: onClick(() => go(Number(position))) });

/**
 * Text for screen readers only.
 * @param {string} text
 * @returns {HTMLElement}
 */
export const hiddenText = (text) => h("span.visually-hidden", {}, text);

/**
 * The first element that matches a selector.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement | null}
 */
export const $ = (selector, root = document) => root.querySelector(selector);

/**
 * Replaces an element's text only where it differs: a live region is not announced again, a selection stays.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * A function that says whether any of its arguments differs from those of the call before.
 * @returns {(...values: unknown[]) => boolean}
 */
export function changeDetector() {
  let last = [];
  return (...values) => {
    const isChanged = values.length !== last.length || values.some((value, i) => value !== last[i]);
    last = values;
    return isChanged;
  };
}

/** @typedef {[key: unknown, value: object | null, make: () => Element]} Entry A child; see `updateChildren`. */

const childrenOf = new WeakMap();
/** Value → the element made for it: a reader who goes back to an earlier view gets the same elements. */
const elementOf = new WeakMap();

/**
 * Makes `entries` the children of `root`, in a fixed order. An entry whose value has not changed keeps its element.
 * @param {Element} root
 * @param {Entry[]} entries
 */
export function updateChildren(root, entries) {
  const before = childrenOf.get(root) ?? new Map();
  const now = new Map();
  let place = root.firstChild;
  for (const [key, value, make] of entries) {
    const old = before.get(key);
    const known = elementOf.get(value);
    const element = known?.key === key ? known.element : make();
    if (value) elementOf.set(value, { key, element });
    now.set(key, element);
    if (!old) root.insertBefore(element, place);
    else if (old !== element) old.replaceWith(element);
    if (old) place = element.nextSibling;
  }
  for (const [key, element] of before) {
    if (!now.has(key)) element.remove();
  }
  childrenOf.set(root, now);
}

const batchesOf = new WeakMap();

/**
 * The same for a long list, in batches that the browser does not lay out while they are far from the viewport.
 * @param {Element} root
 * @param {string} name The element of a batch, as `h` takes it.
 * @param {Entry[]} entries
 */
export function updateInBatches(root, name, entries) {
  const known = batchesOf.get(root) ?? [];
  batchesOf.set(root, known);
  const batches = Array.from({ length: Math.ceil(entries.length / BATCH_SIZE) }, (_, i) => {
    known[i] ??= h(`${name}.batch`);
    return known[i];
  });
  batches.forEach((batch, i) => updateChildren(batch, entries.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE)));
  updateChildren(root, batches.map((batch, i) => [i, batch, () => batch]));
}

/**
 * The browser's local storage. Without it (a private window), values are not kept.
 * @type {{get(key: string): string | null, set(key: string, value: string): void}}
 */
export const storage = {
  get(key) {
    try {
      return localStorage.getItem(`moot.${key}`);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(`moot.${key}`, value);
    } catch {
      // The value holds for this page.
    }
  },
};
