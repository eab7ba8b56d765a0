/** Single keys: never while typing, never with a modifier but Shift, and off where the reader wants them off. */

import { $, memory } from "./dom.js";

const typing = (target) => target?.closest?.("input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]");
const pressing = (target) => target?.closest?.("button, a[href], summary, [role=button]");

/** The name under which an act is bound: `Shift+ArrowLeft`, `k`, `Space`. */
export function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return null;
  if (typing(event.target)) return null;
  const key = event.key === " " ? "Space" : event.key;
  if ((key === "Space" || key === "Enter") && pressing(event.target)) return null;
  return event.shiftKey && key.startsWith("Arrow") ? `Shift+${key}` : key;
}

/** Binds `acts` by key, and the help dialog with its switch. */
export function keys(acts) {
  const dialog = $("#help");
  const enabled = $("#keys-on");
  enabled.checked = memory.get("keys") !== "off";
  enabled.addEventListener("change", () => memory.set("keys", enabled.checked ? "on" : "off"));
  const help = () => (dialog.open ? dialog.close() : dialog.showModal());
  for (const button of document.querySelectorAll("[data-help]")) button.addEventListener("click", help);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  document.addEventListener("keydown", (event) => {
    if (!enabled.checked || event.defaultPrevented) return;
    const key = pressed(event);
    if (key === null) return;
    if (key === "?") {
      event.preventDefault();
      help();
    } else if (Object.hasOwn(acts, key) && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      acts[key]();
    }
  });
}
