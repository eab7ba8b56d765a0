/** The scorecard as the server folds it. */

import { h } from "./dom.js";
import { DIMENSIONS, IN_COMPOSITE, NAME, SIGN, decimalsOf, isMissing, number, plain } from "./words.js";

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
      card.leader === "neither" ? "Neither leads." : h("span", {}, h(`b.${card.leader}`, {}, `${SIGN[card.leader]} ${NAME[card.leader]}`), " leads."),
      " ", h("span.quiet", {}, "Means over judged turns.")),
  ];
}
