/** The fields of a typed question as controls: buttons, lists, boxes, and words that the person selects. */

import { $, h, hiddenText, setText } from "../parts/dom.js";
import { ASKED } from "../words/asked.js";
import { at, put, wordsIn } from "./fields.js";

/** A text that may have more characters gets a larger box. */
const LONG = 500;

/**
 * @typedef {object} Form What the controls of one question share.
 * @property {object} answer What is given so far: the controls write into it.
 * @property {string} language
 * @property {Record<string, number>} limits The most words of a part of the answer, by its path, joined by dots.
 * @property {object} picker Lets the person select words of a speech: picker.js.
 * @property {string} prefix Of the ids of its elements.
 * @property {Map<string, {box: HTMLElement, controls: () => HTMLElement[]}>} places By path: where a fault is shown.
 * @property {(path: (string | number)[]) => void} changed
 * @property {(() => void)[]} counters Each shows anew how many words a part of the answer has.
 *
 * @typedef {object} Field A part of an answer, as server/people/forms.py declares it.
 */

/** By the kind of a field; what is not here, the words around it say. */
const ELEMENTS = {
  group: groupElement,
  items: (field, form, base) => field.items.map((item) => groupElement(item, form, base, "fieldset.item")),
  rows: rowsElement,
  picks: choicesElement,
  choice: choicesElement,
  points: choicesElement,
  pick: selectElement,
  quote: quoteElement,
  number: writtenElement,
  text: writtenElement,
};

/**
 * The controls of some fields.
 * @param {Field[]} fields
 * @param {Form} form
 * @param {(string | number)[]} [base] Where the row of the fields stands in the answer; empty outside of rows.
 * @returns {(HTMLElement | false)[]}
 */
export function fieldsElement(fields, form, base = []) {
  return fields.flatMap((field) => [
    field.part && h("h3.part", {}, field.part),
    ELEMENTS[field.kind]?.(field, form, base),
  ]);
}

const asks = ({ asks: text }) => text && h("p.asks", {}, text);

function groupElement(field, form, base, name = "fieldset") {
  const inner = fieldsElement(field.fields, form, base);
  if (!field.label) return inner;
  return h(name, {},
    h("legend", {}, field.label),
    field.said && h("blockquote.said.answered", { dir: "auto", lang: form.language }, field.said),
    asks(field),
    inner);
}

/**
 * Registers where faults of a field are shown, and returns that element.
 * @param {(string | number)[]} path
 * @param {Form} form
 * @param {() => HTMLElement[]} controls
 */
export function faultBox(path, form, controls) {
  const box = h("p.error", { id: `${idOf(path, form)}-fault`, role: "alert", hidden: true });
  form.places.set(path.join("/"), { box, controls });
  return box;
}

const idOf = (path, form) => `${form.prefix}-${path.join("-").replace(/[^\w-]/g, "_")}`;

function set(path, value, form) {
  put(form.answer, path, value);
  form.changed(path);
}

/** One or several of some answers. Points are buttons in a row, below what earns them. */
function choicesElement(field, form, base) {
  const path = [...base, ...field.path];
  const isMany = field.kind === "picks";
  const { options = [], anchors = [] } = field;
  const given = at(form.answer, path);
  const inputs = options.map(({ value }) => h("input", {
    type: isMany ? "checkbox" : "radio",
    name: idOf(path, form),
    checked: isMany ? (given ?? []).includes(value) : given === value,
    on: { change: () => set(path, isMany ? checked() : value, form) },
  }));
  const checked = () => options.filter((_, i) => inputs[i].checked).map(({ value }) => value);
  const box = faultBox(path, form, () => inputs);
  return h(`fieldset.${field.kind}`, { "aria-describedby": box.id },
    h("legend", {}, field.label),
    asks(field),
    anchors.length > 0
      && h("dl.anchors", {}, anchors.map(([points, text]) => [h("dt", {}, points), h("dd", {}, text)])),
    h("div.options", {}, options.map((each, i) => h("label", {}, inputs[i], h("span", {}, named(each))))),
    box);
}

/** An answer with what it stands for. */
const named = ({ name, means }) => (means ? [h("b", {}, name), `: ${means}`] : name);

function selectElement(field, form, base) {
  const path = [...base, ...field.path];
  const given = at(form.answer, path) ?? "";
  const { options = [], needed } = field;
  const change = () => set(path, select.value || (needed ? undefined : ""), form);
  const select = h("select", { on: { change } },
    h("option", { value: "" }, needed ? "" : ASKED.no),
    options.map(({ value, name, means }) => {
      return h("option", { value, selected: value === given }, means ? `${name}: ${means}` : name);
    }));
  return labelled(field, select, path, form);
}

function writtenElement(field, form, base) {
  const path = [...base, ...field.path];
  const given = at(form.answer, path) ?? "";
  const isNumber = field.kind === "number";
  const { low, high, whole, most } = field;
  const control = isNumber
    ? h("input", { type: "number", min: low, max: high, step: whole ? 1 : 0.05, inputmode: "decimal", value: given })
    : h("textarea", { rows: most === undefined || most > LONG ? 5 : 2, dir: "auto" }, given);
  control.addEventListener("input", () => {
    const value = isNumber ? (control.value === "" ? undefined : Number(control.value)) : control.value;
    set(path, value, form);
  });
  return labelled(field, control, path, form);
}

function labelled(field, control, path, form) {
  const box = faultBox(path, form, () => [control]);
  control.id = idOf(path, form);
  control.setAttribute("aria-describedby", box.id);
  return [h("label.field", {}, h("span", {}, field.label), control), counterElement(path, form), box];
}

/**
 * How many words a part of the answer has and may have; null where they are not limited.
 * @param {(string | number)[]} path
 * @param {Form} form
 */
export function counterElement(path, form) {
  const most = form.limits[path.join(".")];
  if (!most) return null;
  const words = h("p.quiet.count");
  const show = () => {
    const count = wordsIn(at(form.answer, path));
    setText(words, ASKED.words(count, most));
    words.toggleAttribute("data-over", count > most);
  };
  form.counters.push(show);
  show();
  return words;
}

/** A list whose entries the person adds and removes. */
function rowsElement(field, form, base) {
  const path = [...base, ...field.path];
  const list = h("ol.rows");
  const add = h("button", { type: "button", on: { click: addRow } }, field.add);
  const box = faultBox(path, form, () => [add]);
  const none = h("p.quiet", {}, ASKED.none);
  const rows = () => at(form.answer, path) ?? [];

  function addRow() {
    set(path, [...rows(), structuredClone(field.item.blank)], form);
    show();
    $("input, textarea, select, button", list.lastChild)?.focus();
  }

  function removeRow(i) {
    set(path, rows().toSpliced(i, 1), form);
    show();
    add.focus();
  }

  function show() {
    for (const each of form.places.keys()) if (each.startsWith(`${path.join("/")}/`)) form.places.delete(each);
    list.replaceChildren(...rows().map((_, i) => {
      const remove = h("button.quiet", { type: "button", on: { click: () => removeRow(i) } },
        ASKED.removeShort, hiddenText(` ${ASKED.row(i + 1)}`));
      return h("li", {}, fieldsElement(field.item.fields, form, [...path, i]), remove);
    }));
    list.hidden = rows().length === 0;
    none.hidden = !list.hidden;
    add.hidden = rows().length >= (field.most ?? Infinity);
  }

  show();
  return h("fieldset.list", {}, h("legend", {}, field.label), asks(field), none, list, add, box);
}

/** Words of a speech, which the person selects there. */
function quoteElement(field, form, base) {
  const path = [...base, ...field.path];
  const around = path.slice(0, -1);
  const { source, label: name, sources = [], sources_by: byArgument = {} } = field;
  const words = h("blockquote.said", { dir: "auto", lang: form.language });
  const choose = h("button", { type: "button", on: { click: chooseWords } });
  const remove = h("button.quiet", { type: "button", on: { click: () => take("", undefined) } }, ASKED.removeWords);
  const box = faultBox(path, form, () => [choose]);
  choose.setAttribute("aria-describedby", box.id);

  async function chooseWords() {
    const from = byArgument[at(form.answer, around)?.argument] ?? sources;
    if (from.length === 0) {
      setText(box, ASKED.noneYet);
      box.hidden = false;
      return;
    }
    const chosen = await form.picker.choose(from, field.most ?? Infinity);
    if (chosen) take(chosen.text, chosen.name);
    choose.focus();
    choose.scrollIntoView({ block: "nearest" });
  }

  function take(text, from) {
    if (source) put(form.answer, [...around, source], from === undefined ? undefined : Number(from));
    set(path, text, form);
    show();
  }

  function show() {
    const given = at(form.answer, path) ?? "";
    const from = source && at(form.answer, [...around, source]);
    words.replaceChildren(given, from ? h("span.quiet", { lang: "en" }, ` ${ASKED.from(String(from))}`) : "");
    words.hidden = !given;
    remove.hidden = !given;
    choose.replaceChildren(given ? ASKED.chooseOthers : ASKED.choose, hiddenText(`: ${name}`));
  }

  show();
  return h("div.quote", { role: "group", "aria-label": name },
    h("p.field-name", {}, name), words, h("p.row", {}, choose, remove), box);
}
