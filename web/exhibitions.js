/** Scripted debates that ship with Moot, each one press away. */

import { api } from "./api.js";
import { $, h, say } from "./dom.js";
import { FORMAT, capital, count } from "./words.js";

export async function exhibitions() {
  const { exhibitions: known } = await api.exhibitions();
  $("#exhibitions").hidden = $(".first").hidden = known.length === 0;
  $("#exhibition-list").replaceChildren(...known.map((each) => h("li", {},
    h("div", {}, h("b.prose", {}, each.motion), h("p.quiet", {}, `${capital(FORMAT[each.format] ?? count(each.turns, "turn"))}${each.panel?.length ? " with a panel" : ""}, scripted. ${each.summary}`)),
    h("button", { type: "button", "aria-label": `Play: ${each.motion}`, on: { click: (event) => play(each.name, event.currentTarget) } }, "Play"))));
}

async function play(name, button) {
  button.disabled = true;
  try {
    const { id } = await api.open({ exhibition: name });
    location.href = `/d/${encodeURIComponent(id)}`;
  } catch (error) {
    say($("#exhibition-error"), error.message);
    $("#exhibition-error").hidden = false;
    button.disabled = false;
  }
}
