/**
 * Two drawings of one graph: the composite score by turn, for both sides, or the lead after each event that changed it.
 *
 * The axis of scores always goes from 0 to 100, so that graphs can be compared and small differences look small. A
 * legend explains each mark that occurs, and a line below the graph tells the mark under the pointer or the focus.
 */

import { eventLink, h, setText, storage, svg } from "../parts/dom.js";
import { tenths } from "../words/formatting.js";
import { GRAPH, LEAD, NAME, SIDES } from "../words/words.js";
import { scoredAt } from "./losses.js";

const WIDTH = 380;
const HEIGHT = 270;
const LEFT = 28;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 24;
const HIGHEST = 100;
/** Grid lines are this many points apart. */
const STEP = 20;
/** If marks are closer than this, their marks are one drawing, and a click goes to the nearest. */
const NARROW = 14;
const MAX_LABELS = 14;
/** The changes that came with one turn take this part of the room before it. */
const CHANGES = 0.8;
const MIN_LEAD = 10;
const KEY = "graph";

/**
 * The graph in `root`, with a button for the other drawing.
 * @param {HTMLElement} root
 * @param {(position: number) => void} go Called when the reader clicks on a mark.
 * @returns {{show(view: View, at: number | null): void}} `at`: the turn at the cursor; null at the newest event.
 */
export function graph(root, go) {
  const body = h("div");
  const other = h("button.drawing", { type: "button", on: { click: change } });
  root.replaceChildren(body, other);
  let isLead = storage.get(KEY) === "lead";
  let last = {};

  function change() {
    isLead = !isLead;
    storage.set(KEY, isLead ? "lead" : "scores");
    const { view, at } = last;
    last = {};
    show(view, at);
  }

  function show(view, at) {
    const isSame = last.view?.turns === view.turns;
    if (isSame && last.at === at) return;
    last = { view, at };
    if (isSame && body.querySelector("svg")) {
      moveCursor(body.querySelector(".cursor"), at);
      return;
    }
    const drawn = isLead ? leadDrawing(view) : scoresDrawing(view.turns);
    other.textContent = isLead ? GRAPH.showScores : GRAPH.showLead;
    body.replaceChildren(drawn.isEmpty ? h("p.empty", {}, GRAPH.empty) : figureOf(view, drawn, at, go));
  }

  return { show };
}

/** A turn with its composite on the scale of the others: not all components count in turn 1. */
function scaled(n, turn) {
  const { composite, composite_admitted: first, composite_spread: spread, composite_maximum: most = HIGHEST } = turn;
  const share = (value) => (typeof value === "number" ? (value * HIGHEST) / most : value);
  return { ...turn, n, composite: share(composite), composite_admitted: share(first), composite_spread: share(spread) };
}

/** The scores of both sides. */
function scoresDrawing(turns) {
  const judged = Object.entries(turns).filter(([, turn]) => turn.judged).map(([n, turn]) => scaled(Number(n), turn));
  const scored = judged.filter((turn) => typeof turn.composite === "number");
  return {
    isEmpty: !scored.length,
    words: GRAPH,
    range: [0, HIGHEST, STEP],
    points: judged.map((turn) => ({
      n: turn.n,
      number: turn.n,
      side: turn.side,
      position: scoredAt(turn),
      title: title(turn),
      shapes: (...place) => shapes(turn, ...place),
    })),
    lines: SIDES.map((side) => {
      return [side, judged.filter((turn) => turn.side === side).map(({ n, composite }) => [n, composite])];
    }),
    legend: () => legend(judged, scored.length),
  };
}

/**
 * The lead after each event that changed it. Those that came with one turn stand before it, in their order.
 * @param {View} view
 * @returns {{isEmpty: boolean, words: object, range: number[], points: object[], lines: Array, legend: Function}}
 */
export function leadDrawing({ turns, lead: { moves } }) {
  const leads = Object.entries(moves).filter(([, { lead }]) => lead !== undefined);
  const most = Math.max(MIN_LEAD, ...leads.map(([, { lead }]) => Math.abs(lead)));
  const step = [5, 10, 20].find((each) => most <= 4 * each) ?? 50;
  const top = Math.ceil(most / step) * step;
  const points = leads.map(([position, move], i) => {
    const { during, lead } = move;
    const together = leads.filter(([, other]) => other.during === during);
    const nth = together.findIndex(([other]) => other === position) + 1;
    const side = lead < 0 ? "con" : "pro";
    return {
      n: during - CHANGES * (1 - nth / together.length),
      number: i + 1,
      side,
      position: Number(position),
      lead,
      title: `${LEAD.leads(side, Math.abs(lead))} · ${LEAD.moved(move, turns)}`,
      shapes: (x, y, size) => [["dot", dot(side, x, y(lead), size)]],
    };
  });
  return {
    isEmpty: !points.length,
    words: GRAPH.lead,
    range: [-top, top, step],
    points,
    lines: [["lead", points.map(({ n, lead }) => [n, lead])]],
    legend: () => SIDES.map((side) => entry(`.${side}`, [["dot", dot(side, 10, 9, 1)]], GRAPH.lead[side])),
  };
}

function moveCursor(cursor, at) {
  cursor.toggleAttribute("hidden", !at);
  if (!at) return;
  const x = Number(cursor.dataset.left) + at * Number(cursor.dataset.step);
  cursor.setAttribute("transform", `translate(${x})`);
}

function figureOf(view, { words, range: [from, to, step], points, lines, legend: entries }, at, go) {
  const last = Math.max(view.turns_planned, ...points.map(({ n }) => Math.ceil(n)), 2);
  const width = (WIDTH - LEFT - RIGHT - 20) / (last - 1);
  const x = (n) => LEFT + 10 + (n - 1) * width;
  const y = (value) => TOP + ((to - value) / (to - from)) * (HEIGHT - TOP - BOTTOM);
  const rows = Array.from({ length: (to - from) / step + 1 }, (_, i) => from + i * step);
  const cursorLine = svg("path", { d: `M0 ${TOP - 4}V${HEIGHT - BOTTOM}` });
  const cursor = svg("g.cursor", { "data-left": LEFT + 10 - width, "data-step": width }, cursorLine);
  moveCursor(cursor, at);
  const gap = Math.min(width, ...points.slice(1).map(({ n }, i) => x(n) - x(points[i].n)));
  const told = h("p.told", {}, words.hint);
  const tell = (point) => setText(told, point ? point.title : words.hint);
  const marks = gap < NARROW
    ? joinedMarks(points, x, y, Math.max(0.5, gap / NARROW), { go, tell, label: words.marks })
    : points.map((point) => mark(point, x(point.n), y, Math.min(12, gap / 2), { go, tell }));
  const picture = svg("svg.graph", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": words.label },
    svg("g.grid", {}, rows.map((value) => {
      return svg(value || !from ? "path" : "path.zero", { d: `M${LEFT} ${y(value)}H${WIDTH - RIGHT}` });
    })),
    cursor,
    rows.map((value) => svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(Math.abs(value)))),
    labelled(last).map((n) => svg("text", { x: x(n), y: HEIGHT - 6, "text-anchor": "middle" }, String(n))),
    lines.map(([kind, values]) => svg(`path.line.${kind}`, { d: linePath(values, x, y) })),
    marks);
  const items = [...entries(), entry("", [["here", "M10 0V16"]], GRAPH.cursor)];
  return h("figure", {}, picture, told, h("figcaption", {}, h("ul.legend", {}, items)));
}

/** Every kind of mark that the graph of scores shows, with its meaning. */
function legend(judged, count_) {
  const has = (name) => judged.some((turn) => turn[name] !== undefined && turn[name] !== 0);
  const entries = [
    ...SIDES.map((side) => [`.${side}`, [["dot", dot(side, 10, 9, 1)]], GRAPH[side]]),
    has("composite_admitted") && [".pro", [["fall", "M10 1V15"], ["changed", ring(10, 5, 4)]], GRAPH.changed],
    has("composite_spread") && [".pro", [["spread", "M10 1V15"]], GRAPH.spread],
    judged.length > count_ && [".pro", [["absent", "M6 4l8 8m0 -8l-8 8"]], GRAPH.absent],
  ];
  return entries.filter(Boolean).map((each) => entry(...each));
}

function entry(side, paths, text) {
  const drawn = paths.map(([kind, d]) => svg(`path.${kind}`, { d }));
  const picture = svg("svg", { viewBox: "0 0 20 16", "aria-hidden": "true" }, svg(`g.mark${side}`, {}, drawn));
  return h("li", {}, picture, text);
}

/** The turns whose number stands under the graph. */
function labelled(last) {
  const every = Math.ceil(last / MAX_LABELS);
  const turns = Array.from({ length: last }, (_, i) => i + 1);
  return turns.filter((n) => n === last || ((n === 1 || n % every === 0) && last - n >= every / 2));
}

/** A line through `[n, value]`; a missing value breaks it. */
function linePath(values, x, y) {
  let isStart = true;
  let path = "";
  for (const [n, value] of values) {
    const isKnown = typeof value === "number";
    if (isKnown) path += `${isStart ? "M" : "L"}${x(n)} ${y(value)}`;
    isStart = !isKnown;
  }
  return path;
}

const ring = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

/** The mark of a side, as everywhere on the page: a triangle that points up for Pro, and down for Con. */
function dot(side, x, y, size) {
  const up = side === "pro" ? 1 : -1;
  return `M${x} ${y - 5.5 * up * size}l${5.5 * size} ${10 * up * size}h${-11 * size}z`;
}

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
  if (!isScored) found.push(["absent", `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`]);
  else found.push(["dot", dot(side, x, y, size)]);
  return found;
}

function title({ n, side, composite, composite_admitted: first, composite_spread: spread, composite_maximum: most }) {
  const scored = most ? GRAPH.share(tenths(composite)) : tenths(composite);
  const score = typeof composite === "number" ? scored : GRAPH.noScore;
  const before = first === undefined ? "" : GRAPH.first(tenths(first));
  return `${NAME[side]}, turn ${n}: ${score}${before}${spread ? GRAPH.apart(tenths(spread)) : ""}`;
}

const target = (x, width) => svg("rect.target", { x, y: TOP, width, height: HEIGHT - TOP - BOTTOM });

function mark(point, x, height, reach, { go, tell }) {
  const { href, on } = eventLink(point.position, go);
  const start = () => tell(point);
  const end = () => tell(null);
  const listeners = { ...on, pointerenter: start, pointerleave: end, focus: start, blur: end };
  return svg(`a.mark.${point.side}`, { href, on: listeners, "aria-label": point.title },
    svg("title", {}, point.title),
    target(x - reach, 2 * reach),
    point.shapes(x, height, 1).map(([kind, d]) => svg(`path.${kind}`, { d })));
}

/** The marks of a long debate: one path for each kind and side. Arrow keys move along them, Enter goes there. */
function joinedMarks(points, x, height, size, { go, tell, label }) {
  let chosen = points.length - 1;
  const listeners = {
    click: (event) => go(nearest(event).position),
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
    "aria-label": label,
    "aria-valuemin": points[0].number,
    "aria-valuemax": points.at(-1).number,
  }, target(LEFT, WIDTH - LEFT - RIGHT));
  choose(chosen, { isQuiet: true });

  function choose(index, { isQuiet = false } = {}) {
    chosen = Math.min(Math.max(index, 0), points.length - 1);
    const point = points[chosen];
    group.setAttribute("aria-valuenow", point.number);
    group.setAttribute("aria-valuetext", point.title);
    if (!isQuiet) tell(point);
  }

  function keydown(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 }[event.key];
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    if (step) choose(chosen + step);
    else go(points[chosen].position);
  }

  function nearest({ clientX }) {
    const { left, width } = group.ownerSVGElement.getBoundingClientRect();
    const distance = ({ n }) => Math.abs(x(n) - ((clientX - left) / width) * WIDTH);
    return points.reduce((best, point) => (distance(point) < distance(best) ? point : best));
  }

  const paths = new Map();
  for (const point of points) {
    for (const [kind, d] of point.shapes(x(point.n), height, size)) {
      const key = `${kind}.${point.side}`;
      paths.set(key, (paths.get(key) ?? "") + d);
    }
  }
  for (const [kind, d] of paths) group.append(svg(`path.${kind}`, { d }));
  return [group];
}
