/** The part of the first page that judges a transcript: read a file, mend how it is split, open the debate. */

import { api } from "../parts/api.js";
import { $, h, setText, updateInBatches } from "../parts/dom.js";
import { pressed } from "../parts/keys.js";
import { SUPPLY } from "../words/supply.js";
import { documents } from "./documents.js";
import { judgeOptions, OTHER } from "./form.js";
import {
  BOUNDS,
  hindrance,
  mergeUp,
  numbered,
  requestTurns,
  speakersOf,
  splitAt,
  turnsOf,
  withSamePerson,
  withSide,
  withOthers,
  withoutShort,
  withSpeakerSide,
} from "./split.js";

const MAX_BYTES = 50 * 1024 * 1024;
const MAX_UNDONE = 200;
const SIDES = ["pro", "con", "context", "out"];
const SIDE_KEYS = { p: "pro", c: "con", m: "context", o: "out" };
const FIELDS = ["motion", "source", "licence"];
/** Fields without which no debate can be opened. */
const REQUIRED = ["motion", "source"];
let part = null;

/** `62 000` ms is `1:02`. */
function clock(ms) {
  const seconds = Math.floor(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] > 0 ? parts : parts.slice(1);
  return shown.map((each, i) => (i > 0 ? String(each).padStart(2, "0") : each)).join(":");
}

/**
 * Shows the part, the first time it is used.
 * @returns {{take(file: File): void}}
 */
export function supply() {
  part ??= begin();
  return part;
}

function begin() {
  let file = null;
  let kind = "";
  let form = "";
  /** Speaker → the side that was only guessed. */
  let guesses = new Map();
  /** Pairs of names that may be one person's. */
  let alike = [];
  let entries = [];
  let past = [];
  /** The entry whose text is in a field, so that the cursor can be put into it. */
  let splitting = null;
  /** Entry → what is shown of it, made anew when anything of it changes. */
  let rows = new Map();

  const picker = h("input", { type: "file", hidden: true, "aria-label": SUPPLY.file, on: { change: picked } });
  const paste = h("textarea", { rows: 4, "aria-label": SUPPLY.paste, placeholder: SUPPLY.placeholder });
  const status = h("p.quiet", { role: "status" });
  const error = h("p.error", { role: "alert", hidden: true });
  const preview = h("div.supply-preview", { hidden: true });
  const list = h("div.supply-entries", { on: { keydown } });
  const speakers = h("ul.supply-speakers");
  const which = h("select", { on: { change: () => read(which.value) } });
  const whichField = field("", which);
  const fields = Object.fromEntries(FIELDS.map((name) => [name, fieldOf(name)]));
  const faults = Object.fromEntries(FIELDS.map((name) => {
    return [name, h("p.error", { id: `supply-${name}-fault`, hidden: true })];
  }));
  const judge = h("select", { name: "supply.judge", on: { change: showOther } });
  const other = h("input", { "aria-label": SUPPLY.otherModel, placeholder: "provider:model", hidden: true });
  const others = h("select", { on: { change: settleOthers } });
  const othersField = field(SUPPLY.others, others);
  const shortest = h("input", { type: "number", min: 1, max: 1000, value: 8, inputmode: "numeric" });
  const evidence = h("div.documents", {},
    h("input", { type: "file", multiple: true, hidden: true, "aria-label": SUPPLY.documents }),
    h("p.row.quiet", {}, SUPPLY.documents,
      h("button", { type: "button", on: { click: () => attached.choose() } }, SUPPLY.addDocuments)),
    h("ul", { "aria-label": SUPPLY.documentList }),
    h("p.error", { role: "alert", hidden: true }));
  const attached = documents(evidence);
  const warnings = h("div");
  const hints = h("div");
  const found = h("p.quiet", { role: "status" });
  const hindered = h("p.error", { hidden: true });
  const undo = h("button", { type: "button", disabled: true, on: { click: undoLast } }, SUPPLY.undo);
  const button = h("button.primary", { type: "button", on: { click: open } }, SUPPLY.open);

  preview.append(
    whichField,
    h("div.supply-facts", {}, FIELDS.map((name) => {
      return h("div", {}, field(SUPPLY[name], fields[name]), faults[name]);
    })),
    warnings,
    h("h3", {}, SUPPLY.speakers),
    hints,
    speakers,
    h("div.supply-all", {}, othersField,
      field(SUPPLY.shortest, shortest),
      h("button", { type: "button", on: { click: leaveOutShort } }, SUPPLY.leaveOut)),
    h("div.supply-head", {}, h("h3", {}, SUPPLY.entries), undo, found),
    h("p.note", {}, SUPPLY.keys),
    list,
    evidence,
    field(SUPPLY.judge, judge),
    other,
    hindered,
    h("div.row", {}, button),
  );
  $("#supply-body").replaceChildren(
    h("p.quiet", {}, SUPPLY.about),
    h("div.row", {}, h("button", { type: "button", on: { click: () => picker.click() } }, SUPPLY.choose), picker),
    paste,
    h("div.row", {}, h("button", { type: "button", on: { click: readPasted } }, SUPPLY.show), status),
    error,
    preview,
  );
  api.models().then(({ models, default_judge: usual }) => {
    judge.replaceChildren(...judgeOptions(models));
    if (models.some(({ name, ok }) => ok && name === usual)) judge.value = usual;
    showOther();
  }).catch(showError);

  function showOther() {
    other.hidden = judge.value !== OTHER;
  }

  function field(title, control) {
    return h("label.field", {}, h("span", {}, title), control);
  }

  function fieldOf(name) {
    const described = {
      "aria-describedby": `supply-${name}-fault`,
      "aria-required": String(REQUIRED.includes(name)),
      on: { input: () => settle(name) },
    };
    return name === "motion" ? h("textarea", { rows: 2, ...described }) : h("input", described);
  }

  function showError({ message }) {
    setText(error, message);
    error.hidden = !message;
  }

  function settleOthers() {
    change(withOthers(entries, others.value));
  }

  function leaveOutShort() {
    const now = withoutShort(entries, Number(shortest.value));
    if (now.some((entry, i) => entry !== entries[i])) change(now);
  }

  function picked() {
    const [chosen] = picker.files;
    if (chosen) take(chosen);
    picker.value = "";
  }

  function readPasted() {
    if (paste.value.trim()) take(new File([paste.value], SUPPLY.pasted));
    else paste.focus();
  }

  function take(chosen) {
    file = chosen;
    showError({ message: chosen.size > MAX_BYTES ? SUPPLY.tooLarge : "" });
    if (chosen.size <= MAX_BYTES) read("");
  }

  async function read(debate) {
    setText(status, SUPPLY.reading(file.name));
    showError({ message: "" });
    const name = file.name === SUPPLY.pasted ? "" : file.name;
    try {
      show(await api.previewTranscript(file, name, debate));
    } catch (failure) {
      preview.hidden = true;
      showError({ message: SUPPLY.failed(file.name, failure.message) });
    }
    setText(status, "");
  }

  function show(split) {
    ({ kind, form, alike } = split);
    guesses = new Map(split.speakers.filter(({ guessed }) => guessed).map(({ name, side }) => [name, side]));
    [past, splitting, rows] = [[], null, new Map()];
    entries = numbered(split.entries);
    whichField.hidden = split.debates.length === 0;
    setText($("span", whichField), split.debates.length > 0 ? SUPPLY.which(split.debates.length) : "");
    which.replaceChildren(...split.debates.map(({ id, title }, i) => {
      return h("option", { value: id, selected: id === split.chosen }, `${i + 1}. ${title || id}`);
    }));
    for (const name of FIELDS) fields[name].value = split[name];
    if (!split.source) fields.source.value = file.name; // "pasted text" of a text that was pasted
    for (const name of FIELDS) settle(name);
    const said = [...split.doubts.map(SUPPLY.doubt), ...split.warnings];
    warnings.replaceChildren(...said.map((words) => h("p.caveat", {}, words)));
    preview.hidden = false;
    update();
  }

  /** Changes the entries, and keeps the focus at the entry `near` if it is on one. */
  function change(now, near) {
    if (now === entries) return;
    past = [...past.slice(1 - MAX_UNDONE), entries];
    entries = now;
    update(near);
  }

  function undoLast() {
    entries = past.at(-1) ?? entries;
    past = past.slice(0, -1);
    update();
  }

  function update(near = null) {
    const control = document.activeElement?.dataset?.control;
    const turns = turnsOf(entries);
    const before = rows;
    rows = new Map();
    const shown = entries.map((entry, i) => {
      const known = before.get(entry.id);
      const isSplit = splitting === entry.id;
      const isSame = known?.entry === entry && known.turn === turns[i] && known.at === i && known.isSplit === isSplit;
      const row = isSame ? known : { entry, turn: turns[i], at: i, isSplit };
      rows.set(entry.id, row);
      return [`${entry.id}`, row, () => element(row)];
    });
    updateInBatches(list, "ul", shown);
    showSpeakers();
    showSummary(turns);
    undo.disabled = past.length === 0;
    if (near !== null) focusOn(near, control);
  }

  function focusOn(id, control) {
    const row = $(`[data-entry="${id}"]`, list);
    const wanted = (control && $(`[data-control="${control}"]:not(:disabled)`, row)) || row;
    wanted?.focus();
  }

  function showSummary(turns) {
    const counted = { pro: new Set(), con: new Set(), context: new Set(), out: new Set() };
    entries.forEach(({ side, id }, i) => counted[side]?.add(turns[i] ?? id));
    setText(found, SUPPLY.found(kind, form, ...SIDES.map((side) => counted[side].size)));
    showHindrance(whatHinders());
  }

  function showSpeakers() {
    const active = document.activeElement?.dataset?.speaker;
    const all = speakersOf(entries);
    const isGuess = ({ name, side }) => side !== null && guesses.get(name) === side;
    const names = all.map(({ name }) => name);
    const guessed = all.filter(isGuess).map(({ name, side }) => SUPPLY.guessOf(name, side));
    const same = alike.filter((pair) => pair.every((name) => names.includes(name)));
    const said = [...(guessed.length > 0 ? [SUPPLY.guess(guessed)] : []), ...same.map((pair) => SUPPLY.alike(...pair))];
    hints.replaceChildren(...said.map((words) => h("p.caveat", {}, words)));
    othersField.hidden = !entries.some(({ side }) => side === null);
    const sides = ["context", "out"].map((side) => h("option", { value: side }, SUPPLY.side[side]));
    others.replaceChildren(h("option", { value: "" }, SUPPLY.openSide), ...sides);
    speakers.replaceChildren(...all.map(({ name, side, isOpen, words, entries: number }, i) => {
      const select = sideSelect(side, isOpen ? SUPPLY.openSide : SUPPLY.severalSides, SUPPLY.whose(name));
      select.dataset.speaker = i;
      select.addEventListener("change", () => change(withSpeakerSide(entries, name, select.value || null)));
      return h(`li.${isOpen ? "open" : side ?? "mixed"}`, {}, h("b", {}, name || SUPPLY.nameless),
        h("span.quiet", {}, SUPPLY.words(words, number), isGuess(all[i]) && ` · ${SUPPLY.guessed}`),
        select,
        names.length > 2 && sameSelect(name, names));
    }));
    if (active !== undefined) $(`[data-speaker="${active}"]`, speakers)?.focus();
  }

  /** Says that a speaker is the same person as another one. */
  function sameSelect(name, names) {
    const options = names.filter((each) => each !== name).map((each) => h("option", { value: each }, each));
    const choose = () => change(withSamePerson(entries, name, select.value));
    const label = SUPPLY.sameAs(name);
    const select = h("select", { "aria-label": label, on: { change: choose } },
      h("option", { value: name, selected: true }, SUPPLY.samePerson), options);
    return select;
  }

  function sideSelect(side, open, label) {
    const options = SIDES.map((each) => h("option", { value: each, selected: each === side }, SUPPLY.side[each]));
    if (side === null) options.unshift(h("option", { value: "", selected: true }, open));
    return h("select", { "aria-label": label }, options);
  }

  function element(row) {
    const { entry, turn, at, isSplit } = row;
    const number = at + 1;
    const side = sideSelect(entry.side, SUPPLY.openSide, SUPPLY.sideOf(number));
    side.dataset.control = "side";
    side.addEventListener("change", () => change(withSide(entries, entry.id, side.value), entry.id));
    const act = (control, title, click, disabled) => {
      return h("button", { type: "button", "data-control": control, disabled, on: { click } }, title);
    };
    const time = entry.at_ms === null ? "" : clock(entry.at_ms);
    const label = SUPPLY.entry(number, entry.speaker, entry.side ? SUPPLY.side[entry.side] : SUPPLY.openSide);
    return h(`li.supply-entry.${entry.side ?? "open"}`, { "data-entry": entry.id, tabindex: "0", "aria-label": label },
      h("div.supply-who", {}, h("b", {}, entry.speaker || SUPPLY.nameless),
        h("span.quiet", {}, [turn && SUPPLY.turn(turn), time].filter(Boolean).join(" · "))),
      h("div.supply-acts", {}, side,
        act("merge", SUPPLY.merge, () => merge(entry.id), at === 0),
        act("split", SUPPLY.split, () => startSplit(entry.id), isSplit)),
      isSplit ? splitter(entry, number) : h("p.said", {}, entry.text));
  }

  /** The text in a field: it cannot be changed, and the cursor says where it is split. */
  function splitter(entry, number) {
    const text = h("textarea", {
      rows: Math.min(12, 2 + Math.ceil(entry.text.length / 70)),
      "aria-label": SUPPLY.splitting(number),
      "aria-readonly": "true",
      "data-control": "cursor",
      on: {
        beforeinput: (event) => event.preventDefault(),
        keydown: (event) => {
          if (event.key === "Enter") finish();
          else if (event.key === "Escape") cancel();
          else return;
          event.preventDefault();
          event.stopPropagation();
        },
      },
    });
    text.value = entry.text;
    text.setSelectionRange(0, 0);
    const finish = () => {
      const now = splitAt(entries, entry.id, text.selectionStart);
      splitting = null;
      if (now === entries) update(entry.id);
      else change(now, now[now.findIndex(({ id }) => id === entry.id) + 1].id);
    };
    const cancel = () => {
      splitting = null;
      update(entry.id);
    };
    return h("div.supply-split", {}, text, h("div.row", {},
      h("button", { type: "button", on: { click: finish } }, SUPPLY.splitHere),
      h("button", { type: "button", on: { click: cancel } }, SUPPLY.cancel)));
  }

  function startSplit(id) {
    splitting = id;
    update();
    focusOn(id, "cursor");
  }

  function merge(id) {
    const at = entries.findIndex((entry) => entry.id === id);
    if (at > 0) change(mergeUp(entries, id), entries[at - 1].id);
  }

  /** Keys on an entry itself; those in its fields and buttons mean what they always do. */
  function keydown(event) {
    const { target } = event;
    if (!target.matches("[data-entry]")) return;
    const key = pressed(event);
    const id = Number(target.dataset.entry);
    const at = entries.findIndex((entry) => entry.id === id);
    const next = { ArrowUp: entries[at - 1], ArrowDown: entries[at + 1] }[key];
    if (key in SIDE_KEYS) change(withSide(entries, id, SIDE_KEYS[key]), id);
    else if (key === "u") merge(id);
    else if (key === "s") startSplit(id);
    else if (next) focusOn(next.id);
    else return;
    event.preventDefault();
  }

  function invalid(name, message) {
    fields[name].setAttribute("aria-invalid", "true");
    setText(faults[name], message);
    faults[name].hidden = false;
  }

  /** The field has no fault any more. */
  function settle(name) {
    fields[name].removeAttribute("aria-invalid");
    faults[name].hidden = true;
  }

  /** What hinders the debate from being opened, in words; empty if nothing does. */
  function whatHinders() {
    const why = hindrance(entries);
    return why ? SUPPLY.hindered[why.kind](why.value, BOUNDS[why.kind]) : "";
  }

  function showHindrance(message) {
    setText(hindered, message);
    hindered.hidden = !message;
  }

  async function open() {
    const why = whatHinders();
    const empty = REQUIRED.filter((name) => !fields[name].value.trim());
    for (const name of empty) invalid(name, SUPPLY.missing[name]);
    if (why) showHindrance(why);
    if (empty.length > 0) return fields[empty[0]].focus();
    if (why) return undefined;
    button.disabled = true;
    setText(button, SUPPLY.opening);
    try {
      const { id } = await api.open({
        motion: fields.motion.value,
        evidence: attached.body(),
        judge: { model: (judge.value === OTHER ? other.value.trim() : judge.value) || undefined },
        transcript: {
          turns: requestTurns(entries),
          source: fields.source.value,
          licence: fields.licence.value,
          kind,
        },
      });
      return location.assign(`/d/${encodeURIComponent(id)}`);
    } catch (failure) {
      const name = FIELDS.find((each) => failure.field === each || failure.field === `transcript.${each}`);
      if (name) {
        invalid(name, failure.message);
        fields[name].focus();
      } else showHindrance(failure.field ? `${failure.field}: ${failure.message}` : failure.message);
      button.disabled = false;
      return setText(button, SUPPLY.open);
    }
  }

  return { take };
}
