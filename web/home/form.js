/** The form that opens a debate. An error is shown at the field that the server names. */

import { api, keepLinks } from "../parts/api.js";
import { $, h, setText } from "../parts/dom.js";
import { points } from "../parts/text.js";
import { capital, grouped, plain } from "../words/formatting.js";
import { DOCUMENTS, FORM } from "../words/home.js";

/** The value of the option that asks for the name of a model. */
export const OTHER = "\u0000other";
/** The choice of a person in place of a model. */
const PERSON = "\u0000person";
/** The characters of both sides in format `exchange`; in format `protocol` a side has none unless one is chosen. */
const DEFAULTS = { pro: "engineer", con: "provocateur" };
/** While only the embedded model answers, the models are asked for again at this interval. */
const MODELS_MS = 10_000;
/** The estimate is asked for when nothing has changed for this long. */
const ESTIMATE_MS = 600;
const RATERS = ["technical", "business", "risk", "general"];

/** Sets the form up and fetches the models and archetypes. @returns {Promise<void>} */
export async function form() {
  const element = $("#open");
  const motion = $("#motion");
  const showLength = () => setText($("#counter"), FORM.length(grouped(points(motion.value))));

  function example(text) {
    function click() {
      motion.value = text;
      showLength();
      motion.focus();
    }
    return h("button.example", { type: "button", on: { click } }, text);
  }

  motion.addEventListener("input", showLength);
  $("#examples").replaceChildren(FORM.examplesTitle, ...FORM.examples.map(example));
  element.addEventListener("input", ({ target }) => target.name && clearError(target.name));
  motion.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  });
  element.addEventListener("submit", submit);
  element.addEventListener("change", showFields);
  showLength();
  $("#raters").replaceChildren(...RATERS.map(raterFields));
  for (const select of document.querySelectorAll("select[data-models]")) addPersonFields(select.name);
  showFields();
  showModels({ models: [] });
  let waiting = null;
  function estimateSoon() {
    clearTimeout(waiting);
    waiting = setTimeout(showEstimate, ESTIMATE_MS);
  }
  element.addEventListener("input", estimateSoon);
  element.addEventListener("change", estimateSoon);
  $("#new").addEventListener("toggle", estimateSoon);
  takeDocuments(element, estimateSoon);
  await Promise.all([
    api.models().then(showModels).then(awaitModels),
    api.archetypes().then(showArchetypes),
  ]).catch(showError);
}

/** Whether an estimate is on its way, and whether the form has changed since it was asked for. */
let isAsking = false;
let isOld = false;
/**
 * The documents of the form, once one was to be added.
 * @type {ReturnType<import("./documents.js").documents> | null}
 */
let attached = null;

/** Lets documents be chosen, and dropped on the form. */
function takeDocuments(element, changed) {
  const documents = async () => {
    attached ??= (await import("./documents.js")).documents($(".documents", element), changed);
    return attached;
  };
  const late = (act) => documents().then(act, () => showError(new Error(DOCUMENTS.partFailed)));
  $("#add-documents").addEventListener("click", () => late((part) => part.choose()));
  const hasFile = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
  element.addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    event.stopPropagation();
    element.classList.add("dropping");
  });
  element.addEventListener("dragleave", () => element.classList.remove("dropping"));
  element.addEventListener("drop", (event) => {
    element.classList.remove("dropping");
    if (!hasFile(event)) return;
    event.preventDefault();
    event.stopPropagation();
    const files = [...event.dataTransfer.files];
    late((part) => part.add(files));
  });
}

/** Asks for the models again until one answers that is not the embedded one. */
function awaitModels(real) {
  if (real.length > 0) return;
  setTimeout(async () => {
    const found = document.hidden ? real : await api.models().then(update, () => real);
    awaitModels(found);
  }, MODELS_MS);

  function update(answer) {
    const now = answer.models.filter(isReal);
    if (now.length > 0) setText($("#appeared"), FORM.appeared(showModels(answer)));
    return now.map(({ name }) => name);
  }
}

/** Whether a model answers that argues by itself: no built-in one, no baseline, no script. */
const isReal = ({ ok, provider, baseline }) => ok && !baseline && !["embedded", "scripted"].includes(provider);

/** A copy of a template of the page, in whose attributes SEAT stands for the seat. */
function fieldsFor(seat, template) {
  const copy = $(template).content.cloneNode(true);
  for (const each of copy.querySelectorAll("*")) {
    for (const { name, value } of [...each.attributes]) each.setAttribute(name, value.replaceAll("SEAT", seat));
  }
  return copy;
}

function raterFields(name) {
  const fields = fieldsFor(name, "#rater-fields");
  setText($("span", fields), FORM.rater(name));
  return fields;
}

/** The fields of a person in a seat, after those of a model. */
function addPersonFields(name) {
  if (name === "judge.second") return;
  const seat = name.replace(/\.model$/, "");
  const fields = fieldsFor(seat, ["pro", "con"].includes(seat) ? "#debater-fields" : "#judge-fields");
  $(".person", fields).dataset.person = name;
  $(`[name="${name}.other"]`).after(fields);
}

/** Hides the fields that do not apply to the chosen format and panel. */
function showFields() {
  const isProtocol = $("#open").elements.format.value === "protocol";
  $("#lengths").hidden = $("#elasticities").hidden = $("#effort").hidden = isProtocol;
  $("#poll-fields").hidden = !$("#open [name=poll]").checked;
  $("#raters").hidden = !$("#open [name=panel]").checked;
  for (const select of document.querySelectorAll("select[name$='.archetype']")) showCharacter(select, isProtocol);
}

/** Shows the character that a side has: the chosen one, else the usual one of the format. */
function showCharacter(select, isProtocol) {
  const none = select.options[0];
  if (!none) return; // The characters are not known yet.
  const { chosen, usual } = select.dataset;
  none.hidden = none.disabled = !isProtocol;
  select.value = isProtocol ? chosen ?? "" : chosen || usual;
  const note = $(`[data-note="${select.name}"]`);
  setText(note, select.selectedOptions[0]?.dataset.manner ?? "");
  note.hidden = !note.textContent;
}

/** Shows the models; a choice of the reader stays. Returns the names of those that argue by themselves. */
function showModels({ models, default: usual, default_judge: usualJudge }) {
  const known = new Map(models.map((model) => [model.name, model]));
  const answering = models.filter(({ ok }) => ok);
  const silent = models.filter(({ ok }) => !ok);
  for (const select of document.querySelectorAll("select[data-models]")) {
    const before = select.dataset.chosen;
    const other = $(`[name="${select.name}.other"]`);
    const { first } = select.dataset;
    const isJudge = select.name === "judge.model";
    const fitting = answering.filter(({ baseline }) => isJudge || !baseline);
    const person = $(`[data-person="${select.name}"]`);
    select.replaceChildren(...modelOptions(fitting, silent, first, Boolean(person)));
    const chosen = isJudge ? usualJudge : usual;
    if (!first && known.get(chosen)?.ok) select.value = chosen;
    if (before) select.value = before;
    const update = () => {
      other.hidden = select.value !== OTHER;
      if (person) person.hidden = select.value !== PERSON;
      showCaveats(known);
    };
    select.onchange = () => {
      select.dataset.chosen = select.value;
      update();
      if (!other.hidden) other.focus();
      if (person && !person.hidden) $("input", person).focus();
    };
    update();
  }
  for (const select of document.querySelectorAll("select[data-takeover]")) {
    const before = select.value;
    const models = answering.filter(({ baseline }) => !baseline).map(({ name }) => h("option", { value: name }, name));
    select.replaceChildren(h("option", { value: "" }, FORM.noTakeover), ...models);
    if (before) select.value = before;
  }
  $("#silent").hidden = silent.length === 0;
  $("#silent-list").replaceChildren(...silent.map(({ name, detail, hint }) => {
    return h("li", {}, h("b", {}, name), detail && ` ${detail}`, hint && h("span.hint", {}, hint));
  }));
  const real = models.filter(isReal).map(({ name }) => name);
  $("#only-embedded").hidden = real.length > 0 || !answering.some(({ provider }) => provider === "embedded");
  return real;
}

/**
 * The options of a select that chooses a judge.
 * @param {object[]} models As `GET /api/models` has them.
 * @returns {HTMLElement[]}
 */
export const judgeOptions = (models) => modelOptions(models.filter(({ ok }) => ok), models.filter(({ ok }) => !ok));

function modelOptions(answering, silent, first, mayBePerson) {
  const options = [];
  if (first) options.push(h("option", { value: "" }, first));
  if (answering.length > 0) {
    const ready = answering.map(({ name }) => h("option", { value: name }, name));
    options.push(h("optgroup", { label: FORM.answering }, ready));
  } else if (!first) {
    options.push(h("option", { value: "" }, FORM.serverChoice));
  }
  if (silent.length > 0) {
    options.push(h("optgroup", { label: FORM.silent }, silent.map(({ name, hint }) => {
      return h("option", { value: name, disabled: true }, hint ? `${name}: ${hint}` : name);
    })));
  }
  options.push(h("option", { value: OTHER }, FORM.otherModel));
  if (mayBePerson) options.push(h("option", { value: PERSON }, FORM.person));
  return options;
}

/** Shows the caveat of each chosen model once. */
function showCaveats(known) {
  const chosen = new Set([...document.querySelectorAll("select[data-models]")].map(({ value }) => value));
  const noted = [...chosen].filter((name) => known.get(name)?.caveat);
  $("#caveats").replaceChildren(...noted.map((name) => {
    return h("p.caveat", {}, h("b", {}, FORM.about(name)), known.get(name).caveat);
  }));
}

function showArchetypes({ archetypes }) {
  for (const [side, usual] of Object.entries(DEFAULTS)) {
    const select = $(`[name="${side}.archetype"]`);
    select.dataset.usual = usual;
    const options = archetypes.map(({ name, title, manner }) => {
      return h("option", { value: name, "data-manner": manner }, capital(title || plain(name)));
    });
    select.replaceChildren(h("option", { value: "" }, FORM.noCharacter), ...options);
    select.addEventListener("change", () => {
      select.dataset.chosen = select.value;
    });
  }
  showFields();
}

/**
 * Shows what the debate will take, and how many words a turn has if the field is empty. A form that cannot be opened as
 * it stands has no estimate.
 */
async function showEstimate() {
  if (!$("#new").open) return;
  const body = requestBody();
  if (unnamed(body).length > 0) return;
  isOld = isAsking;
  if (isAsking) return; // The server makes one estimate at a time, so a second one would wait there.
  const motion = body.motion.trim() || $("#motion").placeholder;
  isAsking = true;
  const found = await api.estimate({ ...body, motion, evidence: attached?.samples() }).catch(() => null);
  isAsking = false;
  if (isOld) return void showEstimate(); // That was about the form as it was.
  setText($("#takes"), found?.says ?? "");
  if (found?.max_words) $("#open [name=max_words]").placeholder = found.max_words;
}

async function submit(event) {
  event.preventDefault();
  for (const box of document.querySelectorAll("[data-error]")) clearError(box.dataset.error);
  clearError("");
  const body = requestBody();
  const nameless = unnamed(body);
  for (const field of nameless.reverse()) showError({ field, message: FORM.nameless }); // The first has the focus.
  if (nameless.length > 0) return;
  const button = $("#open button[type=submit]");
  button.disabled = true;
  setText(button, FORM.opening);
  try {
    const { id, links } = await api.open(body);
    keepLinks(id, links);
    location.assign(`/d/${encodeURIComponent(id)}`);
  } catch (error) {
    showError(error);
    button.disabled = false;
    setText(button, FORM.open);
  }
}

/** The body of `POST /api/debates`; fields without a value are left out. */
function requestBody() {
  const value = (name) => $(`#open [name="${name}"]`).value.trim();
  const isChecked = (name) => $(`#open [name=${name}]`).checked;
  const model = (name) => (value(name) === OTHER ? value(`${name}.other`) : value(name)) || undefined;
  const figure = (name) => (value(name) === "" ? undefined : Number(value(name)));
  /** Who has a seat: a model, or a person with a time. */
  const holder = (name, seat) => {
    if (value(name) !== PERSON) return { model: model(name) };
    const minutes = figure(`${seat}.minutes`);
    return { person: value(`${seat}.person`), time_s: minutes && minutes * 60 };
  };
  const takeover = (side) => (value(`${side}.model`) === PERSON && value(`${side}.takeover`)) || undefined;
  const format = $("#open").elements.format.value;
  const seat = (side) => ({
    ...holder(`${side}.model`, side),
    takeover: takeover(side),
    archetype: value(`${side}.archetype`) || undefined,
    elasticity: format === "protocol" ? undefined : figure(`${side}.elasticity`),
    think: value(`${side}.think`),
  });
  const judging = { samples: figure("judge.samples"), think: value("judge.think") };
  const effort = format === "exchange" && value("judge.effort") === "brief" ? "brief" : undefined;
  const raters = RATERS.map((name) => ({
    rater: name,
    ...holder(`raters.${name}`, `raters.${name}`),
    ...judging,
  }));
  return {
    motion: $("#motion").value,
    format,
    blind: isChecked("blind") || undefined,
    poll: isChecked("poll") ? pollRequest(figure) : undefined,
    turns: format === "protocol" ? undefined : figure("turns"),
    max_words: figure("max_words"),
    pro: seat("pro"),
    con: seat("con"),
    judge: { ...holder("judge.model", "judge"), second: model("judge.second"), ...judging, effort },
    panel: isChecked("panel") ? raters : undefined,
    evidence: attached?.body(),
  };
}

/**
 * The fields for names of people that are empty.
 * @param {object} body The body of `POST /api/debates`.
 * @returns {string[]}
 */
function unnamed({ pro, con, judge, panel = [] }) {
  const raters = panel.map((each) => [`raters.${each.rater}`, each]);
  const seats = [["pro", pro], ["con", con], ["judge", judge], ...raters];
  return seats.filter(([, { person }]) => person === "").map(([seat]) => `${seat}.person`);
}

/** Both votes of a poll last as long. */
function pollRequest(figure) {
  const seconds = figure("poll.before_s");
  return { before_s: seconds, after_s: seconds, voters_per_address: figure("poll.voters_per_address") };
}

/** Shows an error at its field, at the field around it, or above the button. */
function showError(error) {
  const path = (error.field ?? "").split(".");
  const candidates = path.map((_, i) => path.slice(0, path.length - i).join("."));
  const name = candidates.find((candidate) => candidate && $(`[data-error="${candidate}"]`)) ?? "";
  const box = name ? $(`[data-error="${name}"]`) : $("#form-error");
  setText(box, name || !error.field ? error.message : `${error.field}: ${error.message}`);
  box.hidden = false;
  let around = box.closest("details");
  while (around) {
    around.open = true;
    around = around.parentElement.closest("details");
  }
  const field = name && $(`#open [name="${name}"]`);
  if (!field) return;
  field.setAttribute("aria-invalid", "true");
  field.focus();
}

function clearError(name) {
  const field = name.replace(/\.other$/, "");
  const box = field ? $(`[data-error="${field}"]`) : $("#form-error");
  if (!box) return;
  box.hidden = true;
  setText(box, "");
  $(`#open [name="${field}"]`)?.removeAttribute("aria-invalid");
}
