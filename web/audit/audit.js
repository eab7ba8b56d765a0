/** The audit of a debate: its log, the causes and effects of each event, and the difference of two moments. */

import { changed } from "../parts/address.js";
import { api } from "../parts/api.js";
import { h, onClick, setText } from "../parts/dom.js";
import { headings } from "../parts/widgets.js";
import { told } from "../replay/history.js";
import { AUDIT } from "../words/audit.js";
import { capital, count, grouped, isMissing, number, plain } from "../words/formatting.js";
import { NAME, SIGN } from "../words/words.js";
import { callDetails } from "./ledger.js";

/** Frames fetched at a time. */
const PAGE = 1000;
/** Events listed at a time. */
const MAX_ROWS = 400;
/** Events of a chain of causes: the most that are followed, and those shown without opening the rest. */
const MAX_CAUSES = 40;
const NEAREST_CAUSES = 6;
const MAX_EFFECTS = 20;
const MAX_REASONS = 6;
const LONG_VALUE = 160;
const KINDS = [...AUDIT.kinds, ...AUDIT.leftOpen];
/** Filters by the names that they had in older links. */
const OLD_KINDS = { tempers: "characters", "the chair": "moderator" };

/**
 * The audit in `root`.
 * @param {HTMLElement} root
 * @param {string} id
 * @param {{go(position: number): void, move(members: object): void}} acts `go` leaves the audit for a moment of the
 *   debate, `move` changes the address.
 * @returns {{show(position: number, view: View): Promise<void>, focus(): void, search(): void}}
 *   `show` lists the log up to `position`, `focus` goes to the open event.
 */
export function audit(root, id, { go, move }) {
  const frames = [];
  let fetching = null;
  let shownTo = 0;
  let drawn = "";
  let revealed = null;
  let view = null;

  const find = h("input", {
    type: "search",
    name: "q",
    placeholder: AUDIT.placeholder,
    autocomplete: "off",
    on: { input: filter },
  });
  const sides = ["pro", "con"].map((each) => [each, `${SIGN[each]} ${NAME[each]}`]);
  const side = select("side", [["", AUDIT.bothSides], ...sides]);
  const kind = select("type", [["", AUDIT.everyKind], ...KINDS.map((each) => [each, each])]);
  const turns = select("turn", []);
  const [from, to] = [["from", AUDIT.fromLabel], ["to", AUDIT.toLabel]].map(([name, label]) => {
    const on = { input: () => differences.replaceChildren() };
    const attributes = { name, min: "0", inputmode: "numeric", "aria-label": label, required: true, on };
    return h("input", { type: "number", ...attributes });
  });
  const overview = h("p.overview", { hidden: true });
  const found = h("p.quiet", { "aria-live": "polite" });
  const list = h("ol.log", { "aria-label": AUDIT.events });
  const differences = h("div", { "aria-live": "polite" });
  const filters = h("form.filters", {
    role: "search",
    "aria-label": AUDIT.filter,
    on: { submit: (event) => event.preventDefault() },
  },
  h("label.field.wide-field", {}, h("span", {}, `${AUDIT.find} `, h("kbd", {}, "/")), find),
  h("label.field", {}, h("span", {}, AUDIT.side), side),
  h("label.field", {}, h("span", {}, AUDIT.kind), kind),
  h("label.field", {}, h("span", {}, AUDIT.turn), turns));
  const compareForm = h("form.compare", { "aria-label": AUDIT.compareLabel, on: { submit: compare } },
    h("h3", {}, AUDIT.compareTitle),
    h("div.row", {}, AUDIT.from, from, AUDIT.to, to, h("button", { type: "submit" }, AUDIT.compare)));
  root.append(
    h("h2", { id: "audit-title" }, AUDIT.title),
    h("p.quiet", {}, AUDIT.intro),
    overview,
    filters,
    found,
    list,
    compareForm,
    differences);

  function select(name, options) {
    return h("select", { name, on: { change: filter } }, options.map(([value, text]) => h("option", { value }, text)));
  }

  const query = () => new URLSearchParams(location.search);
  const frameAt = (position) => frames[position - 1];

  function filter({ target: { name, value } }) {
    move({ [name]: value.trim() });
    redraw();
  }

  function redraw() {
    drawn = "";
    draw();
  }

  async function compare(event) {
    event.preventDefault();
    if (Number(from.value) > Number(to.value)) [from.value, to.value] = [to.value, from.value];
    move({ from: from.value, to: to.value });
    const title = h("h4", {}, AUDIT.between(from.value, to.value));
    await showDifference(differences, Number(from.value), Number(to.value), title);
  }

  /** Shows a difference below `title`, unless another one has been asked for in the meantime. */
  async function showDifference(place, start, end, title = "") {
    const asked = `${start}-${end}`;
    place.dataset.asked = asked;
    place.replaceChildren(h("p.quiet", {}, AUDIT.comparing));
    let shown = null;
    try {
      const { changes, sentences } = await api.diff(id, start, end);
      shown = changes.length ? difference(changes, sentences) : [h("p.quiet", {}, AUDIT.noChange)];
    } catch (error) {
      shown = [h("p.error", {}, error.message)];
    }
    if (place.dataset.asked === asked) place.replaceChildren(title, ...shown);
  }

  function difference(changes, sentences) {
    return [
      h("ul.moved-list", {}, sentences.map(({ text, because_of: causes }) => {
        return h("li", {}, text, causes.length > 0 && h("span.quiet", {}, " ", AUDIT.becauseOf, causeLinks(causes)));
      })),
      h("details.call", {}, h("summary", {}, AUDIT.everyChange(grouped(changes.length))), changeTable(changes)),
    ];
  }

  function causeLinks(causes) {
    const links = causes.slice(0, MAX_REASONS).flatMap((position, i) => [i ? ", " : "", eventInList(position)]);
    return [...links, causes.length > MAX_REASONS && AUDIT.more(causes.length - MAX_REASONS)];
  }

  /** A link that opens an event of this list. */
  function eventInList(position) {
    const href = changed(location, { event: position });
    return h("a", { href, on: onClick(() => choose(position)) }, String(position));
  }

  function changeTable(changes) {
    const rows = changes.map(({ keys, before, after, because_of: causes }) => {
      return h("tr", {},
        h("th", { scope: "row" }, keys.map(plain).join(" › ")),
        h("td", {}, before === undefined ? "–" : h("s", {}, short(before))),
        h("td", {}, after === undefined ? "–" : short(after)),
        h("td", {}, causeLinks(causes)));
    });
    return h("div.scrolls", { tabindex: "0", role: "region", "aria-label": AUDIT.changes },
      h("table.figures.changes", {}, headings(AUDIT.changeColumns), h("tbody", {}, rows)));
  }

  /** Fetches the log up to `position`. */
  async function fetchTo(position) {
    while (frames.length < position) {
      const page = told(await api.frames(id, frames.length, PAGE));
      if (!page.length) return;
      frames.push(...page);
    }
  }

  function choose(position) {
    const isOpen = query().get("event") === String(position);
    revealed = isOpen ? null : String(position);
    move({ event: revealed });
    redraw();
    list.querySelector(`[data-position="${position}"] button`)?.focus();
  }

  /** Shows the filters of the address in the form. */
  function showFilters(filters_) {
    for (const [control, value] of [[find, filters_.q], [side, filters_.side], [kind, filters_.type]]) {
      if (control !== document.activeElement) control.value = value;
    }
    const numbers = Object.keys(view.turns);
    if (turns.options.length !== numbers.length + 1) {
      const options = numbers.map((each) => h("option", { value: each }, each));
      turns.replaceChildren(h("option", { value: "" }, AUDIT.allTurns), ...options);
    }
    turns.value = filters_.turn;
    const wanted = query();
    for (const control of [from, to]) control.max = shownTo;
    if (from.value === "" && document.activeElement !== from) from.value = wanted.get("from") ?? 1;
    if (to.value === "" && document.activeElement !== to) to.value = wanted.get("to") ?? shownTo;
  }

  function matches({ event, position, said }, filters_) {
    const turn = event.about ?? event.turn ?? event.later;
    if (filters_.turn && String(turn ?? "") !== filters_.turn) return false;
    if (filters_.side && (event.side ?? event.by ?? view.turns[turn]?.side) !== filters_.side) return false;
    if (KINDS.includes(filters_.type) && !said.kinds.includes(filters_.type)) return false;
    const text = `${position} ${event.type} ${said.words} ${JSON.stringify(event)}`;
    return !filters_.q || text.toLowerCase().includes(filters_.q.toLowerCase());
  }

  function draw() {
    const wanted = query();
    const names = ["q", "side", "type", "turn", "event"];
    const filters_ = Object.fromEntries(names.map((name) => [name, wanted.get(name) ?? ""]));
    filters_.type = OLD_KINDS[filters_.type] ?? filters_.type;
    const key = [...Object.values(filters_), shownTo, frames.length].join("\n");
    if (key === drawn) return;
    drawn = key;
    showFilters(filters_);
    showOverview();
    const matching = frames.slice(0, shownTo).filter((frame) => matches(frame, filters_));
    const open = matching.findIndex(({ position }) => String(position) === filters_.event);
    const first = open >= MAX_ROWS ? open - MAX_ROWS / 2 : 0;
    const rows = matching.slice(first, first + MAX_ROWS);
    const isAll = matching.length === shownTo;
    const number_ = isAll ? count(shownTo, "event") : `${grouped(matching.length)} of ${count(shownTo, "event")}`;
    const part = first ? AUDIT.around(rows.length, filters_.event) : AUDIT.first(MAX_ROWS);
    setText(found, rows.length < matching.length ? `${number_}, ${part}` : number_);
    list.replaceChildren(...rows.map((frame) => row(frame, String(frame.position) === filters_.event)));
    if (!rows.length) list.append(h("li.empty", {}, AUDIT.noMatch));
    reveal(filters_.event);
  }

  /** Scrolls once to the event that the address names. */
  function reveal(position) {
    if (position === revealed) return;
    revealed = position;
    list.querySelector("[aria-expanded=true]")?.closest("li").scrollIntoView();
  }

  /** What the judge left open and looked at again, each as a link that filters the log. */
  function showOverview() {
    const kinds = frames.slice(0, shownTo).flatMap(({ said }) => said.kinds);
    const found_ = AUDIT.leftOpen.map((name) => [name, kinds.filter((each) => each === name).length]);
    const open = found_.filter(([, events]) => events > 0);
    overview.hidden = !open.length;
    overview.replaceChildren(AUDIT.overview, ...open.flatMap(([name, events], i) => {
      const href = changed(location, { type: name, event: null });
      const filterBy = () => {
        move({ type: name, event: null });
        redraw();
      };
      return [i ? " · " : "", h("a", { href, on: onClick(filterBy) }, `${name} ${grouped(events)}`)];
    }));
  }

  function row(frame, isOpen) {
    const { position, event, at, said } = frame;
    const by = said.by === "speaker" ? view.turns[event.turn]?.side ?? "rules" : said.by;
    const [sign, name] = AUDIT.actor[by];
    const button = h("button", {
      type: "button",
      "aria-expanded": String(isOpen),
      on: { click: () => choose(position) },
    },
    h("span.at", {}, grouped(position)),
    h("span.by", { "data-by": by }, h("span", { "aria-hidden": "true" }, sign), " ", h("span.actor", {}, name)),
    h("span", {}, capital(said.words)),
    h("time.quiet", { datetime: at }, at.slice(11, 19)));
    return h("li", { "data-position": position, "data-type": event.type }, button, isOpen && detail(frame));
  }

  function step(position) {
    const frame = frameAt(position);
    return h("li", {}, eventInList(position), " ", frame ? frame.said.words : "");
  }

  function chain(positions) {
    return h("ol.chain", {}, positions.map(step));
  }

  function causesOf(cause) {
    const found_ = [];
    for (let each = cause; each && found_.length < MAX_CAUSES; each = frameAt(each)?.cause) found_.unshift(each);
    return found_;
  }

  function detail({ position, event, cause, at, digest, said }) {
    const causes = causesOf(cause);
    const far = causes.slice(0, -NEAREST_CAUSES);
    const effects = frames.slice(position, shownTo).filter((each) => each.cause === position);
    const changes = h("div", {}, h("p.quiet", {}, AUDIT.comparing));
    showDifference(changes, position - 1, position);
    const placeInDebate = (to_, text) => h("a", { href: `#e${to_}`, on: onClick(() => go(to_)) }, text);
    const current = h("li", { "aria-current": "true" }, `${position} ${said.words}`);
    const nearest = chain(causes.slice(-NEAREST_CAUSES));
    nearest.append(current);
    return h("div.detail", {},
      h("p.ways", {},
        placeInDebate(position, AUDIT.seeInDebate),
        position > 1 && placeInDebate(position - 1, AUDIT.before)),
      causes.length > 0 && [
        h("h3", {}, AUDIT.causes),
        far.length > 0 && h("details.call", {}, h("summary", {}, count(far.length, "earlier step")), chain(far)),
        nearest,
      ],
      effects.length > 0 && [
        h("h3", {}, AUDIT.effects),
        chain(effects.slice(0, MAX_EFFECTS).map((each) => each.position)),
      ],
      h("h3", {}, AUDIT.changed),
      changes,
      event.call && callDetails(id, event.call),
      h("details.call", {}, h("summary", {}, AUDIT.raw), h("pre", { tabindex: "0" }, JSON.stringify(event, null, 1))),
      h("p.quiet.digest", {}, `${at} · digest ${digest}`));
  }

  /** Shows the difference that the address asks for, once. */
  function showAskedDifference() {
    const wanted = query();
    if (!wanted.has("from") || differences.childElementCount) return;
    const [start, end] = [wanted.get("from"), wanted.get("to") ?? shownTo].map(Number);
    showDifference(differences, start, end, h("h4", {}, AUDIT.between(start, end)));
  }

  return {
    async show(position, newView) {
      view = newView;
      if (fetching) return;
      if (position === shownTo && frames.length >= position) {
        draw();
        return;
      }
      fetching = fetchTo(position);
      try {
        await fetching;
        shownTo = Math.min(position, frames.length);
        draw();
        showAskedDifference();
      } catch (error) {
        setText(found, error.message);
      } finally {
        fetching = null;
      }
    },
    focus: () => list.querySelector("[aria-expanded=true]")?.focus(),
    search() {
      find.focus();
      find.select();
    },
  };
}

/** A value of the view as short text. */
function short(value) {
  if (isMissing(value)) return "missing";
  if (typeof value === "number") return number(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONG_VALUE ? `${text.slice(0, LONG_VALUE)}…` : text;
}
