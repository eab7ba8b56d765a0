/** The page about the judge: shows what the server says and adds nothing. */

import { $, h, svg } from "../parts/dom.js";
import { moment } from "../words/formatting.js";
import { JUDGE } from "../words/home.js";
import { ERRORS } from "../words/words.js";

/** Below this width, the table of contents starts closed. */
const WIDE = 980;

function cells({ cells: values, was = {}, mark }, figures) {
  return values.map((value, column) => {
    const isChanged = mark || column in was;
    const name = column ? `td${figures.includes(column) ? ".n" : ""}` : "th";
    const old = column in was && [h("del", {}, was[column]), " "];
    return h(name, { scope: !column && "row" }, old, isChanged ? h(mark === "gone" ? "del" : "ins", {}, value) : value);
  });
}

function table({ caption, head, rows, figures }) {
  const headings = head.map((name, column) => h(`th${figures.includes(column) ? ".n" : ""}`, { scope: "col" }, name));
  const bodyRows = rows.map((row) => {
    return h(`tr${row.leads ? ".leads" : ""}`, { "data-key": row.key, "data-mark": row.mark }, cells(row, figures));
  });
  return h("div.scroll", { tabindex: 0, role: "region", "aria-label": caption },
    h("table", {},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, headings)),
      h("tbody", {}, bodyRows)));
}

function facts(entry) {
  const shown = JUDGE.facts.filter(([key]) => entry[key] && (key !== "does" || entry.what));
  return h("dl", {}, shown.map(([key, label]) => {
    return [h("dt", {}, label), h("dd", {}, [entry[key]].flat().map((line) => h("p", {}, line)))];
  }));
}

function findings(labs = []) {
  return labs.map(({ judge, run, says }) => {
    return h("div.lab", {},
      h("p", {}, JUDGE.lab, h("a", { href: `/lab/${run}` }, judge)),
      h("ul", {}, says.map((line) => h("li", {}, line))));
  });
}

function section(part, entry, labs) {
  return h("section.entry", { id: `${part}-${entry.id}` },
    h("h3", {}, entry.number && h("i", {}, entry.number), entry.name ?? entry.title),
    entry.does && h("p", {}, entry.what ?? entry.does),
    entry.shows && h("p.shows", {}, h("b", {}, entry.shows[0]), entry.shows[1]),
    entry.does && facts(entry),
    entry.prompt && h("details", {}, h("summary", {}, JUDGE.question), h("pre", { tabindex: 0 }, entry.prompt)),
    entry.rows ? table(entry) : entry.table && table(entry.table),
    findings(labs));
}

/** A line of the picture: its aim and a circle for each rubric, then the figures in words. */
function line({ says, aim, aim_at: aimAt, better, marks }, rubrics) {
  const good = better === "more" ? [aimAt, 100 - aimAt] : [0, aimAt];
  const place = (value) => `${value}%`;
  return h("tr", {},
    h("th", { scope: "row" }, says, h("span.quiet", {}, JUDGE.aim(aim))),
    h("td.lane", {}, svg("svg", { "aria-hidden": true },
      svg("line", { x1: 0, x2: "100%", y1: 10, y2: 10 }),
      svg("line.good", { x1: place(good[0]), x2: place(good[0] + good[1]), y1: 10, y2: 10 }),
      svg("line.aim", { x1: place(aimAt), x2: place(aimAt), y1: 3, y2: 17 }),
      marks.map(({ rubric, at, reaches }) => {
        return svg(`circle.${rubric}${reaches ? "" : ".missed"}`, { cx: place(at), cy: 10, r: 4.5 });
      }))),
    rubrics.map((name) => {
      const mark = marks.find(({ rubric }) => rubric === name);
      return h("td.n", {}, h("i", {}, name), mark?.says ?? "–");
    }));
}

function picture({ debates, turns, rubrics, lines }) {
  $("#fairness").hidden = false;
  $("#simulated").append(JUDGE.simulated(debates, turns));
  $("#fairness").append(h("table.picture", {},
    h("caption.visually-hidden", {}, JUDGE.picture),
    h("tbody", {}, lines.map((each) => line(each, rubrics)))));
}

function uses(found = []) {
  return found.map(({ judge, run, answer, says }) => {
    return h("p", { "data-answer": answer }, h("a", { href: `/lab/${run}` }, judge), ": ", says);
  });
}

function contents() {
  return [...document.querySelectorAll("article > section:not([hidden])")].map((part) => {
    const isOpen = innerWidth > WIDE && part.id !== "tables";
    const links = [...part.querySelectorAll(".entry")].map((entry) => {
      return h("a", { href: `#${entry.id}` }, $("h3", entry).lastChild.textContent);
    });
    return h("details", { open: isOpen }, h("summary", {}, $("h2", part).textContent), links);
  });
}

function show(report) {
  for (const part of ["levels", "beside", "tables", "weaknesses"]) {
    const labsOf = ({ id }) => (part === "weaknesses" ? report.labs[id] : []);
    $(`#${part}`).append(...report[part].map((entry) => section(part, entry, labsOf(entry))));
  }
  $("#summary").append(...report.summary.map((paragraph) => h("p", {}, paragraph)));
  if (report.fairness) picture(report.fairness);
  const links = report.links.map(([text, href, current]) => h("a", { href, "aria-current": current }, text));
  $("#over").append(...report.measured_over.says.map((line) => h("p", {}, line)), ...links);
  $("#which").append(report.about, report.debate ? h("a", { href: `/d/${report.debate}` }, report.motion) : "");
  const short = h("ol", { id: "short" }, report.in_short.map((line) => h("li", {}, line)));
  if (report.in_short.length) $("#which").after(short);
  $("#uses").append(...(report.uses?.length ? uses(report.uses) : [h("p", {}, JUDGE.noUse)]));
  $("#toc").append(...contents());
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

async function fetchReport() {
  try {
    const response = await fetch(`/api/judge${location.search}`);
    return await response.json();
  } catch {
    return { error: { message: ERRORS.unreachable } };
  }
}

/** Links to the newest lab runs that the reader may see. */
async function showRuns() {
  const response = await fetch("/api/debates?format=lab&limit=3");
  if (!response.ok) return;
  const { debates } = await response.json();
  const links = debates.map(({ id, motion, opened_at: at }) => {
    return h("a", { href: `/lab/${encodeURIComponent(id)}` }, `${motion} (${moment(at)})`);
  });
  if (links.length) $("#lab").append(JUDGE.runs, ...links.flatMap((link, i) => (i ? [", ", link] : [link])), ".");
}

const report = await fetchReport();
if (report.error) $("#trouble").append(report.error.message);
else show(report);
await showRuns().catch(() => undefined); // The page is complete without them.
document.body.toggleAttribute("data-ready", true);
