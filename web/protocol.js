/** The three rounds: every argument with what was answered to it and where it stands, then the closings. */

import { h, toEvent } from "./dom.js";
import { badge, failures, marked, more, replaced, toPlace } from "./parts.js";
import { NAME, ROUND, SIGN, anchor, capital, count, isMissing, joined, number, plain } from "./words.js";

const SIDES = ["pro", "con"];
const RESPONSE = { refute: "refutes this", challenge: "challenges this", concede: "concedes this", partial: "accepts this in part" };
const STATEMENT = { openings: "opening", cross_examination: "cross-examination", closings: "closing" };
const WHERE = { 1: "opening", 2: "opening", 3: "cross-examination", 4: "cross-examination", 5: "closing", 6: "closing" };
/** The turn in which a side cross-examines. */
const CROSSED_IN = { pro: 3, con: 4 };

/** The protocol in `root`; `go(position)` moves the cursor. */
export function protocol(root, go) {
  const body = h("div.protocol");
  root.append(body);
  let last = {};
  return {
    show(view, _, { head }) {
      const running = head && view.state === "open";
      if (last.protocol === view.protocol && last.turns === view.turns && last.running === running) return;
      last = { protocol: view.protocol, turns: view.turns, running };
      replaced(body, [steps(view), preparing(view, running), ...SIDES.map((side) => group(side, view, running, go)), closings(view, go), assessed(view)]);
    },
    place(event) {
      const name = event.target ?? event.argument ?? event.arguments?.[0]?.id;
      const id = name ? anchor(name) : (event.type === "closing_stated" ? "closings" : event.type === "assessment_given" ? "briefing" : undefined);
      return id ? document.getElementById(id) : null;
    },
  };
}

/** What is being written, who writes it, and what went wrong. */
function preparing(view, running) {
  const turns = Object.entries(view.turns).filter(([, turn]) => turn.failures?.length);
  const speaking = Object.values(view.turns).filter(({ state }) => state === "speaking");
  const what = STATEMENT[view.protocol.round];
  const said = !running ? null
    : speaking.length && what ? `${joined(speaking.map(({ side }) => NAME[side]))} ${speaking.length > 1 ? `are writing their ${what}s, neither seeing the other’s` : `is writing its ${what}`}`
      : view.protocol.round === "judgement" ? "The judge is weighing every argument" : null;
  if (!said && !turns.length) return null;
  return h("div.preparing", {}, said && h("p.doing.going", {}, said),
    ...turns.map(([name, turn]) => h("div", {}, h("p.quiet", {}, `${SIGN[turn.side]} ${NAME[turn.side]}, statement ${name}`), failures(turn, running))));
}

function steps(view) {
  const names = Object.keys(ROUND);
  const at = view.protocol.round === "done" ? names.length : names.indexOf(view.protocol.round);
  return h("ol.steps", { "aria-label": "Rounds" }, ...names.map((name, i) => h(`li${i < at ? ".past" : i === at ? ".now" : ""}`, { "aria-current": i === at ? "step" : undefined },
    h("i", { "aria-hidden": "true" }, i < at ? "✓" : String(i + 1)), ` ${capital(ROUND[name])}`)));
}

function group(side, view, running, go) {
  const { openings, arguments: known, crossed } = view.protocol;
  const opening = openings[side];
  if (!opening) return null;
  const mine = Object.entries(known).filter(([, each]) => each.side === side);
  const other = side === "pro" ? "con" : "pro";
  return h(`section.case.${side}`, { "aria-labelledby": `case-${side}` },
    h("h2", { id: `case-${side}` }, h(`b.${side}`, {}, `${SIGN[side]} ${NAME[side]}`), h("span.quiet", {}, ` ${side === "pro" ? "speaks for it" : "speaks against it"}`)),
    faulty("This opening", opening.faults, opening.free_text, `free-${side}`),
    ...mine.map(([name, each]) => argument(name, each, view, running, go)),
    faulty(`${NAME[other]}’s cross-examination of it`, crossed[other], view.turns[CROSSED_IN[other]]?.text, `cross-${other}`));
}

/** What a statement lacked, and all that was said instead. */
function faulty(what, faults, text, key) {
  if (!faults?.length) return null;
  return h("div.fault", {}, h("p", {}, h("b", {}, `${what} did not keep its form: `), `${faults.join("; ")}.`),
    text && more(key, "All that was said", h("p.said", {}, text)));
}

function argument(name, each, view, running, go) {
  const other = each.side === "pro" ? "con" : "pro";
  const quotes = quoted(view, each.turn);
  const said = (text) => marked(text, quotes, "fallacy");
  const isPast = !["openings", "cross_examination"].includes(view.protocol.round) || view.protocol.crossed[other];
  return h(`article.argument.${each.side}`, { id: anchor(name), "aria-labelledby": `${anchor(name)}-claim` },
    h("header", {},
      h("a.id", toEvent(each.opened, go), name),
      each.trace && badge(each.trace.standing), each.trace && total(each.trace)),
    h("h3.thesis", { id: `${anchor(name)}-claim` }, ...said(each.claim)),
    h("p.grounds", {}, ...said(each.reasoning)),
    h("p.evidence", {}, h("b", {}, "Evidence "), ...said(each.evidence)),
    answer(each.cross, view, other) ?? (isPast ? h("p.quiet.unanswered", {}, `${NAME[other]} did not answer this argument.`) : running && h("p.quiet.unanswered", {}, "Not answered yet.")),
    judged(each));
}

const total = ({ total: value }) => (isMissing(value) ? h("span.sum", {}, h("span.quiet", {}, `no score: ${value.missing.reason}`))
  : h("span.sum", {}, h("b", {}, number(value, 2)), h("span.quiet", {}, " of 10")));

function answer(cross, view, other) {
  if (!cross) return null;
  const quotes = quoted(view, cross.turn);
  return h(`div.answer.${other}.${cross.response}`, {},
    h("p.how", {}, h(`b.${other}`, {}, `${SIGN[other]} ${NAME[other]} ${RESPONSE[cross.response] ?? plain(cross.response)}`)),
    h("p.grounds", {}, ...marked(cross.reasoning, quotes, "fallacy")),
    cross.follow_up && h("p.asks", {}, h("b", {}, "and asks "), ...marked(cross.follow_up, quotes, "fallacy")));
}

function judged({ trace, fallacies, turn }) {
  const found = Object.values(fallacies ?? {});
  if (!trace && !found.length) return null;
  const scores = Object.entries(trace?.scores ?? {});
  return h("div.judged", {},
    trace && h("p.label", {}, "The judge"),
    trace?.reason && h("p", {}, trace.reason),
    trace?.missing && h("p", {}, h("b", {}, "No standing: "), trace.missing.reason),
    scores.length > 0 && h("p.scores", {}, ...scores.map(([name, value]) => h("span", { "data-dimension": name }, `${plain(name)} `, h("b", {}, number(value)),
      trace.spread?.[name] > 0 && h("span.spread", {}, ` ±${number(trace.spread[name] / 2)}`)))),
    found.length > 0 && h("ul.fallacies", { "aria-label": "Fallacies" }, ...found.map((each) => h("li", {},
      h("b", {}, capital(plain(each.fallacy))), " ", h("q", {}, each.quote), each.turn !== turn && h("span.quiet", {}, ` in the ${WHERE[each.turn] ?? `turn ${each.turn}`}.`), each.reason && h("span.quiet", {}, ` ${each.reason}`)))));
}

function quoted(view, turn) {
  const text = Array.from(view.turns[turn]?.text ?? "");
  return Object.values(view.protocol.arguments).flatMap(({ fallacies }) => Object.entries(fallacies ?? {}))
    .filter(([, each]) => each.turn === turn)
    .map(([position, each]) => ({ name: `fallacy/${position}`, words: text.slice(...each.span).join("") || each.quote }));
}

function closings(view, go) {
  const sides = SIDES.filter((side) => view.protocol.closings[side]);
  if (!sides.length) return null;
  return h("section.closings", { id: "closings", "aria-labelledby": "closings-title" }, h("h2", { id: "closings-title" }, "Closings"),
    h("div.lanes", {}, ...sides.map((side) => closing(side, view.protocol.closings[side], view, go))));
}

function closing(side, each, view, go) {
  const position = view.protocol.positions[`closing:${side}`];
  return h(`article.closing.${side}`, {},
    h("header", {}, h(`b.${side}`, {}, `${SIGN[side]} ${NAME[side]}`), " ",
      h("a.quiet", toEvent(position, go), count(each.words, "word"))),
    faulty("This closing", each.faults, each.free_text, `closing-${side}`),
    h("p.said", {}, ...marked(each.final_position, quoted(view, each.turn), "fallacy")),
    each.concessions.length > 0 && h("div", {}, h("p.label", {}, "Concedes"), h("ul.plain", {}, ...each.concessions.map((text) => h("li", {}, text)))),
    each.standing_arguments.length > 0 && h("p.quiet", {}, "Holds that these were not rebutted: ", ...each.standing_arguments.flatMap((name, i) => [
      i ? ", " : "", view.protocol.arguments[name] ? toPlace(anchor(name), name) : name])));
}

function assessed(view) {
  const { assessment } = view.protocol;
  return assessment?.missing ? h("p.scores.none", {}, h("b", {}, "No overall assessment: "), assessment.missing.reason) : null;
}

/** For the margin: every argument with its standing and total. */
export function trace(root) {
  let last = {};
  return {
    show(view) {
      if (last === view.protocol) return;
      last = view.protocol;
      const known = Object.entries(view.protocol.arguments ?? {});
      const { assessment } = view.protocol;
      root.replaceChildren(known.length ? h("table.card.trace", {}, ...SIDES.map((side) => h("tbody", {},
        h("tr.side", {}, h(`th.${side}`, { scope: "rowgroup", colspan: 2 }, `${SIGN[side]} ${NAME[side]}`),
          h("td", { "data-total": side }, assessment && !isMissing(assessment[`${side}_total`]) ? number(assessment[`${side}_total`], 2) : "")),
        ...known.filter(([, each]) => each.side === side).map(([name, each]) => h("tr", {},
          h("th", { scope: "row" }, toPlace(anchor(name), name)),
          h("td", {}, each.trace ? badge(each.trace.standing) : h("span.quiet", {}, each.cross ? "answered" : "opened")),
          h("td", {}, each.trace && !isMissing(each.trace.total) ? number(each.trace.total, 2) : ""))))))
        : h("p.empty", {}, "Each argument stands here with what the judge makes of it."));
    },
  };
}
