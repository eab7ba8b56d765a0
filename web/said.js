/** The words of a turn that a link names (`?said=3.120-245`): shown in view and marked, until the reader goes on. */

const NAME = "said";
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
  let isShown = false;

  return {
    show() {
      const text = document.querySelector(`article.turn[data-turn="${turn}"] .said`);
      if (!text || text === marked) return;
      marked = text;
      const range = rangeOf(text, start, end);
      if (!range) return;
      if (globalThis.Highlight) CSS.highlights.set(NAME, new Highlight(range));
      if (isShown) return;
      isShown = true;
      leave();
      const { top, height } = range.getBoundingClientRect();
      scrollBy({ top: top + height / 2 - innerHeight * 0.4, behavior: "instant" });
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
