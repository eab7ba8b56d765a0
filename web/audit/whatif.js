/** What if: sentences with blanks about other rules, each with its outcome, and all figures of the rules in a form. */

import { api } from "../parts/api.js";
import { bar } from "../parts/bar.js";
import { $, h, setText } from "../parts/dom.js";
import { more, table } from "../parts/widgets.js";
import { WHATIF } from "../words/audit.js";
import { capital } from "../words/formatting.js";
import { SIGN, sidesNamed } from "../words/words.js";

/**
 * Fetches what can be asked about debate `id`, and shows it in `root`.
 * @param {HTMLElement} root
 * @param {string} id
 * @returns {Promise<void>}
 */
export async function whatif(root, id) {
  try {
    const { ifs, groups, raters, note } = await api.ifs(id);
    const list = h("div.ifs", {}, ifs.map((each) => sentence(id, each)));
    const copy = () => navigator.clipboard.writeText(
      [...list.children].map(({ dataset }) => dataset.text).join("\n"),
    ).then(() => setText($("#toast"), WHATIF.copied), () => setText($("#toast"), WHATIF.notCopied));
    const add = () => list.append(list.querySelector(":has(.blank):last-child, :has(.blank)").again());
    const button = (words, act) => h("button", { type: "button", on: { click: act } }, words);
    root.replaceChildren(
      h("p.quiet", {}, WHATIF.intro),
      list,
      h("div.row", {}, button(WHATIF.add, add), button(WHATIF.copy, copy)),
      more("whatif/figures", WHATIF.figures, figuresForm(id, groups, raters)),
      h("p.quiet.note", {}, note));
  } catch (error) {
    root.replaceChildren(h("p.error", {}, error.message));
  }
}

function sentence(id, { name, parts, would_be: result, text }) {
  const said = parts.map((part) => (typeof part === "string" ? part : blank(part)));
  const element = h(`div.if${name === "as_it_is" ? ".is" : ""}`, { "data-text": text, on: { change } },
    h("p", {}, said, outcome(result), result.note && h("small", {}, result.note)));
  const { lead, probability, name_at: nameAt } = result.ahead ?? {};
  if (result.ahead) {
    const balance = bar(true);
    balance.show({ lead, probability, nameAt, isOpen: result.winner === "neither", label: text });
    element.append(balance.element);
  }
  element.again = () => sentence(id, { name, parts, would_be: result, text });

  /** Asks again with what the reader wrote. */
  async function change({ target }) {
    const fields = [...element.querySelectorAll(".blank")];
    const blanks = fields.map((field) => [field.name, field.matches("select") ? field.value : Number(field.value)]);
    try {
      const answer = await api.whatif(id, { if: name, blanks: Object.fromEntries(blanks) });
      const next = sentence(id, answer);
      element.replaceWith(next);
      next.querySelector(`[name="${target.name}"]`).focus();
      setText($("#announcer"), answer.text);
    } catch ({ message }) {
      element.querySelector(".error")?.remove();
      element.firstChild.append(h("small.error", { role: "alert" }, message));
    }
  }

  return element;
}

function blank({ name, label, value, choices }) {
  if (!choices.length) return h("input.blank", { name, value, inputmode: "decimal", "aria-label": label });
  return h("select.blank", { name, "aria-label": label }, choices.map((each) => {
    return h("option", { value: each.value, selected: each.value === value }, each.label);
  }));
}

function outcome({ winner, says, leans, leaning, changes_winner: changes }) {
  const named = (side, words) => h(`b.${side}`, {}, SIGN[side] && `${SIGN[side]} `, words, ".");
  return [
    ...(leans ? [h("b", {}, says, ","), WHATIF.leaning, named(leans, leaning)] : [named(winner, says)]),
    changes && [" ", h("span.flip", {}, WHATIF.flips)],
  ];
}

/** Every figure that can be changed, and the outcome under those that the reader wrote. */
function figuresForm(id, groups, raters) {
  const fields = new Map();
  const field = ({ path, label, value }) => {
    const input = h("input", { type: "number", step: "any", value, name: path });
    fields.set(input, value);
    return h("label", {}, h("span", {}, label), input);
  };
  const without = h("select", { name: "without" },
    h("option", { value: "" }, WHATIF.noRater),
    raters.map((name) => h("option", { value: name }, name)));
  const result = h("div", { "aria-live": "polite" });

  async function submit(event) {
    event.preventDefault();
    const changed = [...fields].filter(([{ value }, before]) => value !== "" && Number(value) !== before);
    const figures = Object.fromEntries(changed.map(([{ name, value }]) => [name, Number(value)]));
    const request = { ...(changed.length && { figures }), ...(without.value && { without_rater: without.value }) };
    try {
      const isAsked = Object.keys(request).length > 0;
      result.replaceChildren(...(isAsked ? resultOf(await api.whatif(id, request)) : [WHATIF.noChange]));
    } catch ({ message }) {
      result.replaceChildren(h("p.error", { role: "alert" }, message));
    }
  }

  return h("form", { on: { submit } },
    groups.map(({ title, figures }) => {
      return h("fieldset.rules-of", {}, h("legend", {}, title), figures.map(field));
    }),
    raters.length > 0 && h("label.field", {}, h("span", {}, WHATIF.leaveOut), without),
    h("div.row", {},
      h("button.primary", { type: "submit" }, WHATIF.submit),
      h("button", { type: "reset" }, WHATIF.reset)),
    result);
}

function resultOf({ sentences, because, rows, unused_text: unused }) {
  const cells = rows.map(([name, was, is]) => h("tr", {},
    h("th", { scope: "row" }, capital(name)),
    h("td", {}, was),
    h("td", {}, was === is ? is : h("b.differs", {}, `${is} ≠`))));
  return [
    h("p.says", {}, sentences.join(" ")),
    because && h("p.quiet.because", {}, `${sidesNamed(because)}.`),
    table("", ["", ...WHATIF.columns], cells),
    unused && h("p.quiet", {}, unused),
  ].filter(Boolean);
}
