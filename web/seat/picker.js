/** Words that the person selects in a speech: with the mouse, with a finger, or with the keyboard. */

import { h, setText } from "../parts/dom.js";
import { ASKED } from "../words/asked.js";

/**
 * @typedef {object} Picker
 * @property {(name: string, text: string) => HTMLElement} words The words of a speech, as an element to select in.
 * @property {HTMLElement} bar The bar that stays in view while words are chosen.
 * @property {(names: string[], most: number) => Promise<{name: string, text: string} | null>} choose Lets the person
 *   choose words of one of these speeches; null if the person cancels.
 * @property {() => void} close
 */

/** Longer selections are shown by their two ends. */
const SHOWN = 80;

/**
 * Makes the picker of a group of speeches.
 * @param {string} language A BCP 47 tag.
 * @returns {Picker}
 */
export function wordPicker(language) {
  const speeches = new Map();
  const told = h("p", { role: "status" });
  const use = h("button.primary", { type: "button", on: { click: () => finish(selected) } }, ASKED.use);
  const cancel = h("button", { type: "button", on: { click: () => finish(null) } }, ASKED.cancel);
  const bar = h("div.pick-bar", { role: "region", "aria-label": ASKED.choose, hidden: true }, told, use, cancel);
  let selected = null;
  let done = null;
  let most = Infinity;
  let allowed = [];

  document.addEventListener("selectionchange", follow);

  /** Remembers what is selected: a tap on a button may end the selection before it is read. */
  function follow() {
    const found = selectionIn(speeches);
    if (!found || (done && !allowed.includes(found.name))) return;
    selected = found.text ? found : null;
    if (done) tell();
  }

  function tell() {
    const isLong = selected && [...selected.text].length > most;
    setText(told, selected ? ASKED.selected(shortened(selected.text)) : ASKED.select(allowed));
    if (isLong) setText(told, ASKED.tooLong(most));
    use.disabled = !selected || isLong;
  }

  function choose(names, longest) {
    finish(null);
    allowed = names;
    most = longest;
    if (selected && !names.includes(selected.name)) selected = null;
    for (const name of names) edit(speeches.get(name), true);
    const first = speeches.get(selected?.name ?? names.at(-1));
    bar.hidden = false;
    tell();
    first.scrollIntoView({ block: "nearest" });
    first.closest("article").scrollIntoView({ block: "start", behavior: "instant" });
    if (!selected) first.focus({ preventScroll: true });
    return new Promise((resolve) => {
      done = resolve;
    });
  }

  function finish(chosen) {
    if (!done) return;
    const resolve = done;
    done = null;
    for (const element of speeches.values()) edit(element, false);
    bar.hidden = true;
    selected = null;
    document.getSelection()?.removeAllRanges();
    resolve(chosen);
  }

  function onKey(event) {
    if (!done) return;
    if (event.key === "Escape") finish(null);
    else if (event.key === "Enter" && !use.disabled) finish(selected);
    else return;
    event.preventDefault();
  }

  function words(name, text) {
    const element = h("p.words", { lang: language, dir: "auto", on: { keydown: onKey } }, text);
    for (const type of ["beforeinput", "paste", "drop", "cut"]) {
      element.addEventListener(type, (event) => event.preventDefault());
    }
    speeches.set(name, element);
    element.dataset.name = name;
    return element;
  }

  function close() {
    finish(null);
    document.removeEventListener("selectionchange", follow);
  }

  bar.addEventListener("keydown", (event) => event.key === "Escape" && finish(null));
  return { words, bar, choose, close };
}

/** While words are chosen a speech is a text box that nothing can be typed into: the arrow keys select in it. */
function edit(element, isOn) {
  if (!element) return;
  const attributes = {
    contenteditable: "true",
    inputmode: "none",
    role: "textbox",
    "aria-multiline": "true",
    "aria-readonly": "true",
    "aria-label": ASKED.speechToChooseFrom(element.dataset.name),
    spellcheck: "false",
  };
  for (const [name, value] of Object.entries(attributes)) {
    if (isOn) element.setAttribute(name, value);
    else element.removeAttribute(name);
  }
}

/** The speech in which the selection begins or ends, and the selected words of it; null outside of the speeches. */
function selectionIn(speeches) {
  const selection = document.getSelection();
  if (!selection || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0).cloneRange();
  for (const [name, element] of speeches) {
    const begins = element.contains(range.startContainer);
    const ends = element.contains(range.endContainer);
    if (!begins && !ends) continue;
    if (!ends) range.setEnd(element, element.childNodes.length);
    if (!begins) range.setStart(element, 0);
    return { name, text: String(range).trim() };
  }
  return null;
}

function shortened(text) {
  const characters = [...text];
  if (characters.length <= SHOWN) return text;
  return `${characters.slice(0, SHOWN / 2).join("")} … ${characters.slice(-SHOWN / 2).join("")}`;
}
