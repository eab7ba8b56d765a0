/** The functions that tests/browser/page_checks.py runs in a page with hostile text. */

const ELEMENTS = new Set(`a article aside b bdi blockquote body button caption cite code datalist dd del details dialog div dl dt em
  fieldset figcaption figure footer form h1 h2 h3 h4 header i input ins kbd label legend li main mark meter nav noscript ol optgroup
  option p pre q s section select small span summary table tbody td template textarea tfoot th thead time tr u
  ul
  circle g line path polygon rect svg text title tspan`.split(/\s+/));
const ACTIVE = /^on|^src|^action$|^formaction$|^data$|^background$|^ping$|xlink/;
const SCROLLABLE = ".scrolls, .wide-table, .scroll, .visually-hidden, .menu";

/** Elements, attributes and addresses that the page did not make. */
function foreign(isCopy) {
  const found = [];
  const ids = new Map();
  const own = isCopy ? document.URL.split(/[?#]/)[0] : `${location.origin}/`;
  for (const each of document.querySelectorAll("body, body *")) {
    if (isCopy && each.id === "archive") continue;
    if (!ELEMENTS.has(each.localName)) found.push(`element ${each.outerHTML.slice(0, 99)}`);
    if (each.id) ids.set(each.id, (ids.get(each.id) ?? 0) + 1);
    for (const { name, value } of each.attributes) {
      const isWithin = /^(#|\/(?!\/)|\?)/.test(value) || value.startsWith(own);
      if (ACTIVE.test(name)) found.push(`attribute ${name}`);
      if (name === "href" && !isWithin) found.push(`href ${value.slice(0, 99)}`);
      if (name === "style" && !/^(?:[\w-]+: [\d.]+(%|px)?;\s?)+$/.test(value)) found.push(`style ${value.slice(0, 99)}`);
    }
  }
  for (const [id, count] of ids) if (count > 1) found.push(`${count} elements have the id ${id}`);
  if (globalThis.__pwned !== undefined || {}.__pwned !== undefined) found.push("something ran");
  for (const each of Object.keys(Object.prototype)) found.push(`every object has ${each}`);
  return found;
}

/** The page's own words that a direction mark in hostile text reversed. */
function mirrored() {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest(".said, #motion")) continue;
    const isForeign = /[^ -~\n\u00a0-\u00ff\u2010-\u2044\u2100-\u27ff]/.test(node.data.replace(/[\u2066-\u2069]/g, "\u202e"));
    if (isForeign || /[\u202a-\u202e]/.test(node.data)) continue;
    const word = /[A-Za-z]{3,}/.exec(node.data);
    if (!word) continue;
    const [first, last] = [word.index, word.index + 2].map((at) => {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      return range.getBoundingClientRect();
    });
    const isBackwards = first.width && first.top === last.top && first.left > last.left;
    if (isBackwards) found.push(`${word[0]} in ${node.parentElement.outerHTML.slice(0, 99)}`);
  }
  return found;
}

/** The boxes of head and foot: [left, width, distance from the edge, height] in pixels. */
function boxes() {
  return Object.fromEntries(["#top", "#foot"].map((name) => {
    const box = document.querySelector(name)?.getBoundingClientRect();
    const top = box && Math.round(box.top);
    const stuckAt = box && Math.min(0, parseFloat(getComputedStyle(document.querySelector(name)).top));
    const edge = box && Math.round(name === "#top" ? top - Math.max(-scrollY, stuckAt) : innerHeight - box.bottom);
    return [name, box && [box.left, box.width, edge, box.height]];
  }));
}

/** Elements outside the page or wider than it. */
function outside() {
  const isOver = (each) => each.clientWidth && each.scrollWidth > each.clientWidth + 1
    && getComputedStyle(each).overflowX === "visible"
    && ![...each.children].some((one) => one.scrollWidth > each.clientWidth + 1);
  return [...document.querySelectorAll("body *")].filter((each) => {
    const { left, right, width } = each.getBoundingClientRect();
    return width && (right > innerWidth + 1 || left < -1 || isOver(each)) && !each.closest(SCROLLABLE);
  }).map((each) => each.outerHTML.replaceAll("\n", " ").slice(0, 160)).slice(0, 8);
}
