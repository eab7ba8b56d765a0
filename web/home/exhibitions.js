/** Scripted debates that ship with Moot, as cards. A recording of each is played. */

import { api } from "../parts/api.js";
import { $, h } from "../parts/dom.js";
import { EXHIBITIONS } from "../words/home.js";
import { card } from "./card.js";

/** Each course is played for the first reader who asks, so they are asked for one after another. */
let last = Promise.resolve();

/**
 * Fetches and shows the exhibitions.
 * @returns {Promise<void>}
 */
export async function exhibitions() {
  const none = { exhibitions: [] }; // Without an answer the page does without them.
  const { exhibitions: known } = await api.exhibitions().catch(() => none);
  $("#exhibitions").hidden = false;
  $("#exhibition-list").replaceChildren(...known.map((each) => h("li", {}, exhibitionCard(each))));
}

function exhibitionCard(exhibition) {
  const { name, motion, sentence, format } = exhibition;
  const load = () => {
    last = last.catch(() => undefined).then(() => api.course("exhibitions", name));
    return last;
  };
  return card(`exhibition ${name}`, load, {
    href: `/exhibitions/${encodeURIComponent(name)}?play#e1`,
    motion: [motion],
    sentence,
    meta: ({ docked }) => EXHIBITIONS.about(exhibition, docked),
    isDrawn: format === "exchange",
  });
}
