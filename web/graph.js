/**
 * The composite score by turn, for both sides, with earlier values and the spread of samples.
 *
 * The axis always goes from 0 to 100, so that graphs can be compared and small differences look small. A legend
 * explains each mark that occurs, and a line below the graph tells the turn under the pointer or the focus.
 */

import { eventLink, h, setText, svg } from "./dom.js";
import { tenths } from "./formatting.js";
import { scoredAt } from "./losses.js";
import { GRAPH, NAME } from "./words.js";

const WIDTH = 380;
const HEIGHT = 270;
const LEFT = 28;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 24;
const HIGHEST = 100;
/** Grid lines are this many points apart. */
const STEP = 20;
/** If turns are closer than this, their marks are one drawing, and a click goes to the nearest turn. */
const NARROW = 14;
const MOST_LABELS = 14;

/**
 * The graph in `root`.
 * @param {HTMLElement} root
 * @param {(position: number) => void} go Called when the reader clicks on a turn.
 * @returns {{show(view: View, at: number | null): void}} `at`: the turn at the cursor; null at the newest event.
 */
export function graph(root, go) {
  let last = {};
  return {
    show(view, at) {
      if (last.turns === view.turns && last.at === at) return;
      const isSame = last.turns === view.turns;
      last = { turns: view.turns, at };
      if (isSame && root.querySelector("svg")) {
        moveCursor(root.querySelector(".cursor"), at);
        return;
      }
      const turns = Object.entries(view.turns).map(([n, turn]) => ({ n: Number(n), ...turn }));
      const judged = turns.filter((turn) => turn.judged);
      const scored = judged.filter((turn) => typeof turn.composite === "number");
      root.replaceChildren(scored.length ? figureOf(view, judged, scored, at, go) : h("p.empty", {}, GRAPH.empty));
    },
  };
}

function moveCursor(cursor, at) {
  cursor.toggleAttribute("hidden", !at);
  if (!at) return;
  const x = Number(cursor.dataset.left) + at * Number(cursor.dataset.step);
  cursor.setAttribute("transform", `translate(${x})`);
}

function figureOf(view, judged, scored, at, go) {
  const last = Math.max(view.turns_planned, ...judged.map(({ n }) => n), 2);
  const width = (WIDTH - LEFT - RIGHT - 20) / (last - 1);
  const x = (n) => LEFT + 10 + (n - 1) * width;
  const y = (value) => TOP + (1 - value / HIGHEST) * (HEIGHT - TOP - BOTTOM);
  const rows = Array.from({ length: HIGHEST / STEP + 1 }, (_, i) => i * STEP);
  const cursorLine = svg("path", { d: `M0 ${TOP - 4}V${HEIGHT - BOTTOM}` });
  const cursor = svg("g.cursor", { "data-left": LEFT + 10 - width, "data-step": width }, cursorLine);
  moveCursor(cursor, at);
  const reach = Math.min(12, width / 2);
  const isNarrow = width < NARROW;
  const told = h("p.told", {}, GRAPH.hint);
  const tell = (turn) => setText(told, turn ? title(turn) : GRAPH.hint);
  const marks = isNarrow
    ? joinedMarks(judged, x, y, { go, tell })
    : judged.map((turn) => mark(turn, x(turn.n), y, reach, { go, tell }));
  const line = (side) => linePath(judged.filter((turn) => turn.side === side), x, y);
  const picture = svg("svg.graph", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": GRAPH.label },
    svg("g.grid", {}, rows.map((value) => svg("path", { d: `M${LEFT} ${y(value)}H${WIDTH - RIGHT}` }))),
    cursor,
    rows.map((value) => svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(value))),
    labelled(last).map((n) => svg("text", { x: x(n), y: HEIGHT - 6, "text-anchor": "middle" }, String(n))),
    ["pro", "con"].map((side) => svg(`path.line.${side}`, { d: line(side) })),
    marks);
  return h("figure", {}, picture, told, h("figcaption", {}, legend(judged, scored.length)));
}

/** Every kind of mark that the graph shows, with its meaning. */
function legend(judged, count_) {
  const has = (name) => judged.some((turn) => turn[name] !== undefined && turn[name] !== 0);
  const dot = (side) => shapes({ side, composite: HIGHEST }, 10, () => 9, 1);
  const entries = [
    [".pro", dot("pro"), GRAPH.pro],
    [".con", dot("con"), GRAPH.con],
    has("composite_admitted") && [".pro", [["fall", "M10 1V15"], ["changed", ring(10, 5, 4)]], GRAPH.changed],
    has("composite_spread") && [".pro", [["spread", "M10 1V15"]], GRAPH.spread],
    judged.length > count_ && [".pro", [["absent", "M6 4l8 8m0 -8l-8 8"]], GRAPH.absent],
    ["", [["here", "M10 0V16"]], GRAPH.cursor],
  ];
  return h("ul.legend", {}, entries.filter(Boolean).map(([side, paths, text]) => {
    const drawn = paths.map(([kind, d]) => svg(`path.${kind}`, { d }));
    const picture = svg("svg", { viewBox: "0 0 20 16", "aria-hidden": "true" }, svg(`g.mark${side}`, {}, drawn));
    return h("li", {}, picture, text);
  }));
}

/** The turns whose number stands under the graph. */
function labelled(last) {
  const every = Math.ceil(last / MOST_LABELS);
  const turns = Array.from({ length: last }, (_, i) => i + 1);
  return turns.filter((n) => n === last || ((n === 1 || n % every === 0) && last - n >= every / 2));
}

/** The line of one side; a missing score breaks it. */
function linePath(turns, x, y) {
  let isStart = true;
  let path = "";
  for (const { n, composite } of turns) {
    const isScored = typeof composite === "number";
    if (isScored) path += `${isStart ? "M" : "L"}${x(n)} ${y(composite)}`;
    isStart = !isScored;
  }
  return path;
}

const ring = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

/** The shapes that show one turn, as `[class, path]`. */
function shapes({ side, composite, composite_admitted: first, composite_spread: spread }, x, height, size) {
  const isScored = typeof composite === "number";
  const y = isScored ? height(composite) : HEIGHT - BOTTOM;
  const found = [];
  if (spread) found.push(["spread", `M${x} ${height(composite + spread / 2)}V${height(composite - spread / 2)}`]);
  if (first !== undefined) {
    found.push(["fall", `M${x} ${height(first)}V${y}`]);
    found.push(["changed", ring(x, height(first), 4 * size)]);
  }
  const triangle = `M${x} ${y - 5.5 * size}l${5.5 * size} ${10 * size}h${-11 * size}z`;
  if (!isScored) found.push(["absent", `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`]);
  else found.push(["dot", side === "pro" ? ring(x, y, 4.5 * size) : triangle]);
  return found;
}

function title({ n, side, composite, composite_admitted: first, composite_spread: spread }) {
  const score = typeof composite === "number" ? tenths(composite) : GRAPH.noScore;
  const before = first === undefined ? "" : GRAPH.first(tenths(first));
  return `${NAME[side]}, turn ${n}: ${score}${before}${spread ? GRAPH.apart(tenths(spread)) : ""}`;
}

const target = (x, width) => svg("rect.target", { x, y: TOP, width, height: HEIGHT - TOP - BOTTOM });

function mark(turn, x, height, reach, { go, tell }) {
  const { href, on } = eventLink(scoredAt(turn), go);
  const start = () => tell(turn);
  const end = () => tell(null);
  const listeners = { ...on, pointerenter: start, pointerleave: end, focus: start, blur: end };
  return svg(`a.mark.${turn.side}`, { href, on: listeners, "aria-label": title(turn) },
    svg("title", {}, title(turn)),
    target(x - reach, 2 * reach),
    shapes(turn, x, height, 1).map(([kind, d]) => svg(`path.${kind}`, { d })));
}

/** The marks of a long debate: one path for each kind and side. Arrow keys move along its turns, Enter goes there. */
function joinedMarks(judged, x, height, { go, tell }) {
  let chosen = judged.length - 1;
  const listeners = {
    click: (event) => go(scoredAt(nearest(event))),
    pointermove: (event) => tell(nearest(event)),
    pointerleave: () => tell(null),
    focus: () => choose(chosen),
    blur: () => tell(null),
    keydown,
  };
  const group = svg("g.mark", {
    on: listeners,
    tabindex: "0",
    role: "slider",
    "aria-label": GRAPH.turns,
    "aria-valuemin": judged[0].n,
    "aria-valuemax": judged.at(-1).n,
  }, target(LEFT, WIDTH - LEFT - RIGHT));
  choose(chosen, { isQuiet: true });

  function choose(index, { isQuiet = false } = {}) {
    chosen = Math.min(Math.max(index, 0), judged.length - 1);
    const turn = judged[chosen];
    group.setAttribute("aria-valuenow", turn.n);
    group.setAttribute("aria-valuetext", title(turn));
    if (!isQuiet) tell(turn);
  }

  function keydown(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 }[event.key];
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    if (step) choose(chosen + step);
    else go(scoredAt(judged[chosen]));
  }

  function nearest({ clientX }) {
    const { left, width } = group.ownerSVGElement.getBoundingClientRect();
    const distance = ({ n }) => Math.abs(x(n) - ((clientX - left) / width) * WIDTH);
    return judged.reduce((best, turn) => (distance(turn) < distance(best) ? turn : best));
  }

  const paths = new Map();
  for (const turn of judged) {
    for (const [kind, d] of shapes(turn, x(turn.n), height, 0.5)) {
      const key = `${kind}.${turn.side}`;
      paths.set(key, (paths.get(key) ?? "") + d);
    }
  }
  for (const [kind, d] of paths) group.append(svg(`path.${kind}`, { d }));
  return [group];
}
