/** The panel: its outcome, the agreement of the raters, every number, and what would change the outcome. */

import { firstSide, named } from "../exchange/labels.js";
import { changeDetector, eventLink, h } from "../parts/dom.js";
import { badge, headings, listed, more, placeLink, replaceChildren, table } from "../parts/widgets.js";
import {
  anchor, capital, count, figure, holder, isMissing, joined, number, percent, plain, signed,
} from "../words/formatting.js";
import { PANEL, itemWords } from "../words/panel.js";
import { NAME, SIDES, SIGN, STANDING, UNNAMED } from "../words/words.js";
import { dotPlot, intervalScale } from "./charts.js";
import { decision } from "./decision.js";
import { deliberation } from "./deliberation.js";

const isTurn = (item) => /^\d+$/.test(item);

/** The place of an event of a panel, by its type. */
const PLACES = {
  panelist_scored: (event) => `rater-${event.rater}`,
  deliberation_held: (event) => `round-${event.round}`,
  opinion_given: () => "deliberation",
  agreement_measured: () => "agreement",
  panel_concluded: () => "panel",
  decision_recorded: () => "panel",
};

/**
 * The panel in `root`.
 * @param {HTMLElement} root
 * @param {(position: number) => void} go
 * @param {(decision: string, reason: string) => Promise<void>} decide Records a person's decision.
 * @returns {{show(view: View, state: {head: boolean}): void, place(event: object): Element | null}}
 */
export function panel(root, go, decide) {
  const body = h("div.panel-body");
  const form = decision(decide);
  const isChanged = changeDetector();
  return {
    show(view, { head }) {
      const isRunning = head && view.state === "open";
      if (!isChanged(view.panel, view.conclusion, isRunning, head)) return;
      root.hidden = !view.panel.raters;
      if (root.hidden) return;
      if (!body.isConnected) root.replaceChildren(h("h2", { id: "panel-title" }, PANEL.title), body);
      const { conclusion, decision: decided } = view.panel;
      const isNamed = [conclusion?.winner, view.conclusion?.winner].some((winner) => winner && winner !== "neither");
      form.hidden = !(head && conclusion && !isNamed && !decided);
      const focused = form.contains(document.activeElement) && document.activeElement;
      replaceChildren(body, [
        outcome(view, isRunning, go),
        form,
        agreement(view),
        disputes(view),
        numbers(view, go),
        sideTable(view.panel),
        withoutTable(view.panel),
        deliberation(view.panel, undefined, (text) => named(text, firstSide(view))),
      ]);
      if (focused) focused.focus({ preventScroll: true });
    },
    place(event) {
      const id = PLACES[event.type]?.(event);
      return id ? document.getElementById(id) : null;
    },
  };
}

function scoredOf(raters) {
  return Object.values(raters).filter(({ scored }) => scored).length;
}

function outcome(view, isRunning, go) {
  const { panel: { conclusion, positions, raters, decision: decided }, state } = view;
  if (!conclusion) {
    const done = scoredOf(raters);
    return h("p.empty", {},
      PANEL.progress(done, Object.keys(raters).length),
      isRunning && done > 0 && h("span.doing.going", {}, ` ${PANEL.othersReading}`),
      state === "concluded" && ` ${PANEL.noOutcome}`);
  }
  const { winner, outcome: kind, topic_type: topic, reasons, advice, act = [] } = conclusion;
  const sign = winner !== "neither" && h(`span.${winner}`, { "aria-hidden": "true" }, `${SIGN[winner]} `);
  const reasonItems = reasons.map((each) => h("li", {}, capital(each)));
  const adviceTitle = winner === "neither" ? PANEL.findOutInstead : PANEL.findOutNext;
  return h("div.outcome", {},
    h(`p.says.${kind}`, { "data-outcome": kind }, sign, view.panel.says),
    reasonItems.length > 0 && h("ul.reasons-list", {}, reasonItems),
    h("p.quiet", {},
      PANEL.topic(topic === "default" ? PANEL.noTopic : plain(topic)),
      h("a", eventLink(positions.conclusion, go), `event ${positions.conclusion}`)),
    decided && h("div.decided", {},
      h("p.label", {}, PANEL.decidedBy(decided.by)),
      h("p.decision-said", {}, decided.decision),
      decided.reason && h("p", {}, decided.reason)),
    advice.length + act.length > 0 && h("div.advice", {},
      listed(adviceTitle, advice, capital),
      listed(PANEL.act, act, capital)));
}

// Agreement

function agreement({ format, panel: { agreement: measured, thresholds } }) {
  if (!measured) return null;
  const items = format === "exchange" ? "turns" : "arguments";
  const edges = ["low", "moderate", "high"].filter((name) => typeof thresholds[name] === "number");
  const bands = edges.map((name) => [name, thresholds[name]]);
  const known = PANEL.measures(measured).filter(([key]) => measured[key]);
  const measures = known.map(([key, name]) => measureRow(name, measured[key]));
  const repeated = PANEL.ifScoresRepeated(items);
  const { raw, calibrated, margins, kappa, arguments: onArguments } = measured;
  const decides = onArguments ? "arguments" : margins ? "margins" : "raw";
  const scores = onArguments
    ? [
      coefficient(capital(items), PANEL.argumentsMeaning, onArguments, bands, repeated),
      coefficient("Criteria", PANEL.criteriaMeaning(items), calibrated, bands, repeated),
    ]
    : [coefficient("Scores", "Krippendorff’s alpha", margins ? calibrated : raw, bands, repeated)];
  return h("section.agreement", { id: "agreement", "aria-labelledby": "agreement-title" },
    h("h3", { id: "agreement-title" }, PANEL.agreement),
    h("div.lanes", {},
      scores,
      margins && coefficient(PANEL.lead, PANEL.leadMeaning, margins, bands, repeated, PANEL.criteria),
      coefficient("Standings", "Fleiss’ kappa", kappa, bands, PANEL.ifStandingsRepeated(items))),
    h("p.quiet", {}, PANEL.scale(decides)),
    more("measures", PANEL.otherMeasures, table("", PANEL.measureColumns, measures)));
}

function measureRow(name, measure) {
  const heading = h("th", { scope: "row" }, name);
  const why = measure.undefined;
  if (why) return h("tr", {}, heading, h("td", { colspan: 3 }, PANEL.undefinedBecause(why)));
  return h("tr", {},
    heading,
    h("td", {}, figure(measure.value)),
    h("td", {}, hasInterval(measure) ? interval(measure, " – ") : "–"),
    h("td", {}, number(measure.items)));
}

const hasInterval = ({ low, high }) => typeof low === "number" && typeof high === "number";
const interval = ({ low, high }, between) => `${figure(low)}${between}${figure(high)}`;

function coefficient(what, name, measure, bands, condition, unit = ["item"]) {
  const title = h("p", {}, h("b", {}, what), h("span.quiet", {}, ` ${name}`));
  if (measure.undefined) {
    return h("div.coefficient", {}, title, h("p", {}, h("b", {}, PANEL.isUndefined), `${measure.undefined}.`));
  }
  const { value, band, items } = measure;
  const value_ = h("p.at", {},
    h("b", {}, figure(value)),
    band && ` ${band}`,
    items !== undefined && h("span.quiet", {}, ` from ${count(items, ...unit)}`));
  if (!hasInterval(measure)) return h("div.coefficient", {}, title, value_);
  const range = interval(measure, " and ");
  const label = `${PANEL.likely(`${name} ${figure(value)}`, range)}${band ? `: ${band}` : ""}`;
  return h("div.coefficient", {},
    title,
    value_,
    intervalScale(measure, bands, label),
    h("p.quiet", {}, PANEL.repeated(condition, range)));
}

// Disputes

const claimOf = (view, item) => view.protocol?.arguments?.[item]?.claim;

function itemLink(view, item) {
  if (claimOf(view, item)) return placeLink(anchor(item), item);
  return isTurn(item) ? placeLink(`turn-${item}`, itemWords(item)) : itemWords(item);
}

function disputes(view) {
  const { conclusion } = view.panel;
  if (!conclusion) return null;
  const all = Object.entries(conclusion.disputed).sort(([, a], [, b]) => b.variance - a.variance);
  return h("section.disputes", { "aria-labelledby": "disputes-title" },
    h("h3", { id: "disputes-title" }, PANEL.disputes),
    all.length === 0 && h("p.quiet", {}, PANEL.noDisputes(view.panel.thresholds.disputed_variance)),
    h("ol", {}, all.map(([item, each]) => dispute(item, each, view))));
}

function dispute(item, { scores, variance, decides }, view) {
  const claim = claimOf(view, item);
  const each = Object.entries(scores).sort(([, a], [, b]) => b - a).map(([name, value]) => {
    return `${plain(name)} ${number(value, 1)}`;
  });
  return h("li.dispute", {},
    h("div", {},
      h("p.what", {}, h("b", {}, itemLink(view, item)), claim && h("span.thesis", {}, ` ${claim}`)),
      h("p.quiet", {}, each.join(" · "), `; variance ${number(variance, 2)}`),
      decides && h("p.decides", {}, PANEL.decides)),
    dotPlot(scores));
}

// Every number

function numbers(view, go) {
  const { raters, items, conclusion } = view.panel;
  const names = Object.keys(raters);
  const scored = names.filter((name) => raters[name].scored);
  const list = h("div.seats-list", {}, names.map((name) => raterDetails(name, raters[name], view, go)));
  if (!scored.length) return list;
  const rows = itemsInOrder(view, scored).map((item) => {
    const isDisputed = conclusion?.disputed[item];
    const range = items[item] ? `${number(items[item].low, 1)} to ${number(items[item].high, 1)}` : "–";
    return h(`tr${isDisputed ? ".disputed" : ""}`, { "data-item": item },
      h("th", { scope: "row" }, itemLink(view, item), isDisputed && h("span.word.dock", {}, ` ${PANEL.disputed}`)),
      names.map((name) => scoreCell(name, item, raters[name])),
      h("td", { "data-label": PANEL.range }, range),
      h("td", { "data-label": "variance" }, number(items[item]?.variance, 2)));
  });
  const columns = ["Item", ...names.map(plain), PANEL.range, "variance"];
  return h("section.numbers", { "aria-labelledby": "numbers-title" },
    h("h3", { id: "numbers-title" }, PANEL.numbers),
    h("p.quiet", {}, PANEL.numbersMeaning(conclusion?.strictness)),
    h("div.wide-table", { role: "group", "aria-label": PANEL.numbersTable, tabindex: "0" },
      h("table.figures.raters", {}, headings(columns), h("tbody", {}, rows))),
    list);
}

/** The scored items: arguments in the order of the protocol, then the others by name. */
function itemsInOrder(view, names) {
  const order = Object.keys(view.protocol?.arguments ?? {});
  const found = new Set(names.flatMap((name) => {
    const { scores, standings } = view.panel.raters[name].scored;
    return [...Object.keys(scores), ...Object.keys(standings)];
  }));
  const others = [...found].filter((item) => !order.includes(item));
  others.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return [...order.filter((item) => found.has(item)), ...others];
}

function scoreCell(name, item, { scored, totals }) {
  const standing = scored?.standings[item];
  const hasScore = item in totals;
  const why = scored?.absent[item] ?? scored?.missing?.reason;
  const value = hasScore
    ? h("b", {}, number(totals[item], 1))
    : h("span.quiet", { title: why }, scored ? PANEL.notGiven : "–");
  return h("td", { "data-label": plain(name), "data-rater": name },
    value,
    standing && h("span.small", {}, ` ${STANDING[standing] ?? plain(standing)}`));
}

/**
 * The track record of a rater in words.
 * @param {{right: number, of: number}} record
 * @returns {string}
 */
export const recordWords = ({ right, of }) => (of ? PANEL.record(right, of) : PANEL.noRecord);

function raterDetails(name, { seat, scored, position }, view, go) {
  const { weights: shares, strictness } = view.panel.conclusion ?? {};
  const share = shares?.[name];
  const offset = strictness?.[name];
  const dimensions = Object.keys(seat.weights);
  const facts = [
    share !== undefined && `weight ${percent(share)}`,
    recordWords(seat.record),
    offset !== undefined && PANEL.offset(signed(Number(number(offset, 1)))),
    scored?.missing && PANEL.gaveNothing,
  ];
  const weights = joined(dimensions.map((each) => `${plain(each)} ${percent(seat.weights[each])}`));
  return h("details.more.rater", { "data-key": `rater-${name}`, id: `rater-${name}` },
    h("summary", {}, h("b", {}, seat.title), h("span.quiet", {}, facts.filter(Boolean).join(" · "))),
    h("div.rater-body", {},
      scored?.finding && h("p.finding", {}, h("b", {}, PANEL.finding), scored.finding),
      h("p", {}, PANEL.focus(seat.focus), seat.scepticism && ` ${seat.scepticism}`),
      h("p.quiet", {},
        PANEL.rating(holder(scored?.model || seat.model) || UNNAMED, seat.samples, weights),
        position && [" ", h("a", eventLink(position, go), `event ${position}`)]),
      seat.caveat && h("p.caveat", {}, seat.caveat),
      scored && scoresOf(scored, dimensions, firstSide(view))));
}

function scoresOf({ missing, scores, absent, notes, standings, spread }, dimensions, first) {
  const absentItems = Object.entries(absent).map(([what, why]) => `${what} (${why})`);
  return [
    missing && h("p", {}, h("b", {}, PANEL.noScores), missing.reason),
    Object.keys(scores).length > 0 && ownScores({ scores, standings, spread }, dimensions),
    absentItems.length > 0 && h("p.quiet", {}, PANEL.absent(absentItems)),
    h("ul.plain", {}, Object.entries(notes).map(([item, note]) => {
      return h("li", {}, h("b", {}, `${itemWords(item)}: `), named(note, first));
    })),
  ];
}

function ownScores({ scores, standings, spread }, dimensions) {
  const spreadOf = (item, name) => {
    const value = spread[item]?.[name];
    return value > 0 && h("span.spread", {}, ` ±${number(value / 2)}`);
  };
  const rows = Object.entries(scores).map(([item, values]) => h("tr", {},
    h("th", { scope: "row" }, itemWords(item)),
    dimensions.map((name) => h("td", { "data-label": plain(name) }, number(values[name]), spreadOf(item, name))),
    h("td", { "data-label": "standing" }, standings[item] ? badge(standings[item]) : "–")));
  return table("own", ["Item", ...dimensions.map(plain), "standing"], rows);
}

// The totals that count, and what would change them

function sideTable({ conclusion, agreement: measured }) {
  if (!conclusion) return null;
  const total = (value) => {
    return isMissing(value) ? h("span.quiet", { title: value.missing.reason }, PANEL.missing) : figure(value);
  };
  const row = (name, totals, alpha, note) => h("tr", {},
    h("th", { scope: "row" }, name, note && h("span.small", {}, ` ${note}`)),
    SIDES.map((side) => h("td", { "data-label": NAME[side] }, total(totals[side]))),
    h("td", { "data-label": "alpha" }, alpha?.undefined ? "undefined" : figure(alpha?.value)));
  const columns = SIDES.map((side) => h(`th.${side}`, { scope: "col" }, `${SIGN[side]} ${NAME[side]}`));
  const { gap, weighted, calibrated, decides } = conclusion;
  const isCalibrated = decides === "calibrated";
  return h("section", { "aria-labelledby": "sides-title" },
    h("h3", { id: "sides-title" }, PANEL.totals),
    h("table.figures.sides", {},
      h("thead", {}, h("tr", {}, h("td"), columns, h("th", { scope: "col" }, "alpha"))),
      h("tbody", {},
        row(PANEL.asGiven, weighted, measured?.arguments ? undefined : measured?.raw,
          !isCalibrated && PANEL.thisDecides),
        row(PANEL.calibrated(measured?.calibration), calibrated, measured?.arguments ?? measured?.calibrated,
          isCalibrated && PANEL.thisDecides))),
    h("p.quiet", {}, isMissing(gap) ? PANEL.noGap(gap.missing.reason) : PANEL.gap(percent(gap), isCalibrated)));
}

function withoutTable({ conclusion, raters }) {
  const all = Object.entries(conclusion?.without ?? {});
  if (!all.length) return null;
  const winnerWords = (winner, leaning) => {
    if (winner !== "neither") return NAME[winner];
    return SIDES.includes(leaning) ? PANEL.leans(NAME[leaning]) : PANEL.noWinner;
  };
  const rows = all.map(([name, { outcome: kind, winner, leaning, alpha, gap }]) => h("tr", { "data-without": name },
    h("th", { scope: "row" }, PANEL.without(raters[name]?.seat.title ?? plain(name))),
    h("td", { "data-label": "outcome" }, `${plain(kind)}, ${winnerWords(winner, leaning)}`),
    h("td", { "data-label": "alpha" }, isMissing(alpha) ? PANEL.alphaNotMeasured : figure(alpha)),
    h("td", { "data-label": "gap" }, isMissing(gap) ? "–" : percent(gap))));
  return h("section", { "aria-labelledby": "without-title" },
    h("h3", { id: "without-title" }, PANEL.withoutTitle),
    table("without", PANEL.withoutColumns, rows));
}

/**
 * The summary of a panel for the sidebar.
 * @param {HTMLElement} root
 * @returns {{show(view: View): void}}
 */
export function panelSummary(root) {
  const isChanged = changeDetector();
  return {
    show(view) {
      if (!isChanged(view.panel)) return;
      const { raters, conclusion, deciding } = view.panel;
      root.parentElement.hidden = !raters || !view.pro;
      if (root.parentElement.hidden) return;
      const progress = () => PANEL.shortProgress(scoredOf(raters), Object.keys(raters).length);
      const parts = [h("p", {}, conclusion ? view.panel.says : progress())];
      if (deciding) {
        const { undefined: why, value, band } = deciding;
        parts.push(h("p.quiet", {}, why ? PANEL.noAgreement(why) : PANEL.agreementIs(figure(value), band)));
      }
      if (conclusion) parts.push(h("p", {}, placeLink("panel", PANEL.allNumbers)));
      root.replaceChildren(...parts);
    },
  };
}
