/** The view for the wall of a room: the address of the vote, its QR code, and how many have voted, never how. */

import { api } from "../parts/api.js";
import { $, h, onClick, setText } from "../parts/dom.js";
import { role } from "../parts/role.js";
import { openRound } from "../replay/history.js";
import { MODERATOR } from "../words/acts.js";
import { POLL } from "../words/poll.js";
import { phaseOf, resultOf, voteAddress } from "./poll.js";

const REFRESH_MS = 1_500;
/** Names under which a phone finds itself, and not this machine. */
const HERE = /^(localhost|127\.|\[::1\])/;

/**
 * Shows the poll of debate `id` until it has a result.
 * @param {string} id
 */
export async function wall(id) {
  const address = location.origin + voteAddress(id);
  const source = `/api/debates/${encodeURIComponent(id)}/poll/qr.svg${location.search}`;
  const cast = h("p.cast-number");
  const state = h("p.wall-state");
  const unlisted = h("p.caveat", { hidden: true }, POLL.unlisted);
  const close = h("button", { type: "button", "data-operator": true });
  const joining = h("p.joining", { hidden: true });
  const label = h("p.label", {}, POLL.scan);
  const scan = h("div.scan", {},
    h("img", { src: source, alt: POLL.code }),
    h("div", {},
      label,
      h("p.address", {}, address),
      joining,
      cast,
      state,
      unlisted,
      HERE.test(location.host) && h("p.caveat", {}, POLL.local)));
  $("#wall").append(scan, h("div.row", {}, close));
  $("#wall").hidden = false;
  let when = null;
  close.addEventListener("click", onClick(() => api.closePoll(id, when).then(refresh, showTrouble)).click);
  role();
  api.join(id).then(({ place, code }) => {
    joining.hidden = !code; // An unlisted debate has none.
    joining.replaceChildren(POLL.type, place, h("b", {}, code));
  }, showTrouble);

  function showTrouble({ message }) {
    setText($("#trouble"), message);
    $("#trouble").hidden = !message;
  }

  async function refresh() {
    const known = await api.poll(id);
    const { poll, turns, motion, language } = known;
    showTrouble({ message: "" });
    setText($("#motion"), motion);
    $("#motion").lang = language ?? "";
    when = openRound(poll);
    const last = poll.after ?? poll.before;
    setText($("#phase"), POLL.phase[phaseOf(poll)]);
    setText(cast, last ? POLL.have(last.cast) : "");
    const closes = when && poll[when].closes_at ? POLL.closesAt(poll[when].closes_at) : "";
    const then = poll.after ? [POLL.closed("after"), POLL.wait] : [POLL.closed("before"), POLL.underWay(...turns)];
    setText(state, when ? `${POLL.open(when)}. ${closes}` : then.join(" "));
    unlisted.hidden = !known.unlisted || new URLSearchParams(location.search).has("link");
    close.hidden = !when;
    if (when) setText(close, MODERATOR.closeVote[when]);
    setText(label, when ? POLL.scan : POLL.scanLater);
    scan.hidden = Boolean(poll.result);
    if (poll.result && $("#result").hidden) {
      $("#result").append(...resultOf(poll.result, known.conclusion));
      $("#result").hidden = false;
    }
    return Boolean(poll.result);
  }

  for (;;) {
    if (await refresh().catch(showTrouble)) return;
    await new Promise((done) => setTimeout(done, REFRESH_MS));
  }
}
