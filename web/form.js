/** The form that opens a debate.  What is wrong is said at the field that the server names. */

import { api } from "./api.js";
import { $, h, say } from "./dom.js";
import { points } from "./text.js";
import { capital, plain } from "./words.js";

const OTHER = "\u0000other";
const DEFAULTS = { pro: "engineer", con: "provocateur" };
const RATERS = ["technical", "business", "risk", "general"];
const EXAMPLES = [
  "Cities should ban private cars from their centres",
  "This house would replace juries with trained judges",
  "Homework does more harm than good",
];

export async function form() {
  const element = $("#open");
  const motion = $("#motion");
  const counter = () => say($("#counter"), `${points(motion.value).toLocaleString("en")} of 2,000`);
  motion.addEventListener("input", counter);
  $("#examples").replaceChildren("For example: ", ...EXAMPLES.map((text) => h("button.example", {
    type: "button", on: { click: () => { motion.value = text; counter(); motion.focus(); } },
  }, text)));
  element.addEventListener("input", ({ target }) => target.name && clear(target.name));
  element.addEventListener("submit", submit);
  counter();
  $("#raters").replaceChildren(...RATERS.map(rater));
  element.addEventListener("change", shape);
  shape();
  models({ models: [] });
  await Promise.all([api.models().then(models), api.archetypes().then(archetypes)]).catch(show);
}

function rater(name) {
  return h("div", {}, h("label.field", {}, h("span", {}, `${capital(name)} rater`), h("select", { name: `raters.${name}`, "data-models": true, "data-first": "as the judge" })),
    h("input", { name: `raters.${name}.other`, "aria-label": `The ${name} rater’s model as provider:model`, placeholder: "provider:model", spellcheck: "false", hidden: true }));
}

/** What the format and the panel leave to be chosen. */
function shape() {
  $("#lengths").hidden = $("#open").elements.format.value === "protocol";
  $("#raters").hidden = !$("#open [name=panel]").checked;
}

function models({ models: list, default: usual }) {
  const known = new Map(list.map((model) => [model.name, model]));
  const answering = list.filter(({ ok }) => ok);
  const silent = list.filter(({ ok }) => !ok);
  for (const select of document.querySelectorAll("select[data-models]")) {
    const other = $(`[name="${select.name}.other"]`);
    const { first } = select.dataset;
    select.replaceChildren(...[
      first && h("option", { value: "" }, first),
      answering.length > 0
        ? h("optgroup", { label: "Answer now" }, ...answering.map(({ name }) => h("option", { value: name }, name)))
        : !first && h("option", { value: "" }, "the server’s choice"),
      silent.length > 0 && h("optgroup", { label: "Do not answer" },
        ...silent.map(({ name, hint }) => h("option", { value: name, disabled: true }, hint ? `${name}: ${hint}` : name))),
      h("option", { value: OTHER }, "another model…"),
    ].filter(Boolean));
    if (!first && known.get(usual)?.ok) select.value = usual;
    const changed = () => {
      other.hidden = select.value !== OTHER;
      caveats(known);
    };
    select.onchange = () => { changed(); if (!other.hidden) other.focus(); };
    changed();
  }
  $("#silent").hidden = silent.length === 0;
  $("#silent-list").replaceChildren(...silent.map(({ name, detail, hint }) =>
    h("li", {}, h("b", {}, name), detail && ` ${detail}`, hint && h("span.hint", {}, hint))));
}

/** What to know of the chosen models, once each. */
function caveats(known) {
  const chosen = new Set([...document.querySelectorAll("select[data-models]")].map(({ value }) => value));
  $("#caveats").replaceChildren(...[...chosen].filter((name) => known.get(name)?.caveat)
    .map((name) => h("p.caveat", {}, h("b", {}, `Know of ${name}: `), known.get(name).caveat)));
}

function archetypes({ archetypes: list }) {
  const known = new Map(list.map((archetype) => [archetype.name, archetype]));
  for (const [side, usual] of Object.entries(DEFAULTS)) {
    const select = $(`[name="${side}.archetype"]`);
    const note = $(`[data-note="${side}.archetype"]`);
    select.replaceChildren(...list.map(({ name, title }) => h("option", { value: name }, capital(title || plain(name)))));
    if (known.has(usual)) select.value = usual;
    const changed = () => {
      say(note, known.get(select.value)?.manner ?? "");
      note.hidden = !note.textContent;
    };
    select.addEventListener("change", changed);
    changed();
  }
}

async function submit(event) {
  event.preventDefault();
  for (const box of document.querySelectorAll("[data-error]")) clear(box.dataset.error);
  clear("");
  const button = $("#open button[type=submit]");
  button.disabled = true;
  say(button, "Opening…");
  try {
    const { id } = await api.open(body());
    location.assign(`/d/${encodeURIComponent(id)}`);
  } catch (error) {
    show(error);
    button.disabled = false;
    say(button, "Open the debate");
  }
}

function body() {
  const value = (name) => $(`#open [name="${name}"]`).value.trim();
  const model = (name) => (value(name) === OTHER ? value(`${name}.other`) : value(name)) || undefined;
  const figure = (name) => (value(name) === "" ? undefined : Number(value(name)));
  const seat = (side) => ({ model: model(`${side}.model`), archetype: value(`${side}.archetype`) || undefined, think: value(`${side}.think`) });
  const format = $("#open").elements.format.value;
  return {
    motion: $("#motion").value, format, blind: $("#open").elements.blind.checked || undefined, turns: format === "protocol" ? undefined : figure("turns"), max_words: figure("max_words"),
    pro: seat("pro"), con: seat("con"),
    judge: { model: model("judge.model"), second: model("judge.second"), samples: figure("judge.samples"), think: value("judge.think") },
    panel: $("#open [name=panel]").checked ? RATERS.map((name) => ({ rater: name, model: model(`raters.${name}`), samples: figure("judge.samples"), think: value("judge.think") })) : undefined,
  };
}

/** Puts an error at its field, at the field around it, or over the button. */
function show(error) {
  const names = (error.field ?? "").split(".").map((_, i, all) => all.slice(0, all.length - i).join("."));
  const name = names.find((candidate) => candidate && $(`[data-error="${candidate}"]`)) ?? "";
  const box = name ? $(`[data-error="${name}"]`) : $("#form-error");
  say(box, name || !error.field ? error.message : `${error.field}: ${error.message}`);
  box.hidden = false;
  box.closest("details")?.setAttribute("open", "");
  const field = name && $(`#open [name="${name}"]`);
  if (!field) return;
  field.setAttribute("aria-invalid", "true");
  field.focus();
}

function clear(name) {
  const field = name.replace(/\.other$/, "");
  const box = field ? $(`[data-error="${field}"]`) : $("#form-error");
  if (!box) return;
  box.hidden = true;
  say(box, "");
  $(`#open [name="${field}"]`)?.removeAttribute("aria-invalid");
}
