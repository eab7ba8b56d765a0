/** What this reader may do: parts for operators are shown to operators only. */

import { api } from "./api.js";

/**
 * Asks the server, and shows the parts for operators to an operator. Without an answer the reader is a spectator.
 * @returns {Promise<"operator" | "spectator">}
 */
export async function role() {
  const { role: found } = await api.session().catch(() => ({ role: "spectator" }));
  document.body.dataset.role = found;
  return found;
}
