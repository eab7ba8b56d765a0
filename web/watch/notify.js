/** Notifications while the page is in the background: in the title of its tab, and from the browser if it may. */

import { capital } from "../words/formatting.js";
import { DOCKS, NOTIFY } from "../words/watch.js";
import { outcomeWords } from "../words/words.js";
import { isDock } from "./docks.js";

let title = null;

/** Takes the news out of the title. */
function seen() {
  if (document.hidden || title === null) return;
  document.title = title;
  title = null;
}
document.addEventListener("visibilitychange", seen);

/**
 * What a reader is told of an event.
 * @param {object} event
 * @param {View} view The view after it.
 * @param {string} side The side whose turns are told, or an empty text.
 * @returns {string} Empty if the event is not told.
 */
export function newsOf(event, view, side) {
  if (event.type === "debate_concluded") return capital(outcomeWords(view));
  if (event.type === "turn_spoken" && event.side === side) return NOTIFY.spoken(event.side, event.turn);
  return isDock(event, view) ? DOCKS.lost(event.turn, -event.applied) : "";
}

/**
 * Tells it, if the reader does not look at the page.
 * @param {string} news
 * @param {View} view
 */
export function notify(news, view) {
  if (!news || !document.hidden) return;
  title ??= document.title;
  document.title = `● ${news} · ${title}`;
  if (globalThis.Notification?.permission !== "granted") return;
  const shown = new Notification(news, { body: view.motion, tag: `moot-${view.id}` });
  shown.onclick = () => {
    focus();
    shown.close();
  };
}

/** @returns {Promise<boolean>} Whether the browser shows notifications; it asks the reader if need be. */
export async function mayNotify() {
  if (!globalThis.Notification) return false;
  return (await Notification.requestPermission()) === "granted";
}
