/** Records where the words that are read stand, frame by frame, as they are painted: `film`. Run before a page. */

globalThis.film = [];
/** The turn whose words are read; null: the newest one. */
globalThis.readTurn = null;
let before = null;

/** Where the character at an offset stands. */
function boxAt(said, offset) {
  const walker = document.createTreeWalker(said, NodeFilter.SHOW_TEXT);
  let left = offset;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (left < node.length) {
      const range = document.createRange();
      range.setStart(node, left);
      range.setEnd(node, left + 1);
      return range.getBoundingClientRect();
    }
    left -= node.length;
  }
  return null;
}

/** The offset at which the last line begins. */
function lastLine(said) {
  const { length } = said.textContent;
  const { top } = boxAt(said, length - 1);
  let [low, high] = [0, length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (boxAt(said, middle).top < top - 4) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of entries that each turn shows. */
function entries() {
  const lists = [...document.querySelectorAll("article.turn")].map((turn) => {
    return [turn.dataset.turn, turn.querySelectorAll(".entries > li").length];
  });
  return Object.fromEntries(lists);
}

function record() {
  const said = readTurn
    ? document.querySelector(`[data-turn="${readTurn}"] .said`)
    : [...document.querySelectorAll("article.turn .said:not(:empty)")].at(-1);
  if (!said) return;
  const article = said.closest("article");
  const [{ bottom: from }, { top: to }] = ["#top", "#foot"].map((one) => {
    return document.querySelector(one).getBoundingClientRect();
  });
  const { turn } = article.dataset;
  const { height } = said.getBoundingClientRect();
  const begins = lastLine(said);
  const line = boxAt(said, begins);
  const same = before?.turn === turn ? before : null;
  film.push({
    turn,
    isSpeaking: article.matches(".speaking"),
    isOver: Boolean(document.querySelector(".ending .verdict")),
    moved: same && boxAt(said, same.begins).top - same.top,
    grown: same && height - same.height,
    isInView: line.top >= from - 1 && line.bottom <= to + 1,
    entries: entries(),
  });
  before = { turn, height, begins, top: line.top };
}

/** An observer that is made last is told last, after everything that moves the page and before the page is painted. */
function start() {
  const box = document.createElement("div");
  box.style.cssText = "position: fixed; top: 0; height: 1px; pointer-events: none";
  document.documentElement.append(box);
  new ResizeObserver(record).observe(box);
  let width = 0;
  function tick() {
    width = 1 - width;
    box.style.width = `${width}px`;
    requestAnimationFrame(tick);
  }
  tick();
}

addEventListener("DOMContentLoaded", () => {
  const isReady = () => document.body.hasAttribute("data-ready");
  const ready = new MutationObserver(() => {
    if (!isReady()) return;
    ready.disconnect();
    start();
  });
  ready.observe(document.body, { attributes: true });
});
