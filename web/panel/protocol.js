/** A debate by protocol: every argument with what was said of it and its standing, then the closings. */

import { questionsAtTheEnd } from "../exchange/questions.js";
import { changeDetector, eventLink, h } from "../parts/dom.js";
import { badge, failures, marked, more, placeLink, replaceChildren, sideName } from "../parts/widgets.js";
import { anchor, capital, count, isMissing, joined, number, plain } from "../words/formatting.js";
import { PROTOCOL } from "../words/panel.js";
import { NAME, ROUND, SIDES, SIGN, TRANSCRIPT, roundsOf } from "../words/words.js";

const OTHER = { pro: "con", con: "pro" };
/** The turn in which a side cross-examines. */
const CROSS_TURN = { pro: 3, con: 4 };

/**
 * The protocol in `root`.
 * @param {HTMLElement} root
 * @param {(position: number) => void} go
 * @param {(position: number) => object | undefined} wantFrame A frame; one that the page does not hold is fetched.
 * @returns {{show(view: View, speech: unknown, state: {head: boolean}): void, place: Function}}
 *   `place(event, view, share)`: the part of what an event says that is read after this share of its time.
 */
export function protocol(root, go, wantFrame) {
  const body = h("div.protocol");
  const isChanged = changeDetector();
  root.append(body);
  return {
    show(view, _, { head }) {
      const isRunning = head && view.state === "open";
      const known = isRunning ? questionsAtTheEnd(view, wantFrame) : null;
      const { positions, raters, standings } = view.panel ?? {};
      const said = [view.protocol, view.turns, view.evidence, raters, standings, positions];
      if (!isChanged(...said, isRunning, known?.answered)) return;
      replaceChildren(body, [
        roundSteps(view),
        preparation(view, isRunning, known),
        ...SIDES.map((side) => caseSection(side, view, isRunning, go)),
        closings(view, go),
        missingAssessment(view),
      ]);
    },
    place(event, view, share = 1) {
      const parts = placesOf(event).filter(([id]) => document.getElementById(id));
      return document.getElementById(parts[0] && atShare(parts, share));
    },
  };
}

/** The places of what an event says, each with the length of its text. */
function placesOf({ type, target, argument, arguments: opened, answers, side }) {
  if (opened) return opened.map(({ id, ...said }) => [anchor(id), Object.values(said).join("").length]);
  if (answers) return Object.entries(answers).map(([id, text]) => [`${anchor(id)}-reply`, text.length]);
  if (target) return [[`${anchor(target)}-cross`, 1]];
  const id = { closing_stated: `closing-${side}`, assessment_given: "briefing" }[type];
  return id || argument ? [[id ?? anchor(argument), 1]] : [];
}

/** The place that is reached when this share of the texts has been read. */
function atShare(places, share) {
  const all = places.reduce((sum, [, length]) => sum + length, 0);
  let left = share * all;
  const found = places.find(([, length]) => {
    left -= length;
    return left < 0;
  });
  return (found ?? places.at(-1))[0];
}

function roundSteps(view) {
  const names = roundsOf(view);
  const now = view.protocol.round === "done" ? names.length : names.indexOf(view.protocol.round);
  const kindOf = (i) => {
    if (i < now) return ".past";
    return i === now ? ".now" : "";
  };
  return h("ol.steps", { "aria-label": PROTOCOL.rounds }, names.map((name, i) => {
    const sign = h("i", { "aria-hidden": "true" }, i < now ? "✓" : String(i + 1));
    return h(`li${kindOf(i)}`, { "aria-current": i === now ? "step" : undefined }, sign, ` ${capital(ROUND[name])}`);
  }));
}

/** The statements that are being written, and failed attempts. */
function preparation(view, isRunning, known) {
  const failed = Object.entries(view.turns).filter(([, turn]) => turn.failures?.length);
  const text = isRunning ? preparationText(view, known) : null;
  if (!text && !failed.length) return null;
  return h("div.preparing", {},
    text && h("p.doing.going", {}, text),
    failed.map(([name, turn]) => h("div", {},
      h("p.quiet", {}, `${SIGN[turn.side]} ${NAME[turn.side]}, statement ${name}`),
      failures(turn, isRunning))));
}

function preparationText({ turns, protocol: { round } }, known) {
  const speaking = Object.values(turns).filter(({ state }) => state === "speaking").map(({ side }) => NAME[side]);
  const statement = PROTOCOL.statement[round];
  if (speaking.length > 1 && statement) return PROTOCOL.areWriting(joined(speaking), statement);
  if (speaking.length && statement) return PROTOCOL.isWriting(speaking[0], statement);
  return round === "judgement" ? PROTOCOL.judging(known) : null;
}

function caseSection(side, view, isRunning, go) {
  const { openings, arguments: known, crossed, answered } = view.protocol;
  const opening = openings[side];
  if (!opening) return null;
  const other = OTHER[side];
  const own = Object.entries(known).filter(([, each]) => each.side === side);
  const crossText = view.turns[CROSS_TURN[other]]?.text;
  const spoken = Object.values(view.turns).filter((turn) => turn.side === side && turn.origin);
  const origins = [...new Set(spoken.map(({ origin }) => origin.text))].join("; ");
  return h(`section.case.${side}`, { "aria-labelledby": `case-${side}` },
    h("h2", { id: `case-${side}` }, sideName(side), h("span.quiet", {}, ` ${PROTOCOL.role[side]}`)),
    origins && h("p.quiet.origin", {}, capital(origins)),
    formFaults(PROTOCOL.thisOpening, opening.faults, opening.free_text, `free-${side}`),
    own.map(([name, each]) => argument(name, each, view, isRunning, go)),
    formFaults(PROTOCOL.crossOf(NAME[other]), crossed[other], crossText, `cross-${other}`),
    formFaults(PROTOCOL.theseAnswers, answered?.[side]?.faults, answered?.[side]?.free_text, `answers-${side}`));
}

/** What a statement lacks of its form, with its whole text. */
function formFaults(what, faults, text, key) {
  if (!faults?.length) return null;
  return h("div.fault", {},
    h("p", {}, h("b", {}, PROTOCOL.brokenForm(what)), `${faults.join("; ")}.`),
    text && more(key, PROTOCOL.wholeText, h("p.said", {}, text)));
}

function argument(name, each, view, isRunning, go) {
  const other = OTHER[each.side];
  const quotes = fallacyQuotes(view, each.turn);
  const withMarks = (text) => marked(text, quotes, "fallacy");
  const id = anchor(name);
  return h(`article.argument.${each.side}`, { id, "aria-labelledby": `${id}-claim` },
    h("header", {},
      h("a.id", eventLink(each.opened, go), name),
      each.trace && badge(each.trace.standing),
      each.trace && total(each.trace)),
    h("h3.thesis", { id: `${id}-claim` }, withMarks(each.claim)),
    h("p.grounds", {}, withMarks(each.reasoning)),
    h("p.evidence", {}, h("b", {}, `${PROTOCOL.evidence} `), h("span.spoken", {}, withMarks(each.evidence))),
    citations(each, each.turn, view, id),
    each.cross ? answer(each, view, other, `${id}-cross`) : unanswered(view.protocol, other, isRunning),
    reply(each, view, `${id}-reply`),
    judgement(name, each, view));
}

function total({ total: value }) {
  if (isMissing(value)) return h("span.sum", {}, h("span.quiet", {}, PROTOCOL.noScore(value.missing.reason)));
  return h("span.sum", {}, h("b", {}, number(value, 2)), h("span.quiet", {}, " of 10"));
}

function unanswered({ round, crossed }, other, isRunning) {
  const isPast = !["openings", "cross_examination"].includes(round) || crossed[other];
  if (isPast) return h("p.quiet.unanswered", {}, PROTOCOL.notAnswered(NAME[other]));
  return isRunning && h("p.quiet.unanswered", {}, PROTOCOL.notYetAnswered);
}

function answer({ cross, fallacies }, view, other, id) {
  const quotes = fallacyQuotes(view, cross.turn);
  const response = PROTOCOL.response[cross.response] ?? plain(cross.response);
  return h(`div.answer.${other}.${cross.response}`, { id },
    h("p.how", {}, h(`b.${other}`, {}, `${SIGN[other]} ${NAME[other]} ${response}`)),
    h("p.grounds", {}, marked(cross.reasoning, quotes, "fallacy")),
    cross.follow_up
      && h("p.asks", {},
        h("b", {}, `${PROTOCOL.asks} `),
        h("span.spoken", {}, marked(cross.follow_up, quotes, "fallacy"))),
    listedFallacies(Object.values(fallacies ?? {}).filter(({ by }) => by), cross.turn, view),
    citations(cross, cross.turn, view, id));
}

/** The citations in the texts of a part of a statement: what was found of each, and their passages on request. */
function citations(part, turn, view, key) {
  const said = Array.from(view.turns[turn]?.text ?? "");
  const text = Object.values(part).flat().filter((each) => typeof each === "string").join("\n");
  const found = Object.values(view.evidence?.citations ?? {}).filter((each) => {
    return each.turn === turn && each.passage && text.includes(said.slice(...each.span).join(""))
      && text.includes(each.quote);
  });
  if (!found.length) return null;
  const words = found.map(({ passage, finding }) => `[${passage}] ${TRANSCRIPT.cited[finding]}`);
  const place = h("div");
  const details = more(`citations/${key}`, words.join(" · "), place);
  details.addEventListener("toggle", async () => {
    if (!details.open || place.firstChild) return;
    const { citedPassages } = await import("../exchange/evidence.js");
    place.replaceChildren(citedPassages(found.map(({ citation }) => citation), view));
  });
  return details;
}

/** The answer of an argument's side to the question about it. */
function reply({ side, cross, answer: text }, view, id) {
  const given = view.protocol.answered?.[side];
  if (!text) return given && cross?.follow_up ? h("p.quiet.unanswered", {}, PROTOCOL.noReply(NAME[side])) : null;
  return h(`div.answer.reply.${side}`, { id },
    h("p.how", {}, h(`b.${side}`, {}, `${SIGN[side]} ${NAME[side]} ${PROTOCOL.replies}`)),
    h("p.grounds", {}, marked(text, fallacyQuotes(view, given?.turn), "fallacy")),
    citations([text], given?.turn, view, id));
}

function judgement(name, { trace, fallacies, turn }, view) {
  const found = Object.values(fallacies ?? {}).filter(({ by }) => !by);
  const standings = view.panel?.standings?.[name];
  if (!trace && !found.length && !standings) return null;
  const scores = Object.entries(trace?.scores ?? {}).map(([dimension, value]) => {
    const spread = trace.spread?.[dimension] > 0 && h("span.spread", {}, ` ±${number(trace.spread[dimension] / 2)}`);
    return h("span", { "data-dimension": dimension }, `${plain(dimension)} `, h("b", {}, number(value)), spread);
  });
  return h("div.judged", {},
    trace && h("p.label", {}, PROTOCOL.judge),
    trace?.reason && h("p.spoken", {}, trace.reason),
    trace?.missing && h("p", {}, h("b", {}, PROTOCOL.noStanding), trace.missing.reason),
    scores.length > 0 && h("p.scores", {}, scores),
    standings && h("p.panel-standings", {}, h("b", {}, PROTOCOL.panel), standings),
    listedFallacies(found, turn, view),
    trace && why(name, view));
}

/** Fallacies that were found, as a list; `turn`: the statement under which it stands. */
function listedFallacies(found, turn, view) {
  return found.length > 0
    && h("ul.fallacies", { "aria-label": PROTOCOL.fallacies }, found.map((each) => fallacy(each, turn, view)));
}

/** What the scores are made of, fetched when the reader opens it. */
function why(name, view) {
  const place = h("div.made-of");
  const details = more(`why/${name}`, PROTOCOL.why, place);
  details.addEventListener("toggle", async () => {
    if (!details.open || place.firstChild) return;
    try {
      const { argumentAudit } = await import("./argument.js");
      replaceChildren(place, await argumentAudit(view, name));
    } catch ({ message }) {
      place.replaceChildren(h("p.quiet", {}, message));
    }
  });
  return details;
}

function fallacy(each, turn, view) {
  const round = roundsOf(view)[Math.floor((each.turn - 1) / 2)];
  const [where] = PROTOCOL.statement[round] ?? [`turn ${each.turn}`];
  return h("li", {},
    h("b", {}, capital(plain(each.fallacy))),
    " ",
    h("q", {}, each.quote),
    each.turn !== turn && h("span.quiet", {}, ` in the ${where}.`),
    each.reason && h("span.quiet", {}, ` ${each.reason}`));
}

/** The fallacies found in a turn, as quotes to mark. */
function fallacyQuotes(view, turn) {
  const text = Array.from(view.turns[turn]?.text ?? "");
  const all = Object.values(view.protocol.arguments).flatMap(({ fallacies }) => Object.entries(fallacies ?? {}));
  return all.filter(([, each]) => each.turn === turn).map(([position, { span, quote }]) => {
    return { name: `fallacy/${position}`, words: text.slice(...span).join("") || quote };
  });
}

function closings(view, go) {
  const sides = SIDES.filter((side) => view.protocol.closings[side]);
  if (!sides.length) return null;
  return h("section.closings", { id: "closings", "aria-labelledby": "closings-title" },
    h("h2", { id: "closings-title" }, PROTOCOL.closings),
    h("div.lanes", {}, sides.map((side) => closing(side, view.protocol.closings[side], view, go))));
}

function closing(side, each, view, go) {
  const { arguments: known, positions } = view.protocol;
  const standing = each.standing_arguments.flatMap((name, i) => {
    return [i ? ", " : "", known[name] ? placeLink(anchor(name), name) : name];
  });
  const concessions = each.concessions.map((text) => h("li.spoken", {}, text));
  return h(`article.closing.${side}`, { id: `closing-${side}` },
    h("header", {},
      sideName(side),
      " ",
      h("a.quiet", eventLink(positions[`closing:${side}`], go), count(each.words, "word"))),
    formFaults(PROTOCOL.thisClosing, each.faults, each.free_text, `closing-${side}`),
    h("p.said", {}, marked(each.final_position, fallacyQuotes(view, each.turn), "fallacy")),
    citations(each, each.turn, view, `closing-${side}`),
    each.shift && h("p.shift", {}, h("b", {}, PROTOCOL.shift(each.shift)), h("span.spoken", {}, each.shift_reason)),
    concessions.length > 0 && h("div", {}, h("p.label", {}, PROTOCOL.concedes), h("ul.plain", {}, concessions)),
    standing.length > 0 && h("p.quiet", {}, each.shift ? PROTOCOL.holdAsStated : PROTOCOL.notRebutted, standing));
}

function missingAssessment({ protocol: { assessment } }) {
  if (!assessment?.missing) return null;
  return h("p.scores.none", {}, h("b", {}, PROTOCOL.noAssessment), assessment.missing.reason);
}

/**
 * The sidebar's table of every argument with its standing and total.
 * @param {HTMLElement} root
 * @returns {{show(view: View): void}}
 */
export function standings(root) {
  const isChanged = changeDetector();
  return {
    show(view) {
      if (!isChanged(view.protocol, view.panel?.standings)) return;
      const known = Object.entries(view.protocol.arguments ?? {});
      const bodies = SIDES.map((side) => standingsOf(side, known, view));
      root.replaceChildren(known.length ? h("table.card.trace", {}, bodies) : h("p.empty", {}, PROTOCOL.noArguments));
    },
  };
}

/** How far the exchange about an argument has come. */
function stage({ cross, answer: text }, view) {
  if (!cross) return PROTOCOL.opened;
  return text || !roundsOf(view).includes("answers") ? PROTOCOL.answered : PROTOCOL.examined;
}

function standingsOf(side, known, view) {
  const { assessment } = view.protocol;
  const standings = view.panel?.standings ?? {};
  const sum = assessment?.[`${side}_total`];
  const rows = known.filter(([, each]) => each.side === side).map(([name, { trace, ...each }]) => h("tr", {},
    h("th", { scope: "row" }, placeLink(anchor(name), name)),
    h("td", {},
      trace ? badge(trace.standing) : h("span.quiet", {}, stage(each, view)),
      standings[name] && h("span.small", {}, PROTOCOL.panel, standings[name])),
    h("td", {}, trace && !isMissing(trace.total) ? number(trace.total, 2) : "")));
  return h("tbody", {},
    h("tr.side", {},
      h(`th.${side}`, { scope: "rowgroup", colspan: 2 }, `${SIGN[side]} ${NAME[side]}`),
      h("td", { "data-total": side }, assessment && !isMissing(sum) ? number(sum, 2) : "")),
    rows);
}
