/** Documents of a debate that is to be opened: chosen or dropped, and how the server reads each of them. */

import { api } from "../parts/api.js";
import { $, h, setText } from "../parts/dom.js";
import { DOCUMENTS } from "../words/home.js";

const MAX_DOCUMENTS = 20;
const MAX_BYTES = 50_000_000;
/** The bytes of all files of a request: the server refuses longer ones. */
const MAX_TOGETHER = 70_000_000;
/** Passages of a document that the list shows. */
const SHOWN = 3;

/**
 * A document that was read.
 * @typedef {object} Attached
 * @property {{name: string, media_type?: string, base64: string}} sent What the request has.
 * @property {string} sample The first passages, which the estimate has in place of the whole document.
 * @property {number} size
 * @property {number} passages
 */

/**
 * The documents of a form.
 * @param {HTMLElement} root It has the input for files, a list, and a place for an error.
 * @param {() => void} [changed] Called when a document was added or removed.
 * @returns {{
 *   choose(): void, add(files: Iterable<File>): void, body(): object[] | undefined, samples(): object[] | undefined,
 * }} `body` and `samples` are `evidence` of the request and of its estimate.
 */
export function documents(root, changed = () => {}) {
  const [field, list, error] = ["input", "ul", ".error"].map((each) => $(each, root));
  /** Each item of the list, with its document once it is read. @type {Map<HTMLElement, Attached | null>} */
  const items = new Map();
  const read = () => [...items.values()].filter(Boolean);

  /** Shows the numbers that passages will have: those of a later document go on from the one before. */
  function renumber() {
    let before = 0;
    for (const [item, each] of items) {
      for (const place of item.querySelectorAll("[data-number]")) {
        setText(place, `[E${before + Number(place.dataset.number)}] `);
      }
      before += each?.passages ?? 0;
    }
  }
  const total = () => read().reduce((sum, { size }) => sum + size, 0);

  function say(text) {
    setText(error, text);
    error.hidden = !text;
  }

  function remove(item) {
    items.delete(item);
    item.remove();
    say("");
    renumber();
    changed();
  }

  async function addFile(file) {
    const state = h("span.quiet", {}, DOCUMENTS.reading);
    const away = h("button", { type: "button", on: { click: () => remove(item) } }, DOCUMENTS.remove);
    away.setAttribute("aria-label", DOCUMENTS.removeNamed(file.name));
    const item = h("li", {}, h("b", { dir: "auto" }, file.name), " ", state, " ", away);
    items.set(item, null);
    list.append(item);
    try {
      if (file.size > MAX_BYTES) throw new Error(DOCUMENTS.tooLarge(file.name));
      if (total() + file.size > MAX_TOGETHER) throw new Error(DOCUMENTS.tooLargeTogether);
      const sent = { name: file.name, media_type: file.type || undefined, base64: await asBase64(file) };
      const found = await api.readDocument(sent);
      if (!items.has(item)) return;
      const sample = found.first.map(({ text }) => text).join("\n\n");
      items.set(item, { sent, sample, size: file.size, passages: found.passages });
      setText(state, found.says);
      item.append(preview(found));
      renumber();
      changed();
    } catch (fault) {
      if (!items.has(item)) return;
      remove(item);
      say(fault.message);
    }
  }

  function add(files) {
    say("");
    for (const file of files) {
      if (items.size >= MAX_DOCUMENTS) return say(DOCUMENTS.tooMany);
      addFile(file);
    }
    return undefined;
  }

  field.addEventListener("change", () => {
    add([...field.files]);
    field.value = "";
  });
  return {
    choose: () => field.click(),
    add,
    body: () => (read().length ? read().map(({ sent }) => sent) : undefined),
    samples: () => (read().length ? read().map(({ sample }) => ({ name: "sample.txt", text: sample })) : undefined),
  };
}

function preview({ first, passages }) {
  const shown = first.slice(0, SHOWN).map(({ text, page, heading }, i) => {
    const place = [page && DOCUMENTS.page(page), heading].filter(Boolean).join(" · ");
    const number = h("b", { "data-number": String(i + 1) });
    return h("p", { dir: "auto" }, number, place && h("span.quiet", {}, `${place}: `), text);
  });
  const rest = passages > shown.length && h("p.quiet", {}, DOCUMENTS.more(passages - shown.length));
  return h("details", {}, h("summary", {}, DOCUMENTS.preview), shown, rest);
}

/** The bytes of a file in base64. */
function asBase64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(new Error(DOCUMENTS.notRead(file.name)));
    reader.readAsDataURL(file);
  });
}
