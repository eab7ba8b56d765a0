/** The composite score by turn, for both sides, with earlier values and the spread of samples. */

import { eventLink, h, setText, svg } from "./dom.js";
import { count, number } from "./formatting.js";
import { GRAPH, NAME } from "./words.js";

const WIDTH = 380;
const HEIGHT = 150;
const LEFT = 28;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 24;
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

/** The lowest and the highest value of the vertical axis. */
function rangeOf(scored) {
  const values = scored.flatMap(({ composite, composite_admitted: first, composite_spread: spread = 0 }) => {
    return [composite + spread / 2, composite - spread / 2, first ?? composite];
  });
  const low = Math.max(0, Math.floor((Math.min(...values) - 5) / STEP) * STEP);
  return [low, Math.max(low + 2 * STEP, Math.ceil((Math.max(...values) + 2) / STEP) * STEP)];
}

function figureOf(view, judged, scored, at, go) {
  const [low, high] = rangeOf(scored);
  const last = Math.max(view.turns_planned, ...judged.map(({ n }) => n), 2);
  const width = (WIDTH - LEFT - RIGHT - 20) / (last - 1);
  const x = (n) => LEFT + 10 + (n - 1) * width;
  const y = (value) => TOP + (1 - (value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const rows = Array.from({ length: (high - low) / STEP + 1 }, (_, i) => low + i * STEP);
  const cursorLine = svg("path", { d: `M0 ${TOP - 4}V${HEIGHT - BOTTOM}` });
  const cursor = svg("g.cursor", { "data-left": LEFT + 10 - width, "data-step": width }, cursorLine);
  moveCursor(cursor, at);
  const reach = Math.min(12, width / 2);
  const isNarrow = width < NARROW;
  const marks = isNarrow ? joinedMarks(judged, x, y, go) : judged.map((turn) => mark(turn, x(turn.n), y, reach, go));
  const line = (side) => linePath(judged.filter((turn) => turn.side === side), x, y);
  const picture = svg("svg.graph", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": GRAPH.label },
    svg("g.grid", {}, rows.map((value) => svg("path", { d: `M${LEFT} ${y(value)}H${WIDTH - RIGHT}` }))),
    cursor,
    rows.map((value) => svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(value))),
    labelled(last).map((n) => svg("text", { x: x(n), y: HEIGHT - 6, "text-anchor": "middle" }, String(n))),
    ["pro", "con"].map((side) => svg(`path.line.${side}`, { d: line(side) })),
    marks);
  const caption = [
    GRAPH.pro,
    GRAPH.con,
    scored.some(({ composite_admitted: first }) => first !== undefined) && GRAPH.changed,
    scored.some(({ composite_spread: spread }) => spread) && GRAPH.spread,
    count(scored.length, "judged turn"),
  ];
  return h("figure", {}, picture, h("figcaption.quiet", {}, caption.filter(Boolean).join(" · ")));
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
  const score = typeof composite === "number" ? number(composite) : GRAPH.noScore;
  const before = first === undefined ? "" : GRAPH.first(number(first));
  return `${NAME[side]}, turn ${n}: ${score}${before}${spread ? GRAPH.apart(number(spread)) : ""}`;
}

const target = (x, width) => svg("rect.target", { x, y: TOP, width, height: HEIGHT - TOP - BOTTOM });

function mark(turn, x, height, reach, go) {
  return svg(`a.mark.${turn.side}`, { ...eventLink(turn.judged, go), "aria-label": title(turn) },
    svg("title", {}, title(turn)),
    target(x - reach, 2 * reach),
    shapes(turn, x, height, 1).map(([kind, d]) => svg(`path.${kind}`, { d })));
}

/** The marks of a long debate: one path for each kind and side. */
function joinedMarks(judged, x, height, go) {
  const label = svg("title");
  const listeners = {
    click: (event) => go(nearest(event).judged),
    pointermove: (event) => setText(label, title(nearest(event))),
  };
  const group = svg("g.mark", { on: listeners }, label, target(LEFT, WIDTH - LEFT - RIGHT));

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
