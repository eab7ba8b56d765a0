/** The panel: its outcome, how far raters agree, every number, and what would change the outcome. */

import { scale, dots } from "./charts.js";
import { decision } from "./decision.js";
import { deliberation } from "./deliberation.js";
import { h, toEvent } from "./dom.js";
import { badge, listed, more, replaced, toPlace } from "./parts.js";
import { NAME, SIGN, STANDING, anchor, capital, count, figure, isMissing, itemWords, joined, number, percent, plain } from "./words.js";

/** The panel in `root`; `go(position)` moves the cursor, `decide(decision, reason)` records a person's decision. */
export function panel(root, go, decide) {
  const body = h("div.panel-body");
  const form = decision(decide);
  let last = {};
  return {
    show(view, { head }) {
      const running = head && view.state === "open";
      if (last.panel === view.panel && last.running === running && last.head === head) return;
      last = { panel: view.panel, running, head };
      root.hidden = !view.panel.raters;
      if (root.hidden) return;
      if (!body.isConnected) root.replaceChildren(h("h2", { id: "panel-title" }, "The panel"), body);
      const { conclusion, decision: decided } = view.panel;
      form.hidden = !(head && conclusion?.winner === "neither" && !decided);
      const isWriting = form.contains(document.activeElement) && document.activeElement;
      replaced(body, [outcome(view, running, go), form, agreement(view), disputes(view), numbers(view, go), sides(view.panel), without(view.panel), deliberation(view.panel, go)]);
      if (isWriting) isWriting.focus({ preventScroll: true });
    },
    place(event) {
      const id = event.type === "panelist_scored" ? `rater-${event.rater}` : event.type === "deliberation_held" ? `round-${event.round}`
        : event.type === "opinion_given" ? "deliberation" : event.type === "agreement_measured" ? "agreement" : ["panel_concluded", "decision_recorded"].includes(event.type) ? "panel" : null;
      return id && document.getElementById(id);
    },
  };
}

const isTurn = (item) => /^\d+$/.test(item);

export function sentence({ conclusion, agreement: measured }) {
  const { outcome: kind, winner, leaning, disputed } = conclusion;
  if (winner !== "neither") return kind === "cautious" ? `The panel concludes with caution: ${NAME[winner]}.` : `The panel concludes: ${NAME[winner]}.`;
  if (kind === "contested") return leaning === "neither" ? "No winner is named: the raters are divided." : `No winner is named: the panel leans to ${NAME[leaning]}, but the raters are divided.`;
  if (kind === "undetermined") return "No winner is named: how far the raters agree could not be measured.";
  if (Object.values(disputed).some(({ decides }) => decides)) return `No winner is named: the raters are too far apart on ${Object.keys(disputed).some(isTurn) ? "a turn" : "an argument"} that decides.`;
  if (measured?.raw.band === "unacceptable") return "No winner is named: the raters are too far apart.";
  return "No winner is named: the two sides are too close to tell apart.";
}

function outcome(view, running, go) {
  const { panel: { conclusion, positions, raters, decision: decided }, state } = view;
  if (!conclusion) {
    const done = Object.values(raters).filter(({ scored }) => scored).length;
    const said = !done ? `${count(Object.keys(raters).length, "rater")} will score on their own, none knowing what another gives.` : `${done} of ${count(Object.keys(raters).length, "rater")} have scored, each on its own.`;
    return h("p.empty", {}, said, running && done > 0 && h("span.doing.going", {}, " The others are reading"), state === "concluded" && " The debate ended without an outcome.");
  }
  return h("div.outcome", {},
    h(`p.says.${conclusion.outcome}`, { "data-outcome": conclusion.outcome }, conclusion.winner !== "neither" && h(`span.${conclusion.winner}`, { "aria-hidden": "true" }, `${SIGN[conclusion.winner]} `), sentence(view.panel)),
    conclusion.reasons.length > 0 && h("ul.reasons-list", {}, ...conclusion.reasons.map((each) => h("li", {}, capital(each)))),
    h("p.quiet", {}, `Outcome: ${conclusion.outcome}. Topic: ${conclusion.topic_type === "default" ? "none in particular" : plain(conclusion.topic_type)}. `,
      h("a", toEvent(positions.conclusion, go), `event ${positions.conclusion}`)),
    decided && h("div.decided", {}, h("p.label", {}, `Decided by ${decided.by}`), h("p.decision-said", {}, decided.decision), decided.reason && h("p", {}, decided.reason)),
    conclusion.advice.length > 0 && h("div.advice", {}, listed(conclusion.winner === "neither" ? "What to find out instead" : "What to find out next", conclusion.advice, capital)));
}

// How far they agree

function agreement({ format, panel: { agreement: measured, thresholds } }) {
  if (!measured) return null;
  const others = `other ${format === "exchange" ? "turns" : "arguments"} like these`;
  const edges = ["low", "moderate", "high"].filter((name) => typeof thresholds[name] === "number").map((name) => [name, thresholds[name]]);
  return h("section.agreement", { id: "agreement", "aria-labelledby": "agreement-title" }, h("h3", { id: "agreement-title" }, "How far the raters agree"),
    h("div.lanes", {},
      coefficient("Scores", "Krippendorff’s alpha", measured.raw, edges, `${others} were rated`),
      coefficient("Standings", "Fleiss’ kappa", measured.kappa, edges, `${others} were given a standing`)),
    h("p.quiet", {}, "1 is agreement throughout, 0 what chance would give, below 0 less than that. Alpha on the scores as they were given decides."),
    more("measures", "Other ways to measure it", h("table.figures", {},
      h("thead", {}, h("tr", {}, ...["Measure", "value", "likely between", "items"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...[["alpha, interval (decides)", measured.raw], [`alpha, scores calibrated by ${measured.calibration}`, measured.calibrated], ["alpha, ordinal", measured.ordinal], ["alpha, nominal", measured.nominal], ["alpha, ratio", measured.ratio], ["kappa of the standings", measured.kappa]].map(([name, each]) => h("tr", {},
        h("th", { scope: "row" }, name), each.undefined ? h("td", { colspan: 3 }, `undefined: ${each.undefined}`)
          : [h("td", {}, figure(each.value)), h("td", {}, range(each, " – ")), h("td", {}, number(each.items))]))))));
}

const range = ({ low, high }, between) => (typeof low === "number" && typeof high === "number" ? `${figure(low)}${between}${figure(high)}` : "–");

function coefficient(what, name, each, edges, again) {
  if (each.undefined) return h("div.coefficient", {}, h("p", {}, h("b", {}, what), h("span.quiet", {}, ` ${name}`)), h("p", {}, h("b", {}, "Undefined: "), `${each.undefined}.`));
  const has = typeof each.low === "number" && typeof each.high === "number";
  return h("div.coefficient", {},
    h("p", {}, h("b", {}, what), h("span.quiet", {}, ` ${name}`)),
    h("p.at", {}, h("b", {}, figure(each.value)), each.band && ` ${each.band}`, each.items !== undefined && h("span.quiet", {}, ` from ${count(each.items, "item")}`)),
    has && scale(each, edges, `${name} ${figure(each.value)}, likely between ${range(each, " and ")}${each.band ? `: ${each.band}` : ""}`),
    has && h("p.quiet", {}, `If ${again}, the agreement would likely lie between ${range(each, " and ")}.`));
}

// What they disagree on

const claimOf = (view, item) => view.protocol?.arguments?.[item]?.claim;
const linked = (view, item) => (claimOf(view, item) ? toPlace(anchor(item), item) : isTurn(item) ? toPlace(`turn-${item}`, itemWords(item)) : itemWords(item));

function disputes(view) {
  const { conclusion } = view.panel;
  if (!conclusion) return null;
  const all = Object.entries(conclusion.disputed).sort(([, a], [, b]) => b.variance - a.variance);
  return h("section.disputes", { "aria-labelledby": "disputes-title" }, h("h3", { id: "disputes-title" }, "Most disputed"),
    all.length === 0 && h("p.quiet", {}, "Nothing is disputed: on no item do the raters lie far apart."),
    h("ol", {}, ...all.map(([item, each]) => h("li.dispute", {},
      h("div", {}, h("p.what", {}, h("b", {}, linked(view, item)), claimOf(view, item) && h("span.thesis", {}, ` ${claimOf(view, item)}`)),
        h("p.quiet", {}, Object.entries(each.scores).sort(([, a], [, b]) => b - a).map(([name, value]) => `${plain(name)} ${number(value, 1)}`).join(" · "), `; variance ${number(each.variance, 2)}`),
        each.decides && h("p.decides", {}, "It decides: the outcome stands and falls with it.")),
      dots(each.scores)))));
}

// Every number

function numbers(view, go) {
  const { raters, items, conclusion } = view.panel;
  const names = Object.keys(raters);
  const given = names.filter((name) => raters[name].scored);
  if (!given.length) return seats(view, go);
  const order = Object.keys(view.protocol?.arguments ?? {});
  const found = [...new Set(given.flatMap((name) => [...Object.keys(raters[name].scored.scores), ...Object.keys(raters[name].scored.standings)]))];
  const rows = [...order.filter((item) => found.includes(item)), ...found.filter((item) => !order.includes(item)).sort((a, b) => a.localeCompare(b, "en", { numeric: true }))];
  return h("section.numbers", { "aria-labelledby": "numbers-title" }, h("h3", { id: "numbers-title" }, "Every rater’s numbers"),
    h("p.quiet", {}, "Each rater’s own weighted score, 1 to 10, as it was given, with the standing that it gave."),
    h("div.wide-table", { role: "group", "aria-label": "Table of the raters’ numbers", tabindex: "0" }, h("table.figures.raters", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Item"), ...names.map((name) => h("th", { scope: "col" }, plain(name))), h("th", { scope: "col" }, "lowest to highest"), h("th", { scope: "col" }, "variance"))),
      h("tbody", {}, ...rows.map((item) => h(`tr${conclusion?.disputed[item] ? ".disputed" : ""}`, { "data-item": item },
        h("th", { scope: "row" }, linked(view, item), conclusion?.disputed[item] && h("span.word.dock", {}, " disputed")),
        ...names.map((name) => cell(name, item, raters[name])),
        h("td", { "data-label": "lowest to highest" }, items[item] ? `${number(items[item].low, 1)} to ${number(items[item].high, 1)}` : "–"),
        h("td", { "data-label": "variance" }, number(items[item]?.variance, 2))))))),
    seats(view, go));
}

function cell(name, item, { scored, totals }) {
  const standing = scored?.standings[item];
  const gone = scored && !(item in totals);
  return h("td", { "data-label": plain(name), "data-rater": name },
    item in totals ? h("b", {}, number(totals[item], 1)) : h("span.quiet", { title: scored?.absent[item] ?? scored?.missing?.reason }, gone ? "not given" : "–"),
    standing && h("span.small", {}, ` ${STANDING[standing] ?? plain(standing)}`));
}

function seats(view, go) {
  return h("div.seats-list", {}, ...Object.entries(view.panel.raters).map(([name, each]) => seat(name, each, view, go)));
}

export const recordWords = ({ right, of }) => (of ? `right on ${right} of ${of} known outcomes` : "no track record yet");

function seat(name, { seat: rater, scored, position }, view, go) {
  const share = view.panel.conclusion?.weights[name];
  const dimensions = Object.keys(rater.weights);
  return h("details.more.rater", { "data-key": `rater-${name}`, id: `rater-${name}` },
    h("summary", {}, h("b", {}, rater.title), h("span.quiet", {}, [share !== undefined && `weight ${percent(share)}`, recordWords(rater.record), scored?.missing && "gave nothing"].filter(Boolean).join(" · "))),
    h("div.rater-body", {},
      h("p", {}, "Asks ", rater.focus, "."),
      h("p.quiet", {}, `${scored?.model || rater.model || "model named at the end"}${rater.samples > 1 ? `, ${count(rater.samples, "sample")}, the median counts` : ""}. Weighs ${joined(dimensions.map((each) => `${plain(each)} ${percent(rater.weights[each])}`))}.`,
        position && [" ", h("a", toEvent(position, go), `event ${position}`)]),
      rater.caveat && h("p.caveat", {}, rater.caveat),
      scored?.missing && h("p", {}, h("b", {}, "No scores: "), scored.missing.reason),
      scored && Object.keys(scored.scores).length > 0 && given(scored, dimensions),
      scored && Object.keys(scored.absent).length > 0 && h("p.quiet", {}, "Not there: ", Object.entries(scored.absent).map(([what, why]) => `${what} (${why})`).join("; "), "."),
      scored && h("ul.plain", {}, ...Object.entries(scored.notes).map(([item, note]) => h("li", {}, h("b", {}, `${itemWords(item)}: `), note)))));
}

function given(scored, dimensions) {
  const spread = (item, name) => scored.spread[item]?.[name] > 0 && h("span.spread", {}, ` ±${number(scored.spread[item][name] / 2)}`);
  return h("table.figures.own", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Item"), ...dimensions.map((name) => h("th", { scope: "col" }, plain(name))), h("th", { scope: "col" }, "standing"))),
    h("tbody", {}, ...Object.entries(scored.scores).map(([item, values]) => h("tr", {}, h("th", { scope: "row" }, itemWords(item)),
      ...dimensions.map((name) => h("td", { "data-label": plain(name) }, number(values[name]), spread(item, name))),
      h("td", { "data-label": "standing" }, scored.standings[item] ? badge(scored.standings[item]) : "–")))));
}

// What counts, and what would change it

function sides({ conclusion, agreement: measured }) {
  if (!conclusion) return null;
  const value = (each) => (isMissing(each) ? h("span.quiet", { title: each.missing.reason }, "missing") : figure(each));
  const row = (name, totals, alpha, counts) => h("tr", {}, h("th", { scope: "row" }, name, counts && h("span.small", {}, " decides")),
    h("td", { "data-label": "Pro" }, value(totals.pro)), h("td", { "data-label": "Con" }, value(totals.con)), h("td", { "data-label": "alpha" }, alpha?.undefined ? "undefined" : figure(alpha?.value)));
  return h("section", { "aria-labelledby": "sides-title" }, h("h3", { id: "sides-title" }, "Raw and calibrated"),
    h("table.figures.sides", {},
      h("thead", {}, h("tr", {}, h("td"), ...["pro", "con"].map((side) => h(`th.${side}`, { scope: "col" }, `${SIGN[side]} ${NAME[side]}`)), h("th", { scope: "col" }, "alpha"))),
      h("tbody", {}, row("Scores as given", conclusion.weighted, measured?.raw, true), row(`Calibrated${measured ? `, ${measured.calibration}` : ""}`, conclusion.calibrated, measured?.calibrated))),
    h("p.quiet", {}, isMissing(conclusion.gap) ? `No gap: ${conclusion.gap.missing.reason}.` : `The sides are ${percent(conclusion.gap)} apart on the scores as given. Calibrating takes out that one rater is stricter than another.`));
}

function without({ conclusion, raters }) {
  const all = Object.entries(conclusion?.without ?? {});
  if (!all.length) return null;
  return h("section", { "aria-labelledby": "without-title" }, h("h3", { id: "without-title" }, "If one rater were left out"),
    h("table.figures.without", {},
      h("thead", {}, h("tr", {}, ...["Without", "outcome", "alpha", "gap"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...all.map(([name, each]) => h("tr", { "data-without": name },
        h("th", { scope: "row" }, `Without the ${(raters[name]?.seat.title ?? `${name} rater`).toLowerCase()}`),
        h("td", { "data-label": "outcome" }, each.winner === "neither" ? `${each.outcome}, no winner` : `${each.outcome}, ${NAME[each.winner]}`),
        h("td", { "data-label": "alpha" }, isMissing(each.alpha) ? "not measured" : figure(each.alpha)),
        h("td", { "data-label": "gap" }, isMissing(each.gap) ? "–" : percent(each.gap)))))));
}

/** The panel in short, for the margin. */
export function inShort(root) {
  let last = null;
  return {
    show(view) {
      if (last === view.panel) return;
      last = view.panel;
      const { raters, conclusion, agreement: measured } = view.panel;
      root.parentElement.hidden = !raters || !view.pro;
      if (root.parentElement.hidden) return;
      const done = Object.values(raters).filter(({ scored }) => scored).length;
      root.replaceChildren(...[h("p", {}, conclusion ? sentence(view.panel) : `${done} of ${count(Object.keys(raters).length, "rater")} have scored.`),
        measured && h("p.quiet", {}, measured.raw.undefined ? `Agreement undefined: ${measured.raw.undefined}.` : `Agreement ${figure(measured.raw.value)}: ${measured.raw.band}.`),
        conclusion && h("p", {}, toPlace("panel", "All numbers"))].filter(Boolean));
    },
  };
}
