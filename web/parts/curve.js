/** The curve: the course of a debate as steps at events. Above the line Pro is ahead, below it Con. */

import { shareOf } from "./bar.js";
import { eventLink, h, svg } from "./dom.js";
import { BAR } from "../words/words.js";

const WIDTH = 1000;
const HEIGHT = 100;
const MIDDLE = HEIGHT / 2;
/** The room for one number below the curve: a part of the width. */
const ROOM = 0.035;

/**
 * @typedef {object} Point Something at one event. Each of the members after `position` may be absent.
 * @property {number} position The event.
 * @property {number} [probability] That Pro is ahead after it, 0 to 1.
 * @property {number} [lead] Pro's points less Con's after it, where there is no probability.
 * @property {boolean} [dock] Whether it took points off an earlier turn: draws a tick.
 * @property {number} [turn] The turn that it begins: its number stands below the curve.
 */

/**
 * @typedef {{position: number, number: number, go?: (position: number) => void}} Pin A moment with its number on the
 *   curve.
 */

/**
 * @param {object} given
 * @param {Point[]} given.points In order.
 * @param {number} given.end The last event of the debate, at the right edge.
 * @param {number} [given.until] The last event that is shown; what comes after it is dots. Without it all is shown.
 * @param {number} [given.at] The event of the cursor.
 * @param {number} [given.nameAt] The probability from which on a side is named: draws two dotted gates.
 * @param {Pin[]} [given.pins]
 * @param {string} [given.label] The curve in words.
 * @param {boolean} [given.isNamed] Whether the numbers of the turns stand below it.
 * @returns {HTMLElement} Stretched to the width of its place; its height is the token `--h`.
 */
export function curve({ points, end, until = end, at, nameAt, pins = [], label = BAR.curve, isNamed = true }) {
  const x = (position) => Math.min(WIDTH, (WIDTH * position) / Math.max(end, 1));
  const steps = points.map((point) => [point.position, shareOf(point)]).filter(([, share]) => share !== null);
  const ticks = points.filter(({ dock }) => dock).map(({ position }) => `M${figure(x(position))} 88V100`).join("");
  const gates = [nameAt, 1 - nameAt].map((each) => `M0 ${figure(height(100 * each))}H${WIDTH}`).join("");
  const drawing = svg("svg.curve", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
    "aria-label": label },
  nameAt !== undefined && svg("path.gate", { d: gates }),
  svg("path.up", { d: boxes(steps, x, until, (share) => share >= 50) }),
  svg("path.down", { d: boxes(steps, x, until, (share) => share < 50) }),
  svg("path.mid", { d: `M0 ${MIDDLE}H${figure(x(until))}` }),
  until < end && svg("path.tocome", { d: `M${figure(x(until))} ${MIDDLE}H${WIDTH}` }),
  svg("path.tick", { d: ticks }),
  at !== undefined && svg("path.head", { d: `M${figure(x(at))} 0V${HEIGHT}` }));
  return h(isNamed ? "span.plot.named" : "span.plot", {},
    drawing,
    isNamed && turnNumbers(points, x),
    pins.map((pin) => pinOf(pin, x, shareAt(steps, pin.position))));
}

/** A coordinate with one decimal. */
const figure = (value) => String(Math.round(10 * value) / 10);

/** The two edges stay free: a line there would be cut. */
const height = (share) => MIDDLE - 0.98 * (share - 50);

const shareAt = (steps, position) => steps.findLast(([each]) => each <= position)?.[1] ?? 50;

/** A box from each step to the next one, between the middle and its height. */
function boxes(steps, x, until, isShown) {
  return steps.map(([position, share], i) => {
    if (!isShown(share)) return "";
    const to = Math.min(steps[i + 1]?.[0] ?? until, until);
    return `M${figure(x(position))} ${MIDDLE}V${figure(height(share))}H${figure(x(to))}V${MIDDLE}Z`;
  }).join("");
}

/** The number of each turn where it begins; those without room are left out. */
function turnNumbers(points, x) {
  let last = -Infinity;
  return points.filter(({ turn }) => turn !== undefined).map(({ turn, position }) => {
    if (x(position) - last < ROOM * WIDTH) return null;
    last = x(position);
    return placed(h("span", { "aria-hidden": "true" }, String(turn)), last);
  });
}

function pinOf({ position, number: name, go }, x, share) {
  const pin = go
    ? h("a.pin", { ...eventLink(position, go), "aria-label": BAR.pin(name) }, String(name))
    : h("i.pin", { "aria-hidden": "true" }, String(name));
  pin.style.setProperty("--y", height(share) / HEIGHT);
  return placed(pin, x(position));
}

function placed(element, x) {
  element.style.left = `${(100 * x) / WIDTH}%`;
  return element;
}
