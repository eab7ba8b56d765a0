/** Scripted debates that ship with Moot; one press opens each. */

import { api } from "./api.js";
import { $, h, setText } from "./dom.js";
import { EXHIBITIONS } from "./words_home.js";

/** Fetches and shows the exhibitions. @returns {Promise<void>} */
export async function exhibitions() {
  const { exhibitions: known } = await api.exhibitions();
  const isEmpty = known.length === 0;
  $("#exhibitions").hidden = isEmpty;
  $("#exhibition-list").replaceChildren(...known.map(row));
}

function row(exhibition) {
  const play = h("button", {
    type: "button",
    "aria-label": EXHIBITIONS.playLabel(exhibition.motion),
    on: { click: ({ currentTarget }) => openExhibition(exhibition.name, currentTarget) },
  }, EXHIBITIONS.play);
  const about = h("div", {},
    h("b.prose", {}, exhibition.motion),
    h("p.quiet", {}, EXHIBITIONS.about(exhibition)));
  return h("li", {}, about, play);
}

/**
 * Opens an exhibition as a debate of its own and goes to its page.
 * @param {string} name
 * @param {HTMLButtonElement} button What was pressed.
 */
export async function openExhibition(name, button) {
  button.disabled = true;
  try {
    const { id } = await api.open({ exhibition: name });
    location.href = `/d/${encodeURIComponent(id)}`;
  } catch (error) {
    setText($("#exhibition-error"), error.message);
    $("#exhibition-error").hidden = false;
    button.disabled = false;
  }
}
