/** A calibration: the verdicts of raters on debates whose outcome is known. */

import { changeDetector, h } from "../parts/dom.js";
import { headings, more, replaceChildren, table } from "../parts/widgets.js";
import { count, figure, isMissing, percent } from "../words/formatting.js";
import { CALIBRATION } from "../words/panel.js";
import { NAME } from "../words/words.js";

/**
 * The calibration in `root`.
 * @param {HTMLElement} root
 * @returns {{show(view: View): void, place(event: object): Element | null}}
 */
export function calibration(root) {
  const body = h("div.calibration");
  const isChanged = changeDetector();
  root.append(body);
  return {
    show(view) {
      if (isChanged(view.panel)) replaceChildren(body, [records(view), caseTable(view), cases(view)]);
    },
    place: (event) => (event.type === "rater_calibrated" ? document.getElementById(`case-${event.case}`) : null),
  };
}

function records({ panel: { raters }, cases: known }) {
  const rows = Object.entries(raters).map(([name, { seat, record, share }]) => h("tr", { "data-rater": name },
    h("th", { scope: "row" }, seat.title, h("span.small", {}, ` ${seat.model}`)),
    h("td", { "data-label": "right" }, String(record.right)),
    h("td", { "data-label": "of" }, String(record.of)),
    h("td", { "data-label": "share" }, share === undefined ? "–" : percent(share))));
  const noted = Object.values(raters).filter(({ seat }) => seat.caveat);
  return h("section", { "aria-labelledby": "records-title" },
    h("h3", { id: "records-title" }, CALIBRATION.records),
    h("p.quiet", {}, CALIBRATION.meaning),
    table("", CALIBRATION.recordColumns, rows),
    noted.map(({ seat }) => h("p.caveat", {}, h("b", {}, CALIBRATION.about(seat.title)), seat.caveat)),
    h("p.quiet", {}, count(Object.keys(known ?? {}).length, "case")));
}

function caseTable({ panel: { raters }, cases: known }) {
  const names = Object.keys(raters);
  const rows = Object.entries(known ?? {}).map(([id, each]) => h("tr", { id: `case-${id}` },
    h("th", { scope: "row" }, each.motion),
    h("td", { "data-label": "outcome" }, NAME[each.truth]),
    names.map((name) => verdictCell(raters[name].seat.title, raters[name].calibrations[id]))));
  const columns = [...CALIBRATION.caseColumns, ...names.map((name) => raters[name].seat.title)];
  return h("section", { "aria-labelledby": "grid-title" },
    h("h3", { id: "grid-title" }, CALIBRATION.byCase),
    h("div.wide-table", { role: "region", "aria-labelledby": "grid-title", tabindex: "0" },
      h("table.figures.raters", {}, headings(columns), h("tbody", {}, rows))));
}

function verdictCell(title, verdict) {
  const label = { "data-label": title };
  if (!verdict) return h("td", label, h("span.quiet", {}, CALIBRATION.notYet));
  if (verdict.said === undefined) {
    return h("td", { ...label, title: verdict.missing?.reason }, h("span.quiet", {}, CALIBRATION.missing));
  }
  const { pro, con } = verdict.mean ?? {};
  const hasMeans = verdict.mean && !isMissing(pro) && !isMissing(con);
  return h("td", label,
    h(`b.${verdict.right ? "right" : "wrong"}`, {}, verdict.right ? CALIBRATION.right : CALIBRATION.wrong),
    h("span.small", {}, ` ${NAME[verdict.said]}${hasMeans ? ` ${figure(pro)} to ${figure(con)}` : ""}`));
}

function cases({ cases: known }) {
  const argumentsOf = (side, each) => h("div", {},
    h(`p.label.${side}`, {}, NAME[side]),
    h("ul.plain", {}, each[side].map((one) => h("li", {}, h("b", {}, `${one.id} `), one.claim))));
  return h("section", { "aria-labelledby": "cases-title" },
    h("h3", { id: "cases-title" }, CALIBRATION.cases),
    Object.entries(known ?? {}).map(([id, each]) => more(`about-${id}`, each.motion,
      h("p.quiet", {}, CALIBRATION.source(NAME[each.truth], each.source)),
      ...["pro", "con"].map((side) => argumentsOf(side, each)))));
}
