/** The words of a turn that a link names (`?said=3.120-245`): shown in view and marked, until the reader goes on. */

const NAME = "said";
/** The words stand at this share of the window. */
const FROM_TOP = 0.4;
const ADDRESS = /^([1-9]\d{0,3})\.(\d{1,7})-(\d{1,7})$/;

/**
 * The part that marks the words; null if the address names none.
 * @param {() => void} leave Ends following: the reader reads here.
 * @returns {{show(): void} | null}
 */
export function said(leave) {
  const found = ADDRESS.exec(new URLSearchParams(location.search).get("said") ?? "");
  if (!found) return null;
  const [turn, start, end] = found.slice(1).map(Number);
  let marked = null;
  let range = null;
  const acts = new AbortController();
  const growth = new ResizeObserver(keep);
  // The page replaces a turn when it learns of later evidence in it.
  const replaced = new MutationObserver(mark);

  /** Marks the words, also in the text that has replaced an earlier one. */
  function mark() {
    const text = document.querySelector(`article.turn[data-turn="${turn}"] .said`);
    if (!text || text === marked) return;
    marked = text;
    range = rangeOf(text, start, end);
    if (range && globalThis.Highlight) CSS.highlights.set(NAME, new Highlight(range));
    keep();
  }

  /** Keeps the words in view while parts that come late push them away, until the reader acts. */
  function keep() {
    if (acts.signal.aborted || !range?.startContainer.isConnected) return;
    const { top, height } = range.getBoundingClientRect();
    scrollBy({ top: top + height / 2 - innerHeight * FROM_TOP, behavior: "instant" });
  }

  function goOn() {
    acts.abort();
    growth.disconnect();
  }

  return {
    show() {
      if (marked) return;
      mark();
      if (!range) return;
      leave();
      growth.observe(document.body);
      replaced.observe(document.querySelector("#transcript"), { childList: true, subtree: true });
      for (const act of ["keydown", "pointerdown", "wheel", "touchmove"]) {
        addEventListener(act, goOn, { capture: true, passive: true, signal: acts.signal });
      }
    },
  };
}

/** The range of code points [start, end) in the text of an element; null if it has fewer. */
function rangeOf(element, start, end) {
  const range = document.createRange();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let before = 0;
  let hasStart = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const all = Array.from(node.data);
    const unitsTo = (point) => all.slice(0, point - before).join("").length;
    if (!hasStart && start < before + all.length) {
      range.setStart(node, unitsTo(start));
      hasStart = true;
    }
    if (hasStart && end <= before + all.length) {
      range.setEnd(node, unitsTo(end));
      return range;
    }
    before += all.length;
  }
  return null;
}
