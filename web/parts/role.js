/** What this reader may do: parts for operators are shown to operators only. */

import { api } from "./api.js";

/**
 * Asks the server, and shows the parts for operators to an operator. Without an answer the reader is a spectator.
 * The body has `data-signed-in` if the reader is an operator by a session, which can be closed, and `data-voice` if the
 * server speaks turns, and `data-keep-days` if it deletes debates after so many days.
 * @returns {Promise<"operator" | "spectator">}
 */
export async function role() {
  const found = await api.session().catch(() => ({ role: "spectator", signed_in: false }));
  document.body.dataset.role = found.role;
  document.body.toggleAttribute("data-signed-in", found.signed_in);
  if (found.keep_days) document.body.dataset.keepDays = found.keep_days;
  if (found.voice) document.body.dataset.voice = found.voice;
  return found.role;
}
