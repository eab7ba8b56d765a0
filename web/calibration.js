/** A calibration: how raters did on debates whose outcome is known. */

import { h } from "./dom.js";
import { more, replaced } from "./parts.js";
import { NAME, count, figure, isMissing, percent } from "./words.js";

/** The calibration in `root`; `go(position)` moves the cursor. */
export function calibration(root) {
  const body = h("div.calibration");
  root.append(body);
  let last = null;
  return {
    show(view) {
      if (last === view.panel) return;
      last = view.panel;
      replaced(body, [records(view), grid(view), cases(view)]);
    },
    place: (event) => (event.type === "rater_calibrated" ? document.getElementById(`case-${event.case}`) : null),
  };
}

function records({ panel: { raters }, cases: known }) {
  return h("section", { "aria-labelledby": "records-title" }, h("h3", { id: "records-title" }, "Records"),
    h("p.quiet", {}, "A rater is right where its own scores put the side ahead that the known outcome names. Agreeing with the others counts for nothing."),
    h("table.figures", {},
      h("thead", {}, h("tr", {}, ...["Rater", "right", "of", "share"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...Object.entries(raters).map(([name, { seat, record }]) => h("tr", { "data-rater": name },
        h("th", { scope: "row" }, seat.title, h("span.small", {}, ` ${seat.model}`)),
        h("td", { "data-label": "right" }, String(record.right)), h("td", { "data-label": "of" }, String(record.of)),
        h("td", { "data-label": "share" }, record.of ? percent(record.right / record.of) : "–"))))),
    ...Object.values(raters).filter(({ seat }) => seat.caveat).map(({ seat }) => h("p.caveat", {}, h("b", {}, `Know of the ${seat.title.toLowerCase()}: `), seat.caveat)),
    h("p.quiet", {}, count(Object.keys(known ?? {}).length, "case")));
}

function grid({ panel: { raters }, cases: known }) {
  const names = Object.keys(raters);
  return h("section", { "aria-labelledby": "grid-title" }, h("h3", { id: "grid-title" }, "Case by case"),
    h("div.wide-table", { role: "region", "aria-labelledby": "grid-title", tabindex: "0" }, h("table.figures.raters", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Case"), h("th", { scope: "col" }, "outcome"), ...names.map((name) => h("th", { scope: "col" }, raters[name].seat.title)))),
      h("tbody", {}, ...Object.entries(known ?? {}).map(([id, each]) => h("tr", { id: `case-${id}` },
        h("th", { scope: "row" }, each.motion), h("td", { "data-label": "outcome" }, NAME[each.truth]),
        ...names.map((name) => verdict(raters[name].seat.title, raters[name].calibrations[id]))))))));
}

function verdict(title, said) {
  const label = { "data-label": title };
  if (!said) return h("td", label, h("span.quiet", {}, "not yet"));
  if (said.said === undefined) return h("td", { ...label, title: said.missing?.reason }, h("span.quiet", {}, "missing"));
  const mean = said.mean && !isMissing(said.mean.pro) && !isMissing(said.mean.con) && ` ${figure(said.mean.pro)} to ${figure(said.mean.con)}`;
  return h("td", label, h(`b.${said.right ? "right" : "wrong"}`, {}, said.right ? "✓ right" : "✕ wrong"), h("span.small", {}, ` ${NAME[said.said]}${mean || ""}`));
}

function cases({ cases: known }) {
  return h("section", { "aria-labelledby": "cases-title" }, h("h3", { id: "cases-title" }, "The cases"),
    ...Object.entries(known ?? {}).map(([id, each]) => more(`about-${id}`, each.motion,
      h("p.quiet", {}, `Known outcome: ${NAME[each.truth]}. Source: ${each.source}`),
      ...["pro", "con"].map((side) => h("div", {}, h(`p.label.${side}`, {}, NAME[side]), h("ul.plain", {}, ...each[side].map((one) => h("li", {}, h("b", {}, `${one.id} `), one.claim))))))));
}
