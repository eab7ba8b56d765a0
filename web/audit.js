/** The audit of a debate: its log, event by event, with what each changed and why; and what differs between two moments. */

import { api } from "./api.js";
import { changed } from "./address.js";
import { h, say } from "./dom.js";
import { call } from "./ledger.js";
import { NAME, SIGN, capital, count, eventWords, isMissing, number, plain } from "./words.js";

const PAGE = 1000;
const MOST = 400;
/** Steps of a chain shown at once: from a directive back to the judgement it came from. */
const NEAREST = 6;
const KINDS = {
  turns: ["turn_", "attempt_", "arguments_", "argument_cross", "cross_", "closing_"],
  scores: ["turn_scored", "turns_compared", "score_", "penalty_", "logic_gap", "argument_traced", "assessment_", "fallacy_"],
  claims: ["claim_", "finding_refused", "injection_"], premises: ["premise_", "contradiction_"],
  tempers: ["pressure_", "traits_", "directive_"], "model calls": ["model_"],
  panel: ["panel", "agreement_", "opinion_", "deliberation_", "artifact_", "decision_", "rater_"],
  verdicts: ["scorecard_verdict", "narrative_", "conflict_", "convergence_", "debate_concluded"],
  audience: ["audience_", "belief_"], "the chair": ["debate_", "moderator_", "family_", "context_"],
};
const isOf = (type, kind) => KINDS[kind].some((start) => type.startsWith(start)) && !(kind === "turns" && type === "turn_scored");

/** The audit in `root`; `go(position)` leaves for a moment of the debate, `move(members)` changes the address. */
export function audit(root, id, { go, move }) {
  const frames = [];
  let reading = null;
  let [shownTo, drawn, view] = [0, "", null];

  const field = (name, label, ...options) => h("label.field", {}, h("span", {}, label),
    h("select", { name, on: { change: filter } }, ...options.map(([value, text]) => h("option", { value }, text))));
  const find = h("input", { type: "search", name: "q", placeholder: "Words, names, rules…", autocomplete: "off", on: { input: filter } });
  const turns = h("select", { name: "turn", on: { change: filter } });
  const bar = h("form.filters", { role: "search", "aria-label": "Filter the log", on: { submit: (event) => event.preventDefault() } },
    h("label.field.wide-field", {}, h("span", {}, "Find ", h("kbd", {}, "/")), find),
    field("side", "Side", ["", "both"], ["pro", `${SIGN.pro} ${NAME.pro}`], ["con", `${SIGN.con} ${NAME.con}`]),
    field("type", "Kind", ["", "every kind"], ...Object.keys(KINDS).map((kind) => [kind, kind])),
    h("label.field", {}, h("span", {}, "Turn"), turns));
  const found = h("p.quiet", { "aria-live": "polite" });
  const list = h("ol.log", { "aria-label": "Events" });
  const [from, to] = ["from", "to"].map((name) => h("input", { type: "number", name, min: "0", inputmode: "numeric", "aria-label": name === "from" ? "From event" : "To event", required: true }));
  const differences = h("div", { "aria-live": "polite" });
  root.append(h("h2", { id: "audit-title" }, "The log"),
    h("p.quiet", {}, "Everything on this page follows from these events. Open one to see what it changed, what led to it and what came of it."),
    bar, found, list,
    h("form.compare", { "aria-label": "Compare two moments", on: { submit: compare } },
      h("h3", {}, "What changed between two moments"),
      h("div.row", {}, "from event", from, "to event", to, h("button", { type: "submit" }, "Compare"))), differences);

  const asked = () => new URLSearchParams(location.search);
  const at = (position) => frames[position - 1];

  function filter(event) {
    const { name, value } = event.target;
    move({ [name]: value.trim() });
    drawn = "";
    draw();
  }

  async function compare(event) {
    event.preventDefault();
    move({ from: from.value, to: to.value });
    await tell(differences, Number(from.value), Number(to.value));
  }

  async function tell(place, start, end) {
    try {
      const { changes } = await api.diff(id, start, end);
      place.replaceChildren(changes.length ? table(changes) : h("p.quiet", {}, "Nothing that the page shows."));
    } catch (error) {
      place.replaceChildren(h("p.error", {}, error.message));
    }
  }

  const to_ = (position, ...text) => h("a", { href: changed(location, { event: position }), on: { click: (event) => {
    event.preventDefault();
    choose(position);
  } } }, ...text);

  function table(changes) {
    return h("div.scrolls", { tabindex: "0", role: "region", "aria-label": "Changes" }, h("table.figures.changes", {},
      h("thead", {}, h("tr", {}, ...["What", "before", "after", "because of"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...changes.map(({ keys, before, after, because_of: causes }) => h("tr", {},
        h("th", { scope: "row" }, keys.map(plain).join(" › ")), h("td", {}, before === undefined ? "–" : h("s", {}, short(before))), h("td", {}, after === undefined ? "–" : short(after)),
        h("td", {}, ...causes.slice(0, 6).flatMap((position, i) => [i ? ", " : "", to_(position, String(position))]), causes.length > 6 && ` and ${causes.length - 6} more`))))));
  }

  /** Reads what the log holds up to `position`. */
  async function read(position) {
    while (frames.length < position) {
      const { frames: page } = await api.frames(id, frames.length, PAGE);
      if (!page.length) return;
      frames.push(...page);
    }
  }

  function choose(position) {
    const chosen = asked().get("event") === String(position) ? null : position;
    move({ event: chosen });
    drawn = "";
    draw();
    list.querySelector(`[data-position="${position}"] button`)?.focus();
  }

  function draw() {
    const wanted = asked();
    const [q, side, kind, turn, open] = ["q", "side", "type", "turn", "event"].map((name) => wanted.get(name) ?? "");
    const key = [q, side, kind, turn, open, shownTo, frames.length].join("\n");
    if (key === drawn) return;
    drawn = key;
    for (const [control, value] of [[find, q], [bar.elements.side, side], [bar.elements.type, kind]]) if (control !== document.activeElement) control.value = value;
    const numbers = Object.keys(view.turns);
    if (turns.options.length !== numbers.length + 1) turns.replaceChildren(h("option", { value: "" }, "all"), ...numbers.map((each) => h("option", { value: each }, each)));
    turns.value = turn;
    const needle = q.toLowerCase();
    const sideOf = (event) => event.side ?? event.by ?? view.turns[event.turn ?? event.later]?.side;
    const isMeant = ({ event, position }) => (!turn || String(event.turn ?? event.later ?? "") === turn) && (!side || sideOf(event) === side)
      && (!KINDS[kind] || isOf(event.type, kind))
      && (!needle || `${position} ${event.type} ${eventWords(event)} ${JSON.stringify(event)}`.toLowerCase().includes(needle));
    const meant = frames.slice(0, shownTo).filter(isMeant);
    const first = open && meant.findIndex(({ position }) => String(position) === open) >= MOST ? meant.findIndex(({ position }) => String(position) === open) - MOST / 2 : 0;
    const rows = meant.slice(first, first + MOST);
    say(found, `${meant.length === shownTo ? count(shownTo, "event") : `${meant.length.toLocaleString("en")} of ${count(shownTo, "event")}`}${rows.length < meant.length ? `, ${first ? `${rows.length} around event ${open}` : `the first ${MOST}`} shown` : ""}`);
    list.replaceChildren(...rows.map((frame) => row(frame, String(frame.position) === open)));
    if (!rows.length) list.append(h("li.empty", {}, "No event is like that. Take a filter away, or look for other words."));
    if (from.value === "" && document.activeElement !== from) from.value = wanted.get("from") ?? 1;
    if (to.value === "" && document.activeElement !== to) to.value = wanted.get("to") ?? shownTo;
  }

  function row(frame, isOpen) {
    const { position, event } = frame;
    const side = event.side ?? view.turns[event.turn]?.side;
    const made = h("li", { "data-position": position, "data-type": event.type },
      h("button", { type: "button", "aria-expanded": String(isOpen), on: { click: () => choose(position) } },
        h("span.at", {}, position.toLocaleString("en")), h(`span.by.${side ?? "none"}`, { "aria-hidden": "true" }, SIGN[side] ?? "·"),
        h("span", {}, capital(eventWords(event))), h("time.quiet", { datetime: frame.at }, clock(frame.at))));
    if (isOpen) made.append(detail(frame));
    return made;
  }

  function detail({ position, event, cause, at: moment, digest }) {
    const before = [];
    for (let each = cause; each && before.length < 40; each = at(each)?.cause) before.unshift(each);
    const after = frames.slice(position, shownTo).filter((each) => each.cause === position).map((each) => each.position);
    const told = h("div", {}, h("p.quiet", {}, "Comparing…"));
    tell(told, position - 1, position);
    const step = (each) => h("li", {}, to_(each, `${each}`), " ", at(each) ? eventWords(at(each).event) : "");
    return h("div.detail", {},
      h("p.ways", {}, h("a", { href: `#e${position}`, on: { click: (pressed) => { pressed.preventDefault(); go(position); } } }, "see it in the debate"),
        position > 1 && h("a", { href: `#e${position - 1}`, on: { click: (pressed) => { pressed.preventDefault(); go(position - 1); } } }, "as it was before")),
      before.length > 0 && [h("h3", {}, "What led to it"), before.length > NEAREST && h("details.call", {}, h("summary", {}, `${count(before.length - NEAREST, "earlier step")}`), h("ol.chain", {}, ...before.slice(0, -NEAREST).map(step))),
        h("ol.chain", {}, ...before.slice(-NEAREST).map(step), h("li", { "aria-current": "true" }, `${position} ${eventWords(event)}`))],
      after.length > 0 && [h("h3", {}, "What came of it"), h("ol.chain", {}, ...after.slice(0, 20).map(step))],
      h("h3", {}, "What it changed"), told,
      event.call && call(id, event.call),
      h("details.call", {}, h("summary", {}, "the event as recorded"), h("pre", { tabindex: "0" }, JSON.stringify(event, null, 1))),
      h("p.quiet.digest", {}, `${moment} · digest ${digest}`));
  }

  return {
    /** The log up to `position`, no later. */
    async show(position, now) {
      view = now;
      if (reading) return;
      if (position === shownTo && frames.length >= position) return draw();
      reading = read(position);
      try {
        await reading;
        shownTo = Math.min(position, frames.length);
        draw();
        if (asked().has("from") && !differences.childElementCount) tell(differences, Number(asked().get("from")), Number(asked().get("to") ?? shownTo));
      } catch (error) {
        say(found, error.message);
      } finally {
        reading = null;
      }
    },
    search() {
      find.focus();
      find.select();
    },
  };
}

const clock = (iso) => iso.slice(11, 19);

/** A value of the view in little room. */
function short(value) {
  if (isMissing(value)) return "missing";
  if (typeof value === "number") return number(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
