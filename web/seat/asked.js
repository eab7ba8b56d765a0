/** The questions to a person who judges, and the statements of one who debates, as forms beside the speeches. The page
 * of a seat loads it late. */

import { $, h, setText } from "../parts/dom.js";
import { ASKED } from "../words/asked.js";
import { counterElement, faultBox, fieldsElement } from "./controls.js";
import { wordPicker } from "./picker.js";

/** A draft is kept so long after a change, also while more is typed. */
const KEEP_MS = 800;
/** Controls that can be marked as invalid. */
const WRITTEN = "select, textarea, input[type=number]";
/** Seconds before the end at which a statement that is complete is sent. */
const AT_END_S = 0.5;

/**
 * The questions of a seat on its page: asked for when one is new, with drafts in this browser and on the server. Each
 * has `id`, `form` (server/people/forms.py) and `draft`, what the person has given so far, as JSON.
 * @param {HTMLElement} root
 * @param {{kept: object, api: object, look: () => void}} seat
 * @returns {{show: (open: {id: string, left_s?: number}[]) => Promise<void>}}
 */
export function seatQuestions(root, { kept, api, look }) {
  const clock = h("p.clock");
  root.append(clock);
  document.head.append(h("link", { rel: "stylesheet", href: "/static/seat/asked.css" }));
  const forms = new Map();
  const groups = new Map();
  let shown = "";
  const acts = {
    preview: api.preview,
    async send(id, answer) {
      await api.send(id, JSON.stringify(answer));
      await kept.remove(`form ${id}`);
      look();
    },
    async keep(id, draft) {
      await kept.set(`form ${id}`, draft);
      await api.draft(id, draft);
    },
  };

  function groupOf(form) {
    const key = JSON.stringify([form.motion, form.reading]);
    if (!groups.has(key)) {
      const group = readingGroup(form);
      groups.set(key, group);
      root.append(group.element);
    }
    return groups.get(key);
  }

  function close(id, form) {
    const hadFocus = form.element.contains(document.activeElement);
    const next = form.element.nextElementSibling ?? form.element.previousElementSibling;
    form.endIn(undefined);
    form.element.remove();
    forms.delete(id);
    if (hadFocus) next?.querySelector("h2, button")?.focus();
  }

  function showForms(questions) {
    for (const [id, form] of forms) if (!questions.some((each) => each.id === id)) close(id, form);
    for (const asked of questions) {
      if (forms.has(asked.id)) continue;
      const group = groupOf(asked.form);
      const form = questionForm(asked, group.picker, acts);
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
  }

  return {
    async show(open) {
      root.hidden = open.length === 0;
      const least = Math.min(...open.map(({ left_s: left }) => left ?? Infinity));
      setText(clock, Number.isFinite(least) ? ASKED.left(least) : "");
      const ids = open.map(({ id }) => id).join("\n");
      if (ids !== shown) {
        const { questions } = open.length ? await api.questions() : { questions: [] };
        for (const each of questions) each.draft = (await kept.get(`form ${each.id}`)) ?? each.draft;
        showForms(questions.toSorted((one, two) => one.form.place - two.form.place));
        shown = ids;
      }
      for (const { id, left_s: left } of open) forms.get(id)?.endIn(left);
    },
  };
}

/** The speeches, and beside them the forms of all questions about them. */
function readingGroup({ motion, language, reading = [], is_statement: isStatement }) {
  const picker = wordPicker(language);
  const isNewMotion = $("h1")?.textContent !== motion;
  const speeches = reading.map(({ name, title, text }) => {
    return h("article.speech", { id: speechId(name) }, h("h2", {}, title), picker.words(name, text));
  });
  const sendAll = h("button.primary", { type: "button", on: { click: sendEverything } });
  const all = h("p.row.send-all", {}, sendAll);
  const forms = h("div.forms", {}, all);
  const kind = `${isStatement ? ".to-answer" : ""}${speeches.length ? "" : ".alone"}`;
  const around = {
    hidden: !isNewMotion && speeches.length === 0,
    tabindex: 0,
    role: "region",
    "aria-label": ASKED.speeches,
  };
  const element = h(`section.asked${kind}`, {},
    h("div.reading", around,
      isNewMotion && h("p.label", {}, ASKED.motion),
      isNewMotion && h("p.motion", { lang: language, dir: "auto" }, motion),
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
function questionForm({ id, form: asked, draft }, picker, { send, keep, preview }) {
  const answer = { ...asked.blank, ...read(draft) };
  const places = new Map();
  const counters = [];
  const status = h("p.quiet", { role: "status" });
  const error = h("p.error", { role: "alert", hidden: true });
  const sendWords = asked.is_statement ? ASKED.sendStatement : ASKED.send;
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
    if (!asked.is_counted) return;
    previews += 1;
    const mine = previews;
    const { parts } = await preview(id, JSON.stringify(answer)).catch(() => ({ parts: [] }));
    if (mine !== previews) return; // A later one shows what has been given since.
    sums.hidden = parts.length === 0;
    sums.replaceChildren(
      h("h3", {}, ASKED.sums),
      h("dl", {}, parts.flatMap((part) => [h("dt", {}, part.title), h("dd", {}, part.counts)])));
  }

  /** A statement that is complete is sent when its time ends, as a speech is. */
  function endIn(seconds) {
    clearTimeout(ending);
    if (!asked.is_statement || !Number.isFinite(seconds)) return;
    ending = setTimeout(() => button.disabled || submit(), (seconds - AT_END_S) * 1_000);
  }

  /** Shows a fault at its field, or at the nearest place around it that is shown; an empty one goes away. */
  function showFault(path, message) {
    const around = path.map((_, i) => path.slice(0, path.length - i).join("/"));
    const place = places.get([...around, ""].find((each) => places.has(each)));
    if (!place) return;
    setText(place.box, message);
    place.box.hidden = !message;
    for (const control of place.controls().filter((each) => each.matches(WRITTEN))) {
      if (message) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    }
  }

  function showFaults(found) {
    for (const [path] of places) showFault(path.split("/"), "");
    for (const { path, message } of found) showFault(path, message);
    setText(error, found.length ? ASKED.mend(found.length) : "");
    error.hidden = found.length === 0;
    const first = $(".error:not([hidden])", element);
    [...places.values()].find(({ box }) => box === first)?.controls()[0]?.focus();
  }

  async function submit() {
    button.disabled = true;
    setText(button, ASKED.sending);
    clearTimeout(waiting);
    waiting = null;
    try {
      // Where another node runs the debate, what is sent is checked only there.
      const { faults } = await preview(id, JSON.stringify(answer)).catch(() => ({}));
      if (faults?.length) throw Object.assign(new Error(), { faults });
      await send(id, answer);
      showFaults([]);
      setText(button, ASKED.sent);
      element.classList.add("is-sent");
      return true;
    } catch (failure) {
      button.disabled = false;
      setText(button, sendWords);
      showFaults(failure.faults ?? []);
      if (!failure.faults?.length) {
        setText(error, failure.message);
        error.hidden = false;
        error.scrollIntoView({ block: "nearest" });
      }
      return false;
    }
  }

  const limits = asked.most_words ?? {};
  const form = { answer, language: asked.language, limits, picker, prefix, places, changed, counters };
  const whole = counterElement([], form);
  const wholeFault = whole && h("div", {}, whole, faultBox([], form, () => []));
  const element = h("form.question", {
    novalidate: true,
    "data-id": id,
    "aria-labelledby": `${prefix}-title`,
    on: { submit: onSubmit },
  },
    h("h2", { id: `${prefix}-title`, tabindex: -1 }, asked.title),
    h("p.quiet", {}, asked.takes),
    asked.how.map((line) => h("p.how", {}, line)),
    contextOf(asked),
    premisesOf(asked),
    fieldsElement(asked.fields, form),
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

/** What else the question shows, line by line. */
function contextOf({ context = [] }) {
  if (context.length === 0) return null;
  return h("div.context", {}, context.map(([isSaid, line]) => {
    return h(isSaid ? "blockquote.said" : "p", { dir: "auto" }, line);
  }));
}

function premisesOf({ premises = [] }) {
  if (premises.length === 0) return null;
  return h("details.premises", { open: true },
    h("summary", {}, ASKED.premises),
    h("ul", {}, premises.map(([name, text]) => h("li", {}, h("b", {}, name), " ", text))));
}
