/** Single-key shortcuts: never while typing, never with a modifier but Shift, and off where the reader wants it so. */

import { $, storage } from "./dom.js";

const TYPING = "input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]";
const PRESSABLE = "button, a[href], summary, [role=button], input[type=checkbox]";

/**
 * The name of a pressed key as `keys` takes it: `Shift+ArrowLeft`, `k`, `Space`. Null if it is not meant as a shortcut.
 * @param {KeyboardEvent} event
 * @returns {string | null}
 */
export function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return null;
  if (event.target?.closest?.(TYPING)) return null;
  const key = event.key === " " ? "Space" : event.key;
  if ((key === "Space" || key === "Enter") && event.target?.closest?.(PRESSABLE)) return null;
  return event.shiftKey && key.startsWith("Arrow") ? `Shift+${key}` : key;
}

/**
 * Binds acts to keys, and the help dialog with its switch.
 * @param {Record<string, () => void>} acts
 */
export function keys(acts) {
  const dialog = $("#help");
  const enabled = $("#keys-on");
  enabled.checked = storage.get("keys") !== "off";
  enabled.addEventListener("change", () => storage.set("keys", enabled.checked ? "on" : "off"));
  const toggleHelp = () => (dialog.open ? dialog.close() : dialog.showModal());
  for (const button of document.querySelectorAll("[data-help]")) button.addEventListener("click", toggleHelp);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  document.addEventListener("keydown", (event) => {
    if (!enabled.checked || event.defaultPrevented) return;
    const key = pressed(event);
    if (key === null) return;
    if (key === "?") {
      event.preventDefault();
      toggleHelp();
    } else if (Object.hasOwn(acts, key) && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      acts[key]();
    }
  });
}
