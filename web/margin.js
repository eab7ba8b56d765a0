/** The margin of an exchange: the scorecard as the server folds it, suspect claims, anomalies, and the debaters' characters. */

import { bundled, h, toEvent } from "./dom.js";
import { DIMENSIONS, IN_COMPOSITE, NAME, SIGN, anchor, decimalsOf, isMissing, number, plain, signed } from "./words.js";

// The scorecard

const ROWS = [...IN_COMPOSITE, "composite", ...DIMENSIONS.filter((name) => !IN_COMPOSITE.includes(name))];

/** A scorecard in `root`. */
export function scorecard(root) {
  let last = null;
  return {
    show(card) {
      if (card === last) return;
      last = card;
      root.replaceChildren(...(card.pro.judged_turns + card.con.judged_turns ? table(card) : [empty()]));
    },
  };
}

function empty() {
  return h("p.empty", {}, "No turn has been judged yet. Each side’s mean per dimension stands here from the first score on.");
}

function table(card) {
  const decimals = decimalsOf(ROWS.flatMap((row) => [card.pro[row], card.con[row]]));
  const cell = (side, row) => h(`td.${side}`, { "data-side": side, "data-row": row },
    isMissing(card[side][row]) ? h("span.quiet", { title: card[side][row].missing.reason }, "no score") : number(card[side][row], decimals));
  const line = (row) => h(`tr${row === "composite" ? ".total" : IN_COMPOSITE.includes(row) ? "" : ".beside"}`, {},
    h("th", { scope: "row" }, plain(row)), cell("pro", row), cell("con", row));
  const tally = (label, row, pro, con) => h("tr.beside", {},
    h("th", { scope: "row" }, label),
    h("td", { "data-side": "pro", "data-row": row }, number(pro)), h("td", { "data-side": "con", "data-row": row }, number(con)));
  const { rounds } = card;
  return [
    h("table.card", {},
      h("thead", {}, h("tr", {}, h("td"), ...["pro", "con"].map((side) => h(`th.${side}`, { scope: "col" }, `${SIGN[side]} ${NAME[side]}`)))),
      h("tbody", {}, ...ROWS.map(line),
        rounds.pro + rounds.con + rounds.drawn > 0 && tally("exchanges won", "rounds", rounds.pro, rounds.con),
        tally("judged turns", "judged_turns", card.pro.judged_turns, card.con.judged_turns))),
    h("p.leader", { "data-leader": card.leader },
      card.leader === "neither" ? "Neither leads: too close, or too little judged." : h("span", {}, h(`b.${card.leader}`, {}, `${SIGN[card.leader]} ${NAME[card.leader]}`), " leads."),
      " ", h("span.quiet", {}, "Means over judged turns.")),
  ];
}

// Claims and anomalies

const SUSPECT = {
  hollow_specificity: "sounds exact, says no cause", no_mechanism: "no mechanism", fabricated_citation: "fabricated citation",
  inverted_fact: "inverted fact", reversed_causality: "cause and effect reversed",
};
const CLAIM = { flagged: "flagged", upheld: "upheld by a second opinion", cleared: "cleared by a second opinion" };

/** Claims in `root`; `appeal(claim)` asks for a second opinion. */
export function register(root, appeal, go) {
  let last = {};
  return {
    show(view, following) {
      const canAppeal = following && view.state !== "concluded";
      if (last.claims === view.claims && last.canAppeal === canAppeal) return;
      last = { claims: view.claims, canAppeal };
      const claims = Object.entries(view.claims);
      bundled(root, "div", claims.length ? claims.map(([name, claim]) => {
        const asks = canAppeal && claim.state === "flagged" && !claim.appealed;
        return [name + asks, claim, () => claimed(name, claim, asks, appeal, go)];
      }) : [["", null, () => h("p.empty", {}, "No claim is under suspicion. What the judge flags is listed here, with what it costs.")]]);
    },
  };
}

function claimed(name, claim, asks, appeal, go) {
  return h(`div.claim.${claim.state}`, { id: anchor(name) },
    h("a.id", toEvent(claim.flagged, go), name),
    h("div", {}, h("q", {}, claim.quote),
      h("p.quiet", {}, `${SUSPECT[claim.kind] ?? plain(claim.kind)} · ${CLAIM[claim.state]}${claim.state === "flagged" && claim.appealed ? ", appealed" : ""}`),
      h("p.quiet", {}, claim.answer || claim.reason),
      asks && h("button", { type: "button", on: { click: () => appeal(name) } }, "Appeal")),
    h("b.cost", {}, claim.state === "cleared" ? "0" : signed(claim.penalty)));
}

/** Anomalies in `root`. */
export function anomalies(root) {
  let last = null;
  return {
    show(view) {
      if (last === view.anomalies) return;
      last = view.anomalies;
      const found = Object.entries(view.anomalies);
      root.parentElement.hidden = found.length === 0;
      bundled(root, "div", found.map(([key, each]) => [key, each, () => {
        const [earlier, later] = key.split(".")[0].split("-");
        return h("p.anomaly", {}, h("b", {}, `Turn ${each.turn}, ${plain(each.dimension)} ${number(each.effective)}`),
          ` ${each.outcome === "winner" ? "won" : "lost"} between turns ${earlier} and ${later}, where ${number(each.band[0])}–${number(each.band[1])} would fit.`);
      }]));
    },
  };
}

// Tempers: traits as dials with the archetype's start as a tick, pressure, and directives once revealed

const SIGNALS = ["cognitive", "emotional", "strategic", "credibility"];
const HIGHEST = 10;

/** Tempers in `root`; `go(position)` follows a directive. */
export function temper(root, go) {
  let last = {};
  return {
    show(view) {
      if (last.traits === view.traits && last.pressure === view.pressure && last.directives === view.directives) return;
      last = { traits: view.traits, pressure: view.pressure, directives: view.directives };
      root.replaceChildren(...["pro", "con"].filter((side) => view.traits[side]).map((side) => character(side, view, go)));
    },
  };
}

function character(side, view, go) {
  const start = view.archetype_traits?.[side] ?? {};
  const traits = Object.entries(view.traits[side]);
  const moved = traits.filter(([name, value]) => value !== start[name]).length;
  const told = Object.entries(view.directives ?? {}).filter(([, each]) => each.side === side);
  const list = h("div");
  bundled(list, "ol", told.map(([position, each]) => [position, each, () => h("li", {},
    h("a", toEvent(position, go), `event ${position}`), " ", each.text)]));
  return h(`details.temper.${side}`, { open: moved > 0 },
    h("summary", {}, h("b", {}, `${SIGN[side]} ${NAME[side]}`), h("span.quiet", {}, moved ? ` ${moved} of ${traits.length} traits have moved` : " as it began")),
    pressure(view.pressure[side]),
    ...traits.map(([name, value]) => dial(name, value, start[name])),
    told.length > 0 && h("div.told", {}, h("p.quiet", {}, "What it was told, unseen while the debate ran:"),
      list));
}

function pressure(felt) {
  if (!felt) return null;
  const shown = SIGNALS.filter((name) => felt[name] > 0).map((name) => `${name} ${number(felt[name])}`);
  return h("p.quiet.pressure", {}, `Pressure after turn ${felt.turn}: `, shown.join(", ") || "none");
}

function dial(name, value, start) {
  const bar = h("span.bar", { "aria-hidden": "true" }, h("i"), start !== undefined && start !== value && h("em"));
  bar.firstChild.style.width = `${(value / HIGHEST) * 100}%`;
  if (bar.lastChild.tagName === "EM") bar.lastChild.style.left = `${(start / HIGHEST) * 100}%`;
  return h(`div.dial${start !== value ? ".moved" : ""}`, {}, h("span", {}, plain(name)), bar,
    h("span.now", { title: start !== value ? `began at ${number(start)}` : "" }, number(value)));
}
