/** The course of the debate: effective composite by turn, both sides, with what it was before and how far samples spread. */

import { h, s, say, toEvent } from "./dom.js";
import { NAME, count, number } from "./words.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [380, 150, 28, 8, 10, 24];

/** Narrower marks are no targets of their own: they are one drawing then, and the nearest turn is meant. */
const NARROW = 14;

/** A graph in `root`; `go(position)` is called when a turn is pressed. */
export function graph(root, go) {
  let last = {};
  return {
    /** `at`: the turn that the cursor stands in; null at the newest event. */
    show(view, at) {
      if (last.turns === view.turns && last.at === at) return;
      const isSame = last.turns === view.turns;
      last = { turns: view.turns, at };
      if (isSame && root.querySelector("svg")) return point(root.querySelector(".cursor"), at);
      const judged = Object.entries(view.turns).map(([n, turn]) => ({ n: Number(n), ...turn })).filter((turn) => turn.judged);
      const scored = judged.filter((turn) => typeof turn.composite === "number");
      root.replaceChildren(scored.length ? drawn(view, judged, scored, at, go) : h("p.empty", {}, "The composite of every judged turn is drawn here."));
      return undefined;
    },
  };
}

function point(cursor, at) {
  cursor.toggleAttribute("hidden", !at);
  if (at) cursor.setAttribute("transform", `translate(${Number(cursor.dataset.left) + at * Number(cursor.dataset.step)})`);
}

function drawn(view, judged, scored, at, go) {
  const values = scored.flatMap(({ composite, composite_admitted: before, composite_spread: spread = 0 }) => [composite + spread / 2, composite - spread / 2, before ?? composite]);
  const low = Math.max(0, Math.floor((Math.min(...values) - 5) / 20) * 20);
  const high = Math.max(low + 40, Math.ceil((Math.max(...values) + 2) / 20) * 20);
  const last = Math.max(view.turns_planned, ...judged.map(({ n }) => n), 2);
  const wide = (WIDTH - LEFT - RIGHT - 20) / (last - 1);
  const x = (n) => LEFT + 10 + (n - 1) * wide;
  const y = (value) => TOP + (1 - (value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const rows = Array.from({ length: (high - low) / 20 + 1 }, (_, i) => low + i * 20);
  const every = Math.ceil(last / 14);
  const cursor = s("g.cursor", { "data-left": LEFT + 10 - wide, "data-step": wide }, s("path", { d: `M0 ${TOP - 4}V${HEIGHT - BOTTOM}` }));
  point(cursor, at);
  const picture = s("svg.graph", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": "Composite by turn" },
    s("g.grid", {}, ...rows.map((value) => s("path", { d: `M${LEFT} ${y(value)}H${WIDTH - RIGHT}` }))), cursor,
    ...rows.map((value) => s("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(value))),
    ...Array.from({ length: last }, (_, i) => i + 1).filter((n) => n === last || ((n === 1 || n % every === 0) && last - n >= every / 2))
      .map((n) => s("text", { x: x(n), y: HEIGHT - 6, "text-anchor": "middle" }, String(n))),
    ...["pro", "con"].map((side) => s(`path.line.${side}`, {
      d: runs(judged.filter((turn) => turn.side === side)).map((run) => run.map((turn, i) => `${i ? "L" : "M"}${x(turn.n)} ${y(turn.composite)}`).join("")).join(""),
    })),
    ...(wide < NARROW ? together(judged, x, y, go) : judged.map((turn) => mark(turn, x(turn.n), y, Math.min(12, wide / 2), go))));
  const isChanged = scored.some(({ composite_admitted: before }) => before !== undefined);
  const isSpread = scored.some(({ composite_spread: spread }) => spread);
  return h("figure", {}, picture, h("figcaption.quiet", {},
    ["● Pro, solid", "▲ Con, dashed", isChanged && "◌ as first scored", isSpread && "┃ at most this far apart over the samples", count(scored.length, "judged turn")].filter(Boolean).join(" · ")));
}

/** A side's scored turns without a gap: a missing score breaks the line. */
function runs(turns) {
  const found = [[]];
  for (const turn of turns) {
    if (typeof turn.composite === "number") found.at(-1).push(turn);
    else found.push([]);
  }
  return found.filter((run) => run.length);
}

const ring = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

/** What is drawn of a turn, as `[class, path]`. */
function shapes({ side, composite, composite_admitted: before, composite_spread: spread }, x, height, size) {
  const isScored = typeof composite === "number";
  const y = isScored ? height(composite) : HEIGHT - BOTTOM;
  return [
    spread && ["spread", `M${x} ${height(composite + spread / 2)}V${height(composite - spread / 2)}`],
    before !== undefined && ["fall", `M${x} ${height(before)}V${y}`],
    before !== undefined && ["changed", ring(x, height(before), 4 * size)],
    !isScored ? ["absent", `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`]
      : ["dot", side === "pro" ? ring(x, y, 4.5 * size) : `M${x} ${y - 5.5 * size}l${5.5 * size} ${10 * size}h${-11 * size}z`],
  ].filter(Boolean);
}

function title({ n, side, composite, composite_admitted: before, composite_spread: spread }) {
  return `${NAME[side]}, turn ${n}: ${typeof composite === "number" ? number(composite) : "no score"}${before === undefined ? "" : `, first ${number(before)}`}${spread ? `, at most ${number(spread)} apart` : ""}`;
}

const target = (x, width) => s("rect.target", { x, y: TOP, width, height: HEIGHT - TOP - BOTTOM });

function mark(turn, x, height, reach, go) {
  return s(`a.mark.${turn.side}`, { ...toEvent(turn.judged, go), "aria-label": title(turn) },
    s("title", {}, title(turn)), target(x - reach, 2 * reach), ...shapes(turn, x, height, 1).map(([kind, d]) => s(`path.${kind}`, { d })));
}

/** The marks of a long debate: a path for every kind and side. */
function together(judged, x, height, go) {
  const named = s("title");
  const all = s("g.mark", { on: {
    click: (event) => go(near(event).judged),
    pointermove: (event) => say(named, title(near(event))),
  } }, named, target(LEFT, WIDTH - LEFT - RIGHT));
  const near = ({ clientX }) => {
    const { left, width } = all.ownerSVGElement.getBoundingClientRect();
    const away = ({ n }) => Math.abs(x(n) - ((clientX - left) / width) * WIDTH);
    return judged.reduce((best, turn) => (away(turn) < away(best) ? turn : best));
  };
  const kinds = Map.groupBy(judged.flatMap((turn) => shapes(turn, x(turn.n), height, .5).map(([kind, d]) => ({ kind: `${kind}.${turn.side}`, d }))), ({ kind }) => kind);
  for (const [kind, paths] of kinds) all.append(s(`path.${kind}`, { d: paths.map(({ d }) => d).join("") }));
  return [all];
}
