/** The chair: what a moderator may do to the debate's course, and the notice of one that stands still. */

import { api } from "./api.js";
import { $, say } from "./dom.js";

/** The chair of debate `id`; `trouble(error)` says what could not be done. */
export function chair(id, trouble) {
  async function act(name, reason) {
    $("#trouble").hidden = true;
    await api.act(id, name, reason).catch(trouble);
  }
  $("#pause").addEventListener("click", () => act("pause", "paused from the page"));
  $("#resume").addEventListener("click", () => act("resume", "resumed from the page"));
  $("#halt").addEventListener("click", () => $("#halting").showModal());
  $("#halt-cancel").addEventListener("click", () => $("#halting").close());
  $("#halting form").addEventListener("submit", () => act("halt", $("#halt-reason").value.trim() || "halted from the page"));
  $("#word").addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = $("#word-text").value.trim();
    if (!text) return $("#word-text").focus();
    $("#word button").disabled = true;
    await api.say(id, text).then(() => { $("#word-text").value = ""; }, trouble);
    $("#word button").disabled = false;
    return undefined;
  });

  return {
    show(view, following) {
      const is = (...states) => following && states.includes(view.state);
      $("#chair").hidden = !is("open", "paused", "halted");
      $("#pause").hidden = !is("open");
      $("#halt").hidden = !is("open", "paused");
      const notice = $("#notice");
      const isStopped = ["paused", "halted"].includes(view.state);
      notice.hidden = !isStopped;
      $("#resume").hidden = !is("paused", "halted");
      if (!isStopped) return;
      notice.dataset.state = view.state;
      say($("#notice-what"), view.state === "paused" ? "Paused." : "Halted.");
      say($("#notice-why"), view.reason || "No reason was given.");
    },
  };
}
