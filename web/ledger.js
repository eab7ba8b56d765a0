/** A turn's score as its ledger has it: what changed it, and on demand every entry with its words and its call. */

import { api } from "./api.js";
import { h, toEvent } from "./dom.js";
import { number, plain, signed } from "./words.js";

const RULE = {
  __proto__: null,
  band_winner: "brought up to the winner’s band",
  band_loser: "brought down to the loser’s band", logic_gap: "logic gap", cleared: "given back",
};
const known = new Map();

/** The audit of a turn, asked again when another entry has come. */
async function audit(id, turn, newest) {
  const kept = known.get(turn);
  if (kept?.newest === newest) return kept.audit;
  const asked = api.audit(id, turn);
  known.set(turn, { newest, audit: asked });
  asked.catch(() => known.delete(turn));
  return asked;
}

const newestOf = (turn) => `${turn.judged}.${turn.changed.at(-1) ?? ""}`;
const link = (position, go, text, to = position) => h("a", { href: `#e${position}`, on: { click: (event) => { event.preventDefault(); go(to); } } }, text);
const ruleWords = (rule) => RULE[rule] ?? plain(rule);
const amount = ({ applied, requested }) => `${signed(applied)}${applied === requested ? "" : ` of ${signed(requested)}`}`;

/** The name under which an entry's words are marked in the turns. */
const markOf = ({ kind, position }) => `${kind === "gap" ? "gap" : "entry"}/${position}`;

/** Notes on a turn whose score changed, read by `fill`; entries after `position` stay unseen. */
export function notes(id, number_, turn, position, go, mark) {
  if (!turn.changed?.length) return {};
  const list = h("ul.entries", { "aria-label": `What changed the score of turn ${number_}` });
  const fill = () => audit(id, number_, newestOf(turn)).then(({ entries }) => {
    const later = entries.filter((entry) => entry.kind !== "score" && entry.position <= position);
    list.replaceChildren(...later.map((entry) => h("li", { "data-kind": entry.kind },
      h("b", {}, `${amount(entry)} ${plain(entry.dimension)}`), ", ", h("s", {}, number(entry.before)), ` → ${number(entry.after)} · `, ruleWords(entry.rule), ": ", entry.reason,
      entry.kind === "gap" && words(entry),
      " ", link(entry.cause ?? entry.position, go, "see it happen", entry.position))));
    mark(later.map((entry) => ({ name: markOf(entry), position: entry.position, evidence: entry.evidence })));
  }, (error) => list.replaceChildren(h("li.quiet", {}, error.message)));
  return { list, fill };
}

const words = (entry) => h("span.quotes", {}, ...entry.evidence.map(({ quote, turn }) => h("span", {}, h("q", {}, quote), h("span.quiet", {}, ` turn ${turn}`))));

/** Every entry in order: who asked for what, what it got, because of which words; read by `fill`. */
export function blame(id, number_, turn, position, go, light) {
  const list = h("ol.blame", { "aria-label": `The ledger of turn ${number_}` }, h("li.quiet", {}, "Reading the ledger…"));
  const fill = () => audit(id, number_, newestOf(turn)).then(({ entries }) => {
    const seen = entries.filter((entry) => entry.position <= position);
    const given = seen.filter(({ kind }) => kind === "score");
    list.replaceChildren(given.length ? first(id, given, go) : "", ...seen.filter(({ kind }) => kind !== "score").map((entry) => row(id, entry, go, light)));
  }, (error) => list.replaceChildren(h("li.quiet", {}, error.message)));
  return { list, fill };
}

/** The points that a turn began with. */
function first(id, given, go) {
  const [{ position, cause, call: asked }] = given;
  return h("li", { "data-kind": "score", "data-position": position },
    h("p", {}, link(position, go, `event ${position}`), " ", ...given.flatMap(({ dimension, requested, applied }, i) => [
      i ? " · " : "", `${plain(dimension)} `, requested !== applied && [h("s", {}, number(requested)), " "], h("b", {}, number(applied))].flat())),
    h("p.quiet", {}, h("span.rule", {}, "the judge’s points, as the rules admit them"), given.some(({ requested, applied }) => requested !== applied) && ": what was requested is struck through"),
    ways(id, cause, asked, go));
}

function ways(id, cause, asked, go, before = false) {
  return [h("p.ways", {}, cause && link(cause, go, `because of event ${cause}`), before && cause && link(cause - 1, go, "as it was before")), asked && call(id, asked)];
}

function row(id, entry, go, light) {
  const lit = !entry.evidence.length ? {} : {
    pointerenter: () => light(markOf(entry)), pointerleave: () => light(null), focusin: () => light(markOf(entry)), focusout: () => light(null),
  };
  return h("li", { "data-kind": entry.kind, "data-position": entry.position, on: lit },
    h("p", {}, link(entry.position, go, `event ${entry.position}`), " ", h("b", {}, plain(entry.dimension)), " ",
      h("span.moves", {}, h("s", {}, number(entry.before)), " → ", h("b", {}, number(entry.after))),
      " ", h("span.quiet", {}, `requested ${signed(entry.requested)}, applied ${signed(entry.applied)}`)),
    h("p.quiet", {}, h("span.rule", {}, ruleWords(entry.rule)), entry.reason && `: ${entry.reason}`),
    entry.evidence.length > 0 && words(entry),
    ways(id, entry.cause, entry.call, go, true));
}

/** `<details>` with the exact question and the raw answer of a call, fetched when they are opened. */
export function call(id, name) {
  const box = h("div", {});
  const made = h("details.call", {}, h("summary", {}, `the judge’s question and answer (${name})`), box);
  made.addEventListener("toggle", async () => {
    if (!made.open || box.childElementCount) return;
    try {
      const said = await api.call(id, name);
      const facts = [said.model, said.latency_ms !== undefined && `${said.latency_ms.toLocaleString("en")} ms`, said.usage && `${number((said.usage.input_tokens ?? 0) + (said.usage.output_tokens ?? 0))} tokens`,
        ...Object.entries(said.parameters ?? {}).map(([key, value]) => `${plain(key)} ${typeof value === "object" ? JSON.stringify(value) : value}`)];
      box.replaceChildren(h("p.quiet", {}, facts.filter(Boolean).join(" · ")),
        ...said.prompt.flatMap(({ role, text }) => [h("h4", {}, role), h("pre", { tabindex: "0" }, text)]),
        ...(said.reasoning ? [h("h4", {}, "its reasoning"), h("pre", { tabindex: "0" }, said.reasoning)] : []),
        h("h4", {}, said.kind ? `no answer: ${said.message}` : "the answer, as it came"), said.answer && h("pre", { tabindex: "0" }, said.answer));
    } catch (error) {
      box.replaceChildren(h("p.quiet", {}, error.message));
    }
  });
  return made;
}
