/** The form in which a person records a decision that the panel leaves open. */

import { h, setText } from "../parts/dom.js";
import { DECISION } from "../words/panel.js";

/**
 * The form.
 * @param {(decision: string, reason: string) => Promise<void>} decide Records a decision.
 * @returns {HTMLFormElement}
 */
export function decision(decide) {
  const common = { required: true, "aria-describedby": "decision-error" };
  const what = h("input", { ...common, id: "decision-said", name: "decision", maxlength: "200", autocomplete: "off" });
  const reason = h("textarea", { ...common, id: "decision-reason", name: "reason", rows: "2", maxlength: "2000" });
  const error = h("p.error", { id: "decision-error", role: "alert", hidden: true });
  const button = h("button.primary", { type: "submit" }, DECISION.submit);

  async function submit(event) {
    event.preventDefault();
    error.hidden = true;
    for (const field of [what, reason]) field.removeAttribute("aria-invalid");
    if (!what.value.trim()) {
      refuse(DECISION.noDecision);
      return;
    }
    if (!reason.value.trim()) {
      refuse(DECISION.noReason, reason);
      return;
    }
    button.disabled = true;
    try {
      await decide(what.value.trim(), reason.value.trim());
    } catch (failure) {
      refuse(failure.message);
    }
    button.disabled = false;
  }

  function refuse(message, field = what) {
    setText(error, message);
    error.hidden = false;
    field.setAttribute("aria-invalid", "true");
    field.focus();
  }

  const attributes = { hidden: true, novalidate: true, "aria-labelledby": "decision-title", on: { submit } };
  return h("form.decision", attributes,
    h("h3", { id: "decision-title" }, DECISION.title),
    h("p.quiet", {}, DECISION.note),
    h("label.field", {}, h("span", {}, DECISION.decision), what),
    h("label.field", {}, h("span", {}, DECISION.reason), reason),
    error,
    h("div.row", {}, button));
}
