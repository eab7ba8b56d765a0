/** The chair's panel on the page of a debate, for operators; and the notice of a stopped debate, for everyone. */

import { $, setText } from "../parts/dom.js";
import { openRound } from "../replay/history.js";
import { MODERATOR } from "../words/acts.js";
import { chair } from "./chair.js";

/**
 * The panel of debate `id`.
 * @param {string} id
 * @param {(error: Error) => void} showError
 * @returns {{show(view: View, isPresent: boolean, newest: View): void}} `newest`: the acts are about the debate as it
 *   is now, wherever the reader is.
 */
export function moderator(id, showError) {
  const acts = chair(id, showError);
  let isPlaced = false;

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
      await acts.say(text);
      field.value = "";
    } catch (error) {
      showError(error);
    }
    $("#message button").disabled = false;
  }

  const clicked = {
    "#pause": acts.toggle,
    "#resume": acts.toggle,
    "#next": acts.next,
    "#close-vote": acts.closeVote,
    "#halt": () => $("#halting").showModal(),
    "#halt-cancel": () => $("#halting").close(),
  };
  for (const [button, act] of Object.entries(clicked)) {
    $(button).addEventListener("click", () => {
      $("#trouble").hidden = true;
      act();
    });
  }
  $("#halting form").addEventListener("submit", () => acts.halt($("#halt-reason").value.trim()));
  $("#message").addEventListener("submit", send);
  $("#to-wall").href = `/d/${encodeURIComponent(id)}/wall${location.search}`;

  function showNotice({ state, reason }) {
    const notice = $("#notice");
    notice.hidden = !["paused", "halted"].includes(state);
    if (notice.hidden) return;
    notice.dataset.state = state;
    setText($("#notice-what"), state === "paused" ? MODERATOR.paused : MODERATOR.halted);
    setText($("#notice-why"), reason || MODERATOR.noReason);
  }

  return {
    show(view, isPresent, newest) {
      acts.see(newest);
      const when = openRound(newest.poll);
      // On a phone the first words come first, and an exhibition is there to be watched.
      if (!isPlaced) $("#moderator").open = matchMedia("(min-width: 761px)").matches && !newest.exhibition;
      isPlaced = true;
      $("#moderator").hidden = newest.state === "concluded";
      setText($("#pause"), newest.state === "open" ? MODERATOR.pause : MODERATOR.resume);
      $("#next").hidden = newest.format !== "exchange";
      $("#halt").hidden = newest.state === "halted";
      $("#close-vote").hidden = !when;
      if (when) setText($("#close-vote"), MODERATOR.closeVote[when]);
      $("#resume").hidden = !isPresent || view.state !== newest.state;
      showNotice(view);
    },
  };
}
