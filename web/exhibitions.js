/** Scripted debates that ship with Moot; one press opens each. */

import { api } from "./api.js";
import { $, h, setText } from "./dom.js";
import { EXHIBITIONS } from "./words_home.js";

/** Fetches and shows the exhibitions. @returns {Promise<void>} */
export async function exhibitions() {
  const { exhibitions: known } = await api.exhibitions();
  const isEmpty = known.length === 0;
  $("#exhibitions").hidden = isEmpty;
  $(".first").hidden = isEmpty;
  $("#exhibition-list").replaceChildren(...known.map(row));
}

function row(exhibition) {
  const play = h("button", {
    type: "button",
    "aria-label": EXHIBITIONS.playLabel(exhibition.motion),
    on: { click: ({ currentTarget }) => open(exhibition.name, currentTarget) },
  }, EXHIBITIONS.play);
  const about = h("div", {},
    h("b.prose", {}, exhibition.motion),
    h("p.quiet", {}, EXHIBITIONS.about(exhibition)));
  return h("li", {}, about, play);
}

async function open(name, button) {
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
