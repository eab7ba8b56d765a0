/** The moderator's controls: pause, resume, halt, and a message to the debaters; and the notice of a stopped debate. */

import { api } from "../parts/api.js";
import { $, setText } from "../parts/dom.js";
import { MODERATOR } from "../words/acts.js";

/**
 * The controls of debate `id`.
 * @param {string} id
 * @param {(error: Error) => void} showError
 * @returns {{show(view: View, isPresent: boolean, newest: View): void}} `newest`: the acts are about the debate as it
 *   is now, wherever the reader is.
 */
export function moderator(id, showError) {
  let isOpen = true;
  let isPlaced = false;

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

  const resume = () => act("resume", MODERATOR.resumeReason);
  $("#pause").addEventListener("click", () => (isOpen ? act("pause", MODERATOR.pauseReason) : resume()));
  $("#resume").addEventListener("click", resume);
  $("#halt").addEventListener("click", () => $("#halting").showModal());
  $("#halt-cancel").addEventListener("click", () => $("#halting").close());
  $("#halting form").addEventListener("submit", () => {
    act("halt", $("#halt-reason").value.trim() || MODERATOR.haltReason);
  });
  $("#message").addEventListener("submit", send);

  return {
    show(view, isPresent, newest) {
      isOpen = newest.state === "open";
      // On a phone the first words come first, and an exhibition is there to be watched.
      if (!isPlaced) $("#moderator").open = matchMedia("(min-width: 761px)").matches && !newest.exhibition;
      isPlaced = true;
      $("#moderator").hidden = newest.state === "concluded";
      setText($("#pause"), isOpen ? MODERATOR.pause : MODERATOR.resume);
      $("#halt").hidden = newest.state === "halted";
      $("#resume").hidden = !isPresent || view.state !== newest.state;
      const notice = $("#notice");
      notice.hidden = !["paused", "halted"].includes(view.state);
      if (notice.hidden) return;
      notice.dataset.state = view.state;
      setText($("#notice-what"), view.state === "paused" ? MODERATOR.paused : MODERATOR.halted);
      setText($("#notice-why"), view.reason || MODERATOR.noReason);
    },
  };
}
