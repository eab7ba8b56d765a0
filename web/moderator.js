/** The moderator's controls: pause, resume, halt, and a message to the debaters; and the notice of a stopped debate. */

import { api } from "./api.js";
import { $, setText } from "./dom.js";
import { MODERATOR } from "./words_acts.js";

/**
 * The controls of debate `id`.
 * @param {string} id
 * @param {(error: Error) => void} showError
 * @returns {{show(view: View, following: boolean): void}}
 */
export function moderator(id, showError) {
  async function act(name, reason) {
    $("#trouble").hidden = true;
    await api.act(id, name, reason).catch(showError);
  }

  async function send(event) {
    event.preventDefault();
    const field = $("#message-text");
    const text = field.value.trim();
    if (!text) {
      field.focus();
      return;
    }
    $("#message button").disabled = true;
    try {
      await api.say(id, text);
      field.value = "";
    } catch (error) {
      showError(error);
    }
    $("#message button").disabled = false;
  }

  $("#pause").addEventListener("click", () => act("pause", MODERATOR.pauseReason));
  $("#resume").addEventListener("click", () => act("resume", MODERATOR.resumeReason));
  $("#halt").addEventListener("click", () => $("#halting").showModal());
  $("#halt-cancel").addEventListener("click", () => $("#halting").close());
  $("#halting form").addEventListener("submit", () => {
    act("halt", $("#halt-reason").value.trim() || MODERATOR.haltReason);
  });
  $("#message").addEventListener("submit", send);

  return {
    show(view, following) {
      const is = (...states) => following && states.includes(view.state);
      $("#moderator").hidden = !is("open", "paused", "halted");
      $("#pause").hidden = !is("open");
      $("#halt").hidden = !is("open", "paused");
      $("#resume").hidden = !is("paused", "halted");
      const notice = $("#notice");
      notice.hidden = !["paused", "halted"].includes(view.state);
      if (notice.hidden) return;
      notice.dataset.state = view.state;
      setText($("#notice-what"), view.state === "paused" ? MODERATOR.paused : MODERATOR.halted);
      setText($("#notice-why"), view.reason || MODERATOR.noReason);
    },
  };
}
