/** The questions to a person who judges, as forms beside the speeches. The page of a seat loads it late. */

import { $, h, hiddenText, setText } from "./dom.js";
import { at, blank, faultsOf, fieldsOf, passagesOf, put, sourceField, sourcesOf } from "./fields.js";
import { capital, plain } from "./formatting.js";
import { wordPicker } from "./picker.js";
import { ASKED, hint, itemName, label, option, question } from "./words_asked.js";

/** The order in which the questions about a turn are shown. */
const ORDER = ["score", "compare", "claims", "evidence", "gaps", "premises"];
/** A draft is kept so long after a change, also while more is typed. */
const KEEP_MS = 800;
/** Controls that can be marked as invalid. */
const WRITTEN = "select, textarea, input[type=number]";

/**
 * The questions of a seat on its page: asked for when one is new, with drafts in this browser and on the server.
 * @param {HTMLElement} root
 * @param {{kept: object, api: object, look: () => void}} seat
 * @returns {{show: (open: {id: string, left_s?: number}[]) => Promise<void>}}
 */
export function seatQuestions(root, { kept, api, look }) {
  const clock = h("p.clock");
  root.append(clock);
  document.head.append(h("link", { rel: "stylesheet", href: "/static/asked.css" }));
  const forms = questionForms(root, { send, keep });
  let shown = "";

  async function send(id, answer) {
    await api.send(id, JSON.stringify(answer));
    await kept.remove(`form ${id}`);
    look();
  }

  async function keep(id, draft) {
    await kept.set(`form ${id}`, draft);
    await api.draft(id, draft);
  }

  async function show(open) {
    root.hidden = open.length === 0;
    const least = Math.min(...open.map(({ left_s: left }) => left ?? Infinity));
    setText(clock, Number.isFinite(least) ? ASKED.left(least) : "");
    const ids = open.map(({ id }) => id).join("\n");
    if (ids === shown) return;
    const { questions } = open.length ? await api.questions() : { questions: [] };
    for (const each of questions) each.draft = (await kept.get(`form ${each.id}`)) ?? each.draft;
    forms.show(questions.toSorted((one, two) => placeOf(one) - placeOf(two)));
    shown = ids;
  }

  return { show };
}

const placeOf = ({ material }) => (ORDER.indexOf(material.purpose) + 1 || ORDER.length + 1);

/**
 * @typedef {object} Asked An open question of a seat.
 * @property {string} id
 * @property {object} schema The JSON schema of its answer.
 * @property {Material} material
 * @property {string} draft What the person has given so far, as JSON; empty for nothing.
 */

/**
 * Shows the open questions of a seat.
 * @param {HTMLElement} root
 * @param {object} acts
 * @param {(id: string, answer: object) => Promise<void>} acts.send Throws an error with `faults` or a message.
 * @param {(id: string, draft: string) => Promise<void>} acts.keep
 * @returns {{show: (questions: Asked[]) => void}}
 */
function questionForms(root, { send, keep }) {
  const forms = new Map();
  const groups = new Map();

  function groupOf(material) {
    const key = JSON.stringify([material.motion, material.speeches, passagesOf(material)]);
    if (!groups.has(key)) {
      const group = readingGroup(material);
      groups.set(key, group);
      root.append(group.element);
    }
    return groups.get(key);
  }

  return {
    show(questions) {
      const open = new Set(questions.map(({ id }) => id));
      for (const [id, form] of forms) {
        if (open.has(id)) continue;
        const hadFocus = form.element.contains(document.activeElement);
        const next = form.element.nextElementSibling ?? form.element.previousElementSibling;
        form.element.remove();
        forms.delete(id);
        if (hadFocus) next?.querySelector("h2, button")?.focus();
      }
      for (const asked of questions) {
        if (forms.has(asked.id)) continue;
        const group = groupOf(asked.material);
        const form = questionForm(asked, group.picker, { send, keep });
        forms.set(asked.id, form);
        group.forms.insertBefore(form.element, group.all);
      }
      for (const [key, group] of groups) {
        const own = [...forms.values()].filter(({ element }) => group.forms.contains(element));
        group.update(own);
        if (own.length > 0) continue;
        group.picker.close();
        group.element.remove();
        groups.delete(key);
      }
    },
  };
}

/** The speeches, and beside them the forms of all questions about them. */
function readingGroup(material) {
  const picker = wordPicker(material.language);
  const isNewMotion = $("h1")?.textContent !== material.motion;
  const speeches = [...material.speeches, ...passagesOf(material)].map((each) => {
    return h("article.speech", { id: speechId(each.name) },
      h("h2", {}, ASKED.speech(each)),
      picker.words(each.name, each.text));
  });
  const sendAll = h("button.primary", { type: "button", on: { click: sendEverything } });
  const all = h("p.row.send-all", {}, sendAll);
  const forms = h("div.forms", {}, all);
  const element = h("section.asked", {},
    h("div.reading", { tabindex: 0, role: "region", "aria-label": ASKED.speeches },
      isNewMotion && h("p.label", {}, ASKED.motion),
      isNewMotion && h("p.motion", { lang: material.language, dir: "auto" }, material.motion),
      speeches),
    forms,
    picker.bar);
  let own = [];

  async function sendEverything() {
    for (const form of own) {
      if (!(await form.submit())) return;
    }
  }

  function update(left) {
    own = left;
    all.hidden = own.length < 2;
    setText(sendAll, ASKED.sendAll(own.length));
  }

  return { element, forms, all, picker, update };
}

const speechId = (name) => `speech-${name.replace(/\W+/g, "-")}`;

/** One question as a form. */
function questionForm({ id, schema, material, draft }, picker, { send, keep }) {
  const fields = fieldsOf(schema, material);
  const answer = { ...blank(fields), ...read(draft) };
  const places = new Map();
  const words = question(material);
  const status = h("p.quiet", { role: "status" });
  const error = h("p.error", { role: "alert", hidden: true });
  const button = h("button.primary", { type: "submit" }, ASKED.send);
  const prefix = `q-${id.replace(/\W+/g, "-")}`;
  let waiting = null;

  function changed(path) {
    showFault(path, "");
    waiting ??= setTimeout(keepNow, KEEP_MS);
  }

  function keepNow() {
    waiting = null;
    keep(id, JSON.stringify(answer)).then(
      () => setText(status, ASKED.kept),
      () => setText(status, ASKED.notKept),
    );
  }

  /** Shows a fault at its field, or at the nearest place around it that is shown. */
  function showFault(path, message) {
    for (let length = path.length; length >= 0; length -= 1) {
      const place = places.get(path.slice(0, length).join("/"));
      if (!place && length > 0) continue;
      if (!place) return false;
      setText(place.box, message);
      place.box.hidden = !message;
      for (const control of place.controls().filter((each) => each.matches(WRITTEN))) {
        if (message) control.setAttribute("aria-invalid", "true");
        else control.removeAttribute("aria-invalid");
      }
      return place;
    }
    return false;
  }

  function showFaults(found) {
    for (const [path] of places) showFault(path.split("/"), "");
    const shown = found.map(({ path, message }) => showFault(path, message));
    setText(error, found.length ? ASKED.mend(found.length) : "");
    error.hidden = found.length === 0;
    shown.find(Boolean)?.controls()[0]?.focus();
  }

  async function submit() {
    const found = faultsOf(fields, answer);
    showFaults(found);
    if (found.length) return false;
    button.disabled = true;
    setText(button, ASKED.sending);
    clearTimeout(waiting);
    waiting = null;
    try {
      await send(id, answer);
      setText(button, ASKED.sent);
      element.classList.add("is-sent");
      return true;
    } catch (failure) {
      button.disabled = false;
      setText(button, ASKED.send);
      if (failure.faults?.length) {
        showFaults(failure.faults);
      } else {
        setText(error, failure.message);
        error.hidden = false;
        error.scrollIntoView({ block: "nearest" });
      }
      return false;
    }
  }

  const form = { answer, material, picker, prefix, places, changed, id };
  const element = h("form.question", {
    novalidate: true,
    "data-id": id,
    "aria-labelledby": `${prefix}-title`,
    on: { submit: onSubmit },
  },
    h("h2", { id: `${prefix}-title`, tabindex: -1 }, words.title),
    h("p.quiet", {}, words.takes),
    words.how.map((line) => h("p.how", {}, line)),
    contextOf(material),
    premisesOf(material),
    fieldsElement(fields, form),
    error,
    h("p.row", {}, button, status));

  function onSubmit(event) {
    event.preventDefault();
    submit();
  }

  return { element, submit };
}

function read(draft) {
  try {
    return JSON.parse(draft || "{}");
  } catch {
    return {}; // A draft of an older page.
  }
}

/** What else the question shows. The words of others stand after a bar in the server's text. */
function contextOf({ context }) {
  const lines = (context ?? "").split("\n").filter((line) => line.trim());
  if (lines.length === 0) return null;
  return h("div.context", {}, lines.map((line) => {
    const quoted = line.startsWith("| ");
    return h(quoted ? "blockquote.said" : "p", { dir: "auto" }, quoted ? line.slice(2) : line);
  }));
}

function premisesOf({ purpose, register, speeches, about }) {
  const speaker = speeches.find(({ name }) => name === about[0])?.speaker;
  const own = register.filter((each) => each.kind === "premise" && each.speaker === speaker);
  if (purpose !== "premises" || own.length === 0) return null;
  return h("details.premises", { open: true },
    h("summary", {}, ASKED.premises),
    h("ul", {}, own.map(({ name, text }) => h("li", {}, h("b", {}, name), " ", text))));
}

// the fields

function fieldsElement(group, form, base = []) {
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
        return h("fieldset.item", {}, h("legend", {}, itemName(item)), fieldsElement(item, form, base));
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

/** Registers where faults of a field are shown, and returns that element. */
function faultBox(path, form, controls) {
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
  return [
    h("label.field", {}, h("span", {}, `${label(field, form.material)}${scale}`), control),
    anchorsOf(field, form),
    box,
  ];
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
