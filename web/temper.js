/** The debaters' characters: traits as dials with the archetype's start as a tick, pressure, and directives once revealed. */

import { h } from "./dom.js";
import { NAME, SIGN, number, plain } from "./words.js";

const SIGNALS = ["cognitive", "emotional", "strategic", "credibility"];
const HIGHEST = 10;

/** Tempers in `root`; `go(position)` follows a directive. */
export function temper(root, go) {
  let last = {};
  return {
    show(view) {
      if (last.traits === view.traits && last.pressure === view.pressure && last.directives === view.directives) return;
      last = { traits: view.traits, pressure: view.pressure, directives: view.directives };
      root.replaceChildren(...["pro", "con"].filter((side) => view.traits[side]).map((side) => one(side, view, go)));
    },
  };
}

function one(side, view, go) {
  const start = view.archetype_traits?.[side] ?? {};
  const traits = Object.entries(view.traits[side]);
  const moved = traits.filter(([name, value]) => value !== start[name]).length;
  const told = Object.entries(view.directives ?? {}).filter(([, each]) => each.side === side);
  return h(`details.temper.${side}`, { open: moved > 0 },
    h("summary", {}, h("b", {}, `${SIGN[side]} ${NAME[side]}`), h("span.quiet", {}, moved ? ` ${moved} of ${traits.length} traits have moved` : " as it began")),
    pressure(view.pressure[side]),
    ...traits.map(([name, value]) => dial(name, value, start[name])),
    told.length > 0 && h("div.told", {}, h("p.quiet", {}, "What it was told, unseen while the debate ran:"),
      h("ol", {}, ...told.map(([position, each]) => h("li", {},
        h("a", { href: `#e${position}`, on: { click: (event) => { event.preventDefault(); go(Number(position)); } } }, `event ${position}`), " ", each.text)))));
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
