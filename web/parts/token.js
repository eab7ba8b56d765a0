/** The dialog that asks for the server's token. */

import { h } from "./dom.js";

const TOKEN = {
  title: "This server needs its token",
  where: "The token is in MOOT_TOKEN, where the server was started. Actions that cost money need it.",
  label: "Token",
  cancel: "Cancel",
  submit: "Continue",
  wrong: "This is not the token.",
};

/**
 * Asks for the server's token and exchanges it for a cookie.
 * @param {(token: string) => Promise<unknown>} exchange Throws `ApiError` if it is not the token.
 * @returns {Promise<boolean>} False if the reader cancels.
 */
export async function askForToken(exchange) {
  const field = h("input", { type: "password", name: "token", autocomplete: "off", required: true });
  const error = h("p.error", { role: "alert", hidden: true });
  const cancel = h("button", { type: "button", on: { click: () => dialog.close("") } }, TOKEN.cancel);
  const form = h("form", { method: "dialog" },
    h("h2", {}, TOKEN.title),
    h("p.quiet", {}, TOKEN.where),
    h("label.field", {}, h("span", {}, TOKEN.label), field),
    error,
    h("div.row", {}, cancel, h("button.primary", { type: "submit" }, TOKEN.submit)));
  const dialog = h("dialog.small", { "aria-label": TOKEN.label }, form);
  document.body.append(dialog);
  dialog.showModal();
  try {
    return await new Promise((resolve) => {
      dialog.addEventListener("close", () => resolve(false));
      form.addEventListener("submit", async (submitted) => {
        submitted.preventDefault();
        try {
          await exchange(field.value);
          resolve(true);
        } catch (failure) {
          error.textContent = [401, 403].includes(failure.status) ? TOKEN.wrong : failure.message;
          error.hidden = false;
        }
      });
    });
  } finally {
    dialog.remove();
  }
}
