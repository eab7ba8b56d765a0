/** The questions to a person who judges, and the statements of one who debates, as forms beside the speeches. The page
 * of a seat loads it late. */

import { $, h, setText } from "../parts/dom.js";
import { ASKED, FAULTS, question } from "../words/asked.js";
import { counterElement, faultBox, fieldsElement } from "./controls.js";
import { answeredBy, blank, faultsOf, fieldsOf, passagesOf, wordCounts } from "./fields.js";
import { wordPicker } from "./picker.js";

/** The order in which the questions about a turn are shown. */
const ORDER = ["score", "compare", "claims", "evidence", "gaps", "premises"];
/** A draft is kept so long after a change, also while more is typed. */
const KEEP_MS = 800;
/** Controls that can be marked as invalid. */
const WRITTEN = "select, textarea, input[type=number]";
/** Purposes of the statements of a person who debates. */
const STATEMENTS = new Set(["open", "cross", "answer", "close"]);
/** Purposes of answers that count points. */
const COUNTED = new Set(["score", "assess", "panel"]);
/** Seconds before the end at which a statement that is complete is sent. */
const AT_END_S = 0.5;

/**
 * The questions of a seat on its page: asked for when one is new, with drafts in this browser and on the server.
 * @param {HTMLElement} root
 * @param {{kept: object, api: object, look: () => void}} seat
 * @returns {{show: (open: {id: string, left_s?: number}[]) => Promise<void>}}
 */
export function seatQuestions(root, { kept, api, look }) {
  const clock = h("p.clock");
  root.append(clock);
  document.head.append(h("link", { rel: "stylesheet", href: "/static/seat/asked.css" }));
  const forms = questionForms(root, { send, keep, preview: api.preview });
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
    forms.end(open);
    if (ids === shown) return;
    const { questions } = open.length ? await api.questions() : { questions: [] };
    for (const each of questions) each.draft = (await kept.get(`form ${each.id}`)) ?? each.draft;
    forms.show(questions.toSorted((one, two) => placeOf(one) - placeOf(two)));
    forms.end(open);
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
 * @param {(id: string, draft: string) => Promise<{parts: object[]}>} acts.preview What the answer will count.
 * @returns {{show: (questions: Asked[]) => void, end: (open: {id: string, left_s?: number}[]) => void}}
 */
function questionForms(root, { send, keep, preview }) {
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
    end(open) {
      for (const { id, left_s: left } of open) forms.get(id)?.endIn(left);
    },
    show(questions) {
      const open = new Set(questions.map(({ id }) => id));
      for (const [id, form] of forms) {
        if (open.has(id)) continue;
        const hadFocus = form.element.contains(document.activeElement);
        const next = form.element.nextElementSibling ?? form.element.previousElementSibling;
        form.endIn(undefined);
        form.element.remove();
        forms.delete(id);
        if (hadFocus) next?.querySelector("h2, button")?.focus();
      }
      for (const asked of questions) {
        if (forms.has(asked.id)) continue;
        const group = groupOf(asked.material);
        const form = questionForm(asked, group.picker, { send, keep, preview });
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
  const inForm = material.about.map((name) => answeredBy({ name }, material));
  const beside = [...material.speeches, ...passagesOf(material)].filter((each) => !inForm.includes(each));
  const speeches = beside.map((each) => {
    return h("article.speech", { id: speechId(each.name) },
      h("h2", {}, ASKED.speech(each)),
      picker.words(each.name, each.text));
  });
  const sendAll = h("button.primary", { type: "button", on: { click: sendEverything } });
  const all = h("p.row.send-all", {}, sendAll);
  const forms = h("div.forms", {}, all);
  const kind = `${STATEMENTS.has(material.purpose) ? ".to-answer" : ""}${beside.length ? "" : ".alone"}`;
  const element = h(`section.asked${kind}`, {},
    h("div.reading", {
      hidden: !isNewMotion && beside.length === 0,
      tabindex: 0,
      role: "region",
      "aria-label": ASKED.speeches,
    },
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
function questionForm({ id, schema, material, draft }, picker, { send, keep, preview }) {
  const fields = fieldsOf(schema, material);
  const answer = { ...blank(fields), ...read(draft) };
  const places = new Map();
  const counters = [];
  const words = question(material);
  const status = h("p.quiet", { role: "status" });
  const error = h("p.error", { role: "alert", hidden: true });
  const sendWords = STATEMENTS.has(material.purpose) ? ASKED.sendStatement : ASKED.send;
  const button = h("button.primary", { type: "submit" }, sendWords);
  const prefix = `q-${id.replace(/\W+/g, "-")}`;
  const sums = h("div.sums", { hidden: true });
  let waiting = null;
  let ending = null;
  let previews = 0;

  function changed(path) {
    for (const show of counters) show();
    showFault(path, "");
    waiting ??= setTimeout(keepNow, KEEP_MS);
  }

  function keepNow() {
    waiting = null;
    keep(id, JSON.stringify(answer)).then(
      () => setText(status, ASKED.kept),
      () => setText(status, ASKED.notKept),
    );
    showSums();
  }

  /** Shows what the answer will count, as the server will read it. */
  async function showSums() {
    if (!COUNTED.has(material.purpose)) return;
    previews += 1;
    const mine = previews;
    const { parts } = await preview(id, JSON.stringify(answer)).catch(() => ({ parts: [] }));
    if (mine !== previews) return; // A later one shows what has been given since.
    sums.hidden = parts.length === 0;
    sums.replaceChildren(
      h("h3", {}, ASKED.sums),
      h("dl", {}, parts.flatMap((part) => [h("dt", {}, ASKED.part(part.name)), h("dd", {}, ASKED.counts(part))])));
  }

  const faults = () => [
    ...faultsOf(fields, answer),
    ...wordCounts(answer, material).filter(({ count, most }) => count > most)
      .map(({ path, count, most }) => ({ path, message: FAULTS.fewerWords(most, count) })),
  ];

  /** A statement that is complete is sent when its time ends, as a speech is. */
  function endIn(seconds) {
    clearTimeout(ending);
    if (!STATEMENTS.has(material.purpose) || !Number.isFinite(seconds)) return;
    ending = setTimeout(() => faults().length === 0 && !button.disabled && submit(), (seconds - AT_END_S) * 1_000);
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
    const found = faults();
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
      setText(button, sendWords);
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

  const form = { answer, material, picker, prefix, places, changed, counters };
  const whole = counterElement([], form);
  const wholeFault = whole && h("div", {}, whole, faultBox([], form, () => []));
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
    wholeFault,
    sums,
    error,
    h("p.row", {}, button, status));
  if (draft) showSums();

  function onSubmit(event) {
    event.preventDefault();
    submit();
  }

  return { element, submit, endIn };
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
