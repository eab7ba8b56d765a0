/** The fields of a typed question as controls: buttons, lists, boxes, and words that the person selects. */

import { $, h, hiddenText, setText } from "../parts/dom.js";
import { ASKED, hint, itemName, label, option } from "../words/asked.js";
import { capital, plain } from "../words/formatting.js";
import { answeredBy, at, blank, put, sourceField, sourcesOf, wordCounts } from "./fields.js";

/**
 * @typedef {object} Form What the controls of one question share.
 * @property {object} answer What is given so far: the controls write into it.
 * @property {Material} material
 * @property {object} picker Lets the person select words of a speech: picker.js.
 * @property {string} prefix Of the ids of its elements.
 * @property {Map<string, {box: HTMLElement, controls: () => HTMLElement[]}>} places By path: where a fault is shown.
 * @property {(path: (string | number)[]) => void} changed
 * @property {(() => void)[]} counters Each shows anew how many words a part of the answer has.
 */

/**
 * The controls of a group of fields.
 * @param {Field} group
 * @param {Form} form
 * @param {(string | number)[]} [base] Where the row of the group stands in the answer; empty outside of rows.
 * @returns {(HTMLElement | false)[]}
 */
export function fieldsElement(group, form, base = []) {
  let part = "";
  return group.fields.flatMap((field) => {
    const heading = term(field, form)?.part_of ?? "";
    const isNew = field.kind === "group" && heading && heading !== part && form.material.purpose === "score";
    if (isNew) part = heading;
    return [isNew && h("h3.part", {}, plain(heading)), fieldElement(field, group, form, base)];
  });
}

const term = ({ name }, { material }) => material.terms.find((each) => each.name === name);

/** @param {(string | number)[]} base Where the row of the field stands in the answer; empty outside of rows. */
function fieldElement(field, group, form, base) {
  switch (field.kind) {
    case "group":
      return groupElement(field, form, base);
    case "items":
      return field.items.map((item) => {
        const said = answeredBy(item, form.material);
        return h("fieldset.item", {},
          h("legend", {}, itemName(item)),
          said && h("blockquote.said.answered", { dir: "auto", lang: form.material.language }, said.text),
          fieldsElement(item, form, base));
      });
    case "rows":
      return rowsElement(field, form, base);
    case "picks":
    case "choice":
    case "points":
      return choicesElement(field, form, base);
    case "pick":
      return selectElement(field, form, base);
    case "quote":
      return quoteElement(field, group, form, base);
    case "number":
    case "text":
      return writtenElement(field, form, base);
    case "from":
    case "fixed":
      return null; // The words around it say it.
    default:
      throw new Error(`no element for ${field.kind}`);
  }
}

function groupElement(field, form, base) {
  if (field.name === "components" || field.path.length === 0) return fieldsElement(field, form, base);
  const known = term(field, form);
  return h("fieldset", {},
    h("legend", {}, label(field, form.material)),
    known && h("p.asks", {}, sentence(known.asks)),
    fieldsElement(field, form, base),
  );
}

/** What the rubric asks of a part, as a sentence; some rubrics ask it as a question. */
function sentence(text) {
  if (!text) return "";
  return /^(?:is|are|does|do|can|has|how|what)\b/.test(text) ? `${capital(text)}?` : `It ${text}.`;
}

function anchorsOf(field, form) {
  const own = term(field, form) ?? form.material.terms.find((each) => each.name === field.path.at(-2));
  const anchors = Object.entries(own?.anchors ?? {}).toSorted(([one], [two]) => one - two);
  if (field.kind !== "points" || anchors.length === 0) return null;
  return h("dl.anchors", {}, anchors.map(([points, text]) => [h("dt", {}, points), h("dd", {}, text)]));
}

/**
 * Registers where faults of a field are shown, and returns that element.
 * @param {(string | number)[]} path
 * @param {Form} form
 * @param {() => HTMLElement[]} controls
 */
export function faultBox(path, form, controls) {
  const id = `${idOf(path, form)}-fault`;
  const box = h("p.error", { id, role: "alert", hidden: true });
  form.places.set(path.join("/"), { box, controls });
  return box;
}

const idOf = (path, form) => `${form.prefix}-${path.join("-").replace(/[^\w-]/g, "_")}`;

function set(path, value, form) {
  put(form.answer, path, value);
  form.changed(path);
}

/** One or several of some answers. Points are buttons in a row. */
function choicesElement(field, form, base) {
  const path = [...base, ...field.path];
  const isMany = field.kind === "picks";
  const options = isMany ? field.options.map(named) : optionsOf(field, form);
  const given = at(form.answer, path);
  const inputs = options.map(({ value }) => h("input", {
    type: isMany ? "checkbox" : "radio",
    name: idOf(path, form),
    checked: isMany ? (given ?? []).includes(value) : given === value,
    on: { change: () => set(path, isMany ? checked() : value, form) },
  }));
  const checked = () => options.filter((_, i) => inputs[i].checked).map(({ value }) => value);
  const box = faultBox(path, form, () => inputs);
  const known = !isMany && term(field, form);
  return h(`fieldset.${field.kind}`, { "aria-describedby": box.id },
    h("legend", {}, label(field, form.material)),
    known?.asks && h("p.asks", {}, sentence(known.asks)),
    anchorsOf(field, form),
    h("div.options", {}, options.map(({ text }, i) => h("label", {}, inputs[i], h("span", {}, text)))),
    box);
}

/** A name of a list with what it stands for. */
const named = ({ value, text }) => ({ value, text: text ? `${plain(value)}: ${text}` : plain(value) });

function optionsOf(field, { material }) {
  if (field.kind === "choice") {
    return field.options.map((value) => {
      const [name, ...rest] = option(value, material).split(": ");
      return { value, text: rest.length ? [h("b", {}, name), `: ${rest.join(": ")}`] : name };
    });
  }
  const length = field.high - field.low + 1;
  return Array.from({ length }, (_, i) => ({ value: field.low + i, text: String(field.low + i) }));
}

function selectElement(field, form, base) {
  const path = [...base, ...field.path];
  const given = at(form.answer, path) ?? "";
  const none = h("option", { value: "" }, field.isRequired ? "" : ASKED.no);
  const select = h("select", {
    id: idOf(path, form),
    on: { change: () => set(path, select.value || (field.isRequired ? undefined : ""), form) },
  }, none, field.options.map(named).map(({ value, text }) => {
    return h("option", { value, selected: value === given }, text);
  }));
  const box = faultBox(path, form, () => [select]);
  select.setAttribute("aria-describedby", box.id);
  return [h("label.field", {}, h("span", {}, label(field, form.material)), select), box];
}

function writtenElement(field, form, base) {
  const path = [...base, ...field.path];
  const given = at(form.answer, path) ?? "";
  const isNumber = field.kind === "number";
  const { low, high, isWhole, most } = field;
  const control = isNumber
    ? h("input", { type: "number", min: low, max: high, step: isWhole ? 1 : 0.05, inputmode: "decimal", value: given })
    : h("textarea", { rows: most > 500 ? 5 : 2, dir: "auto" }, given);
  control.id = idOf(path, form);
  control.addEventListener("input", () => {
    const value = isNumber ? (control.value === "" ? undefined : Number(control.value)) : control.value;
    set(path, value, form);
  });
  const box = faultBox(path, form, () => [control]);
  control.setAttribute("aria-describedby", box.id);
  const scale = isNumber && high !== undefined ? ` (${ASKED.ofScale(low, high)})` : "";
  const atLeast = field.least > 1 ? ` (${ASKED.atLeast(field.least)})` : "";
  return [
    h("label.field", {}, h("span", {}, `${label(field, form.material)}${scale}${atLeast}`), control),
    anchorsOf(field, form),
    counterElement(path, form),
    box,
  ];
}

/**
 * How many words a part of the answer has and may have; null where they are not limited.
 * @param {(string | number)[]} path
 * @param {Form} form
 */
export function counterElement(path, form) {
  const found = () => wordCounts(form.answer, form.material).find((each) => each.path.join() === path.join());
  if (!found()) return null;
  const words = h("p.quiet.count");
  const show = () => {
    const { count, most } = found();
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
  const add = h("button", { type: "button", on: { click: addRow } }, ASKED.add(field.name));
  const box = faultBox(path, form, () => [add]);
  const none = h("p.quiet", {}, ASKED.none);
  const rows = () => at(form.answer, path) ?? [];

  function addRow() {
    set(path, [...rows(), blank(field.item) ?? ""], form);
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
      const isGroup = field.item.kind === "group";
      const item = isGroup ? field.item : { kind: "group", fields: [{ ...field.item, name: field.name }] };
      const remove = h("button.quiet", { type: "button", on: { click: () => removeRow(i) } },
        ASKED.removeShort, hiddenText(` ${ASKED.row(i + 1)}`));
      return h("li", {}, fieldsElement(item, form, [...path, i]), remove);
    }));
    list.hidden = rows().length === 0;
    none.hidden = !list.hidden;
    add.hidden = rows().length >= field.most;
  }

  show();
  const meaning = hint(field);
  return h("fieldset.list", {},
    h("legend", {}, label(field, form.material)),
    meaning && h("p.asks", {}, meaning),
    none, list, add, box);
}

/** Words of a speech, which the person selects there. */
function quoteElement(field, group, form, base) {
  const path = [...base, ...field.path];
  const around = path.slice(0, -1);
  const source = sourceField(field.name, group);
  const words = h("blockquote.said", { dir: "auto", lang: form.material.language });
  const choose = h("button", { type: "button", on: { click: chooseWords } });
  const remove = h("button.quiet", { type: "button", on: { click: () => take("", undefined) } }, ASKED.removeWords);
  const box = faultBox(path, form, () => [choose]);
  const name = label(field, form.material);
  choose.setAttribute("aria-describedby", box.id);

  async function chooseWords() {
    const sources = sourcesOf(field.name, at(form.answer, around) ?? {}, form.material);
    if (sources.length === 0) {
      setText(box, ASKED.noneYet);
      box.hidden = false;
      return;
    }
    const chosen = await form.picker.choose(sources, field.most);
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
