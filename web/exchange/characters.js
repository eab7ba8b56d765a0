/** The characters of the debaters: each trait as a small chart of its moves, pressure, and directives once revealed. */

import { changeDetector, eventLink, h, svg, updateInBatches } from "../parts/dom.js";
import { pressureWords, sideName } from "../parts/widgets.js";
import { capital, joined, number, plain } from "../words/formatting.js";
import { SIDES } from "../words/words.js";

const LOWEST = 1;
const HIGHEST = 10;
const WIDTH = 160;
const HEIGHT = 40;
const EDGE = 4;
/** Marks that are nearer than this are no links: the list below has one for every move. */
const NARROWEST = 12;
const REACH = 12;

const WORDS = {
  moved: (moved, all) => (moved ? `${moved} of ${all} traits have changed` : "unchanged"),
  directives: "Directives to this debater, hidden while the debate ran:",
  given: (turns) => `, given at ${turns.length > 1 ? "turns" : "turn"} ${joined(turns)}: `,
  notGiven: ", given at no turn: ",
  pressure: (turn) => `Pressure after turn ${turn}, from 0 to 1: `,
  scale: "Each chart goes from 1 to 10, turn by turn; the dashed line is the start.",
  moves: "Moves, each with its event",
  chart: (name, start, moves) => {
    const then = moves.map(({ turn, to }) => `, ${number(to)} after turn ${turn}`).join("");
    return `${capital(name)}: ${number(start)} at the start${then || ", unchanged"}`;
  },
  move: (name, { turn, from, to, position }) => {
    return `${capital(name)} ${number(from)} → ${number(to)} after turn ${turn}, event ${position} in the audit`;
  },
  event: (position) => `event ${position}`,
  after: (turn) => ` after turn ${turn}: `,
};

/**
 * The characters in `root`.
 * @param {HTMLElement} root
 * @param {(position: number) => void} go
 * @param {(event: number) => Record<string, any>} audit Attributes of a link to an event in the audit.
 * @returns {{show(view: View): void}}
 */
export function characters(root, go, audit) {
  const isChanged = changeDetector();
  const isOpen = new Map();
  return {
    show(view) {
      const given = Object.values(view.turns).map(({ directive }) => directive).join();
      if (!isChanged(view.traits, view.pressure, view.directives, given)) return;
      for (const each of root.querySelectorAll("details[data-side]")) isOpen.set(each.dataset.side, each.open);
      const shown = SIDES.filter((side) => view.traits[side]);
      root.replaceChildren(...shown.map((side) => character(side, view, go, audit, isOpen.get(side))));
    },
  };
}

function character(side, view, go, audit, wasOpen) {
  const start = view.archetype_traits?.[side] ?? {};
  const traits = Object.entries(view.traits[side]);
  const moved = traits.filter(([name, value]) => value !== start[name]).length;
  const moves = Object.entries(view.trait_moves ?? {}).filter(([, each]) => each.side === side).map(([at, each]) => {
    return { position: Number(at), turn: newestTurn(view, Number(at)), shifts: each.shifts };
  });
  const directives = Object.entries(view.directives ?? {}).filter(([, each]) => each.side === side);
  const list = h("div");
  updateInBatches(list, "ol", directives.map(([position, each]) => [position, each, () => {
    const turns = Object.keys(view.turns).filter((turn) => view.turns[turn].directive === Number(position));
    const given = turns.length ? WORDS.given(turns) : WORDS.notGiven;
    return h("li", {}, h("a", eventLink(position, go), WORDS.event(position)), given, each.text);
  }]));
  const last = Math.max(view.turns_planned, 2);
  return h(`details.character.${side}`, { "data-side": side, open: wasOpen ?? moved > 0 },
    h("summary", {}, sideName(side), h("span.quiet", {}, ` ${WORDS.moved(moved, traits.length)}`)),
    pressure(view.pressure[side]),
    h("p.quiet.scale-note", {}, WORDS.scale),
    h("div.multiples", {}, traits.map(([name, value]) => {
      return multiple(name, start[name] ?? value, value, movesOf(name, moves), last, audit);
    })),
    moves.length > 0 && h("details.moves", {}, h("summary", {}, WORDS.moves), h("ol", {}, moves.map(moveRow(audit)))),
    directives.length > 0 && h("div.directives", {}, h("p.quiet", {}, WORDS.directives), list));
}

function pressure(state) {
  return state ? h("p.quiet.pressure", {}, WORDS.pressure(state.turn), pressureWords(state)) : null;
}

/** The newest turn that had been spoken at a position. */
function newestTurn(view, position) {
  return Math.max(0, ...Object.keys(view.turns).filter((turn) => view.turns[turn].spoken < position).map(Number));
}

/** The moves of one trait, in their order. */
function movesOf(name, moves) {
  return moves.flatMap(({ position, turn, shifts: { [name]: shift } }) => {
    return shift ? [{ position, turn, from: shift[0], to: shift[1] }] : [];
  });
}

/** One trait as a line: the value holds until the turn after which it moved. */
function multiple(trait, start, value, moves, last, audit) {
  const name = plain(trait);
  const step = (WIDTH - 2 * EDGE) / last;
  const x = (turn) => EDGE + turn * step;
  const y = (level) => EDGE + (1 - (level - LOWEST) / (HIGHEST - LOWEST)) * (HEIGHT - 2 * EDGE);
  const line = moves.map(({ turn, to }) => `H${x(turn)}V${y(to)}`).join("");
  const gaps = moves.slice(1).map(({ turn }, i) => x(turn) - x(moves[i].turn));
  const isLinked = gaps.every((gap) => gap >= NARROWEST);
  const reach = Math.min(REACH, ...gaps.map((gap) => gap / 2));
  const mark = (move) => {
    const dot = svg("circle", { cx: x(move.turn), cy: y(move.to), r: 3 });
    if (!isLinked) return dot;
    const words = WORDS.move(name, move);
    return svg("a", { ...audit(move.position), "aria-label": words },
      svg("title", {}, words),
      svg("rect.target", { x: x(move.turn) - reach, y: 0, width: 2 * reach, height: HEIGHT }),
      dot);
  };
  return h(`figure.multiple${moves.length ? ".moved" : ""}`, {},
    h("figcaption", {}, h("span", {}, name), h("span.now", {}, number(value))),
    svg("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: isLinked && moves.length ? "group" : "img",
      "aria-label": WORDS.chart(name, start, moves),
    },
    svg("path.floor", { d: `M${EDGE} ${y(LOWEST)}H${WIDTH - EDGE}M${EDGE} ${y(HIGHEST)}H${WIDTH - EDGE}` }),
    svg("path.start", { d: `M${EDGE} ${y(start)}H${WIDTH - EDGE}` }),
    svg("path.line", { d: `M${EDGE} ${y(start)}${line}H${WIDTH - EDGE}` }),
    moves.map(mark)));
}

function moveRow(audit) {
  return ({ position, turn, shifts }) => h("li", {},
    h("a", audit(position), WORDS.event(position)),
    WORDS.after(turn),
    Object.entries(shifts).map(([name, [from, to]]) => `${plain(name)} ${number(from)} → ${number(to)}`).join(", "));
}
