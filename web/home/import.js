/** The import of a log: a file is chosen, or dropped on the page. A dropped transcript goes to the part for it. */

import { api } from "../parts/api.js";
import { $, setText } from "../parts/dom.js";
import { IMPORT } from "../words/home.js";

const MAX_BYTES = 256 * 1024 * 1024;
const TRANSCRIPT = /\.(?:txt|md|markdown|csv|tsv|vtt|srt|json)$/i;
let part = null;

/**
 * Lets files be dropped on the page.
 * @returns {{choose(): void}}
 */
export function importer() {
  part ??= begin();
  return part;
}

function begin() {
  const field = $("#import-file");
  const note = $("#import-drop");
  const hasFile = ({ dataTransfer }) => dataTransfer?.types.includes("Files");

  function say(text) {
    setText(note, text);
    note.hidden = !text;
  }

  function showError(file, why) {
    say("");
    setText($("#list-error"), IMPORT.failed(file.name, why));
    $("#list-error").hidden = false;
  }

  async function judge(file) {
    say("");
    $("#supply").open = true;
    const { supply } = await import("./supply.js");
    supply().take(file);
  }

  async function take(file) {
    $("#list-error").hidden = true;
    if (file.size > MAX_BYTES) return showError(file, IMPORT.tooLarge);
    if (file.size === 0) return showError(file, IMPORT.empty);
    say(IMPORT.reading(file.name));
    try {
      const { debate } = await api.importLog(file);
      return location.assign(`/d/${encodeURIComponent(debate)}`);
    } catch (error) {
      return showError(file, error.message);
    }
  }

  field.addEventListener("change", () => {
    const [file] = field.files;
    if (file) take(file);
    field.value = "";
  });
  addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    say(IMPORT.drop);
  });
  addEventListener("dragleave", ({ relatedTarget }) => relatedTarget === null && say(""));
  addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if ($("#supply").open || TRANSCRIPT.test(file.name)) judge(file);
    else take(file);
  });
  return { choose: () => field.click() };
}
