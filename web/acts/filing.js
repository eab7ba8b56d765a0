/** How an operator names and files a debate: its title, tags, archive, a link of its own; and how they delete it. */

import { api } from "../parts/api.js";
import { h, setText } from "../parts/dom.js";
import { FILING } from "../words/acts.js";

/**
 * Shows the form in `root`.
 * @param {HTMLElement} root
 * @param {string} id
 * @param {View} view
 */
export function filing(root, id, view) {
  const note = h("p.quiet", { role: "status" });
  const title = h("input", { name: "title", maxlength: 200, value: view.title ?? "", autocomplete: "off" });
  const tags = h("input", { name: "tags", value: (view.tags ?? []).join(", "), autocomplete: "off" });
  const link = h("input", { readonly: true, "aria-label": FILING.link, hidden: true });
  const flags = Object.entries(FILING.flags).map(([name, text]) => {
    const box = h("input", { type: "checkbox", name, checked: Boolean(view[name]) });
    box.addEventListener("change", () => save({ [name]: box.checked }));
    return h("label.choice", {}, box, " ", h("span", {}, text));
  });
  const renew = h("button", { type: "button", on: { click: () => save({ unlisted: true }) } }, FILING.renew);

  async function save(labels) {
    try {
      const answer = await api.label(id, labels);
      setText(note, FILING.saved);
      link.hidden = !answer.link;
      if (answer.link) {
        link.value = location.origin + answer.link;
        link.select();
        setText(note, FILING.linked);
      }
    } catch (error) {
      setText(note, error.message);
    }
  }

  function submit(event) {
    event.preventDefault();
    const words = tags.value.split(",").map((tag) => tag.trim()).filter(Boolean);
    save({ title: title.value, tags: words });
  }

  root.replaceChildren(h("form.filing", { on: { submit } },
    h("label.field", {}, h("span", {}, FILING.title), title),
    h("label.field", {}, h("span", {}, FILING.tags), tags),
    h("button", { type: "submit" }, FILING.save),
    ...flags,
    renew,
    link,
    note), deletion(id));
}

/** The form that deletes the debate for ever. */
function deletion(id) {
  const note = h("p.quiet", { role: "alert" });
  const reason = h("input", { name: "reason", maxlength: 500, autocomplete: "off" });
  const derived = h("input", { type: "checkbox", name: "with_derived" });

  async function submit(event) {
    event.preventDefault();
    try {
      await api.delete(id, { reason: reason.value.trim(), with_derived: derived.checked ? "1" : "" });
      location.reload();
    } catch (error) {
      setText(note, error.message);
    }
  }

  return h("details", {}, h("summary", {}, FILING.deleting), h("form.filing", { on: { submit } },
    h("p.quiet", {}, FILING.deletes),
    h("label.field", {}, h("span", {}, FILING.reason), reason),
    h("label.choice", {}, derived, " ", h("span", {}, FILING.withDerived)),
    h("button", { type: "submit" }, FILING.delete),
    note));
}
