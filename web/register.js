/** The Suspect Claims Register, and the anomalies between scores and comparisons. */

import { h } from "./dom.js";
import { anchor, number, plain, signed } from "./words.js";

const KIND = {
  hollow_specificity: "sounds exact, says no cause", no_mechanism: "no mechanism", fabricated_citation: "fabricated citation",
  inverted_fact: "inverted fact", reversed_causality: "cause and effect reversed",
};
const STATE = { flagged: "flagged", upheld: "upheld by a second opinion", cleared: "cleared by a second opinion" };

/** Claims in `root`; `appeal(claim)` asks for a second opinion. */
export function register(root, appeal, go) {
  let last = {};
  return {
    show(view, following) {
      const canAppeal = following && view.state !== "concluded";
      if (last.claims === view.claims && last.canAppeal === canAppeal) return;
      last = { claims: view.claims, canAppeal };
      const claims = Object.entries(view.claims);
      root.replaceChildren(...(claims.length ? claims.map(([name, claim]) => row(name, claim, canAppeal, appeal, go))
        : [h("p.empty", {}, "No claim is under suspicion. What the judge flags is listed here, with what it costs.")]));
    },
  };
}

function row(name, claim, canAppeal, appeal, go) {
  return h(`div.claim.${claim.state}`, { id: anchor(name) },
    h("a.id", { href: `#e${claim.flagged}`, on: { click: (event) => { event.preventDefault(); go(claim.flagged); } } }, name),
    h("div", {}, h("q", {}, claim.quote),
      h("p.quiet", {}, `${KIND[claim.kind] ?? plain(claim.kind)} · ${STATE[claim.state]}${claim.state === "flagged" && claim.appealed ? ", appealed" : ""}`),
      h("p.quiet", {}, claim.answer || claim.reason),
      canAppeal && claim.state === "flagged" && !claim.appealed && h("button", { type: "button", on: { click: () => appeal(name) } }, "Appeal")),
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
      root.replaceChildren(...found.map(([key, each]) => {
        const [earlier, later] = key.split(".")[0].split("-");
        return h("p.anomaly", {}, h("b", {}, `Turn ${each.turn}, ${plain(each.dimension)} ${number(each.effective)}`),
          ` ${each.outcome === "winner" ? "won" : "lost"} between turns ${earlier} and ${later}, where ${number(each.band[0])}–${number(each.band[1])} would fit.`);
      }));
    },
  };
}
