/** The page about the judge: lays out what the server says, and adds nothing. */

import { $, h } from "./dom.js";

const FACTS = { asks: "Is asked", rules: "Rules", does: "What Moot does", known: "Published", says: "Measured here" };

const cell = ({ cells, was = {}, mark }, { figures }) => cells.map((now, at) => h(at ? (figures.includes(at) ? "td.n" : "td") : "th", { scope: !at && "row" },
  at in was && [h("del", {}, was[at]), " "], mark || at in was ? h(mark === "gone" ? "del" : "ins", {}, now) : now));

const table = (it) => h("div.scroll", { tabindex: 0, role: "region", "aria-label": it.caption }, h("table", {},
  h("caption", {}, it.caption),
  h("thead", {}, h("tr", {}, it.head.map((name, at) => h(it.figures.includes(at) ? "th.n" : "th", { scope: "col" }, name)))),
  h("tbody", {}, it.rows.map((row) => h(row.leads ? "tr.leads" : "tr", { "data-key": row.key, "data-mark": row.mark }, cell(row, it))))));

const entry = (part) => (it) => h("section.entry", { id: `${part}-${it.id}` }, h("h3", {}, it.number && h("i", {}, it.number), it.name ?? it.title),
  it.does && h("p", {}, it.what ?? it.does),
  it.shows && h("p.shows", {}, h("b", {}, it.shows[0]), it.shows[1]),
  it.does && h("dl", {}, Object.entries(FACTS).map(([key, label]) => it[key] && (key !== "does" || it.what) && [h("dt", {}, label), h("dd", {}, [it[key]].flat().map((line) => h("p", {}, line)))]).flat()),
  it.prompt && h("details", {}, h("summary", {}, "The question, word for word"), h("pre", { tabindex: 0 }, it.prompt)),
  it.rows ? table(it) : it.table && table(it.table));

const said = await fetch(`/api/judge${location.search}`).then((response) => response.json()).catch(() => ({ error: { message: "The server does not answer. Is it still running?" } }));
if (said.error) $("#trouble").append(said.error.message);
else {
  for (const part of ["levels", "beside", "tables", "weaknesses"]) $(`#${part}`).append(...said[part].map(entry(part)));
  $("#over").append(...said.measured_over.says.map((line) => h("p", {}, line)), ...said.links.map(([text, href, is]) => h("a", { href, "aria-current": is }, text)));
  $("#which").append(said.about, said.debate ? h("a", { href: `/d/${said.debate}` }, said.motion) : "");
  $("#toc").append(...[...document.querySelectorAll("article > section")].map((part) => h("details", { open: innerWidth > 980 && part.id !== "tables" }, h("summary", {}, $("h2", part).textContent),
    [...part.querySelectorAll(".entry")].map((one) => h("a", { href: `#${one.id}` }, $("h3", one).lastChild.textContent)))));
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}
document.body.toggleAttribute("data-ready", true);
