/** The form in which a person decides what the panel did not. */

import { h, say } from "./dom.js";

/** The form; `decide(decision, reason)` records it. */
export function decision(decide) {
  const said = h("input", { id: "decision-said", name: "decision", maxlength: "200", autocomplete: "off", required: true, "aria-describedby": "decision-error" });
  const reason = h("textarea", { id: "decision-reason", name: "reason", rows: "2", maxlength: "2000", required: true, "aria-describedby": "decision-error" });
  const trouble = h("p.error", { id: "decision-error", role: "alert", hidden: true });
  const button = h("button.primary", { type: "submit" }, "Record it");
  return h("form.decision", { hidden: true, novalidate: true, "aria-labelledby": "decision-title", on: { submit } },
    h("h3", { id: "decision-title" }, "Record your decision"),
    h("p.quiet", {}, "The panel leaves it to a person. What you write becomes part of the record and is not changed any more."),
    h("label.field", {}, h("span", {}, "Decision"), said), h("label.field", {}, h("span", {}, "Reason"), reason), trouble, h("div.row", {}, button));

  async function submit(event) {
    event.preventDefault();
    trouble.hidden = true;
    for (const field of [said, reason]) field.removeAttribute("aria-invalid");
    if (!said.value.trim()) return refuse("Write what you decide.");
    if (!reason.value.trim()) return refuse("Write why: the reason is recorded with it.", reason);
    button.disabled = true;
    try {
      await decide(said.value.trim(), reason.value.trim());
    } catch (error) {
      refuse(error.message);
    }
    button.disabled = false;
    return undefined;
  }

  function refuse(why, field = said) {
    say(trouble, why);
    trouble.hidden = false;
    field.setAttribute("aria-invalid", "true");
    field.focus();
  }
}
