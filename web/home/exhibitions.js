/** Scripted debates that ship with Moot; one press opens each. */

import { api } from "../parts/api.js";
import { $, h, setText } from "../parts/dom.js";
import { EXHIBITIONS } from "../words/home.js";

/**
 * Fetches and shows the exhibitions.
 * @param {boolean} mayOpen Whether the reader may open one as a debate; else a recording of it is played.
 * @returns {Promise<void>}
 */
export async function exhibitions(mayOpen) {
  const { exhibitions: known } = await api.exhibitions();
  const isEmpty = known.length === 0;
  $("#exhibitions").hidden = isEmpty;
  $("#exhibition-list").replaceChildren(...known.map((each) => row(each, mayOpen)));
}

function row(exhibition, mayOpen) {
  const label = { "aria-label": EXHIBITIONS.playLabel(exhibition.motion) };
  const play = mayOpen
    ? h("button", {
      type: "button",
      ...label,
      on: { click: ({ currentTarget }) => openExhibition(exhibition.name, currentTarget) },
    }, EXHIBITIONS.play)
    : h("a.button", {
      href: `/exhibitions/${encodeURIComponent(exhibition.name)}?play#e1`,
      ...label,
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
async function openExhibition(name, button) {
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
