/**
 * What moved between two moments of an exported debate, in sentences, the most important first.
 *
 * It answers as the server does, in the module `server.export.moved`. tests/web/moved.json holds examples for both.
 */

import { count, joined, number, plain, signed } from "../words/formatting.js";
import { IN_COMPOSITE, NAME, SIDES, STANDING, VERDICT, changeName } from "../words/words.js";

const MAX_LINES = 12;

const because = (why) => (why ? ` (${why})` : "");
const decider = (by) => (by ? "The evidence" : "A second opinion");
const rose = (isUp) => (isUp ? "rose" : "fell");

const MOVED = {
  ended: (winner) => `The debate ended: ${winner}.`,
  state: {
    __proto__: null,
    open: "The debate runs.",
    paused: "The debate was paused.",
    halted: "The debate was halted.",
    concluded: "The debate ended.",
  },
  verdict: (verdict) => `The verdict on the artifact: ${verdict}.`,
  mean: (name, before, after, isUp) => {
    return `The mean score of ${name} ${before ? `${rose(isUp)} from ${before} to` : "is"} ${after}.`;
  },
  turn: (name, before, after, isUp, why) => `Turn ${name} ${rose(isUp)} from ${before} to ${after}${because(why)}.`,
  scored: (name, score, first, why) => {
    return `Turn ${name} was scored ${first ? `${first}, now ${score}` : score}${because(why)}.`;
  },
  dimension: (name, dimension, before, after, isUp, why) => {
    return `Turn ${name}, ${dimension}, ${rose(isUp)} from ${before} to ${after}${because(why)}.`;
  },
  turnState: {
    __proto__: null,
    speaking: (name) => `Turn ${name} began.`,
    spoken: (name) => `Turn ${name} was spoken.`,
    judged: (name) => `Turn ${name} was judged, without a score.`,
  },
  claim: {
    __proto__: null,
    flagged: (name, kind, points) => `Claim ${name} was flagged: ${kind}${points && `, ${points}`}.`,
    upheld: (name, kind, _, by) => `${decider(by)} upheld claim ${name}${because(kind)}.`,
    cleared: (name, kind, _, by) => `${decider(by)} cleared claim ${name}${because(kind)}.`,
  },
  premises: {
    dropped: (names) => `Premises dropped without mention: ${names}.`,
    withdrawn: (names) => `Premises withdrawn openly: ${names}.`,
    revised: (names) => `Premises revised: ${names}.`,
    kept: (names) => `Premises stated: ${names}.`,
  },
  steps: {
    opened: (names) => `Arguments opened: ${names}.`,
    crossed: (names) => `Cross-examined: ${names}.`,
    answered: (names) => `Questions answered about ${names}.`,
  },
  standing: (name, standing) => `Argument ${name}: ${standing}.`,
  traits: (name, traits) => `The character of ${name} changed in ${traits}.`,
  usage: (calls, tokens) => `It took ${calls} and ${tokens}.`,
  others: (values) => `Only details changed: ${values}.`,
  left: (changes) => `And ${changes}: see every changed value.`,
};

/** @typedef {{keys: string[], before?: unknown, after?: unknown, because_of: number[]}} Change Of `GET …/diff`. */

/**
 * @param {Change[]} changes
 * @param {Record<string, {rule?: string}>} events By position.
 * @returns {{text: string, because_of: number[]}[]} At most 12; empty if nothing changed.
 */
export function whatMoved(changes, events) {
  const lines = [outcome, means, turns, claims, premises, protocol, rest].flatMap((part) => part(changes, events));
  if (!lines.length && changes.length) return [line(MOVED.others(count(changes.length, "value")), ...changes)];
  if (lines.length <= MAX_LINES) return lines;
  const left = lines.splice(MAX_LINES - 1);
  return [...lines, line(MOVED.left(count(left.length, "more change")))];
}

function line(text, ...told) {
  const causes = new Set(told.flatMap((change) => change.because_of));
  return { text, because_of: [...causes].sort((a, b) => a - b) };
}

const isUnder = (keys, path) => path.every((key, i) => keys[i] === key);
/** The change of exactly this value. */
const at = (changes, ...path) => changes.find(({ keys }) => keys.length === path.length && isUnder(keys, path));
const isNumber = (value) => typeof value === "number";

/** The changed members of a table, in order: `[name, changes]`. */
function members(changes, ...path) {
  const found = new Map();
  for (const change of changes) {
    const { keys } = change;
    if (keys.length <= path.length || !isUnder(keys, path)) continue;
    const name = keys[path.length];
    found.set(name, [...(found.get(name) ?? []), change]);
  }
  return [...found];
}

function outcome(changes) {
  const state = at(changes, "state");
  const said = at(changes, "outcome", "headline");
  const verdict = at(changes, "panel", "verdict", "verdict");
  const lines = [];
  if (said?.after) lines.push(line(MOVED.ended(said.after), said));
  else if (state?.after) lines.push(line(MOVED.state[state.after], state));
  if (verdict?.after) lines.push(line(MOVED.verdict(VERDICT[verdict.after]), verdict));
  return lines;
}

function means(changes) {
  const found = SIDES.map((side) => [side, at(changes, "scorecard", side, "composite")]);
  return found.filter(([, mean]) => isNumber(mean?.after)).map(([side, mean]) => {
    const before = isNumber(mean.before) ? number(mean.before, 1) : "";
    return line(MOVED.mean(NAME[side], before, number(mean.after, 1), mean.after > mean.before), mean);
  });
}

/** The rules that changed a score, in words. */
function reasons({ because_of: causes }, events) {
  const rules = causes.map((position) => events[position]?.rule).filter(Boolean);
  return [...new Set(rules.map(changeName))].join(", ");
}

function turns(changes, events) {
  const found = members(changes, "turns").sort(([a], [b]) => a - b);
  return found.flatMap(([name, own]) => {
    const composite = at(own, "turns", name, "composite");
    const scores = own.filter(({ keys, before, after }) => {
      const isScore = keys[2] === "scores" && keys[4] === "effective" && isNumber(before) && isNumber(after);
      return isScore && !(composite && IN_COMPOSITE.includes(keys[3]));
    });
    return [...turn(name, own, composite, events), ...scores.map((score) => {
      const { before, after, keys } = score;
      const words = [plain(keys[3]), number(before), number(after)];
      return line(MOVED.dimension(name, ...words, after > before, reasons(score, events)), score);
    })];
  });
}

/** What happened to a turn as a whole: it began, was spoken, was scored, or its composite moved. */
function turn(name, own, composite, events) {
  const { before, after } = composite ?? {};
  if (isNumber(after) && isNumber(before)) {
    const why = reasons(composite, events);
    return [line(MOVED.turn(name, number(before), number(after), after > before, why), composite)];
  }
  if (isNumber(after)) {
    const first = at(own, "turns", name, "composite_admitted")?.after;
    const scored = MOVED.scored(name, number(after), isNumber(first) ? number(first) : "", reasons(composite, events));
    return [line(scored, composite)];
  }
  const state = at(own, "turns", name, "state");
  return state?.after in MOVED.turnState ? [line(MOVED.turnState[state.after](name), state)] : [];
}

function claims(changes) {
  return members(changes, "claims").flatMap(([name, own]) => {
    const keys = ["state", "kind", "penalty", "decided_by"];
    const [state, kind, penalty, decided] = keys.map((key) => at(own, "claims", name, key));
    if (!(state?.after in MOVED.claim)) return [];
    const points = isNumber(penalty?.after) ? signed(penalty.after) : "";
    const words = MOVED.claim[state.after](name, kind ? plain(kind.after) : "", points, decided?.after);
    return [line(words, state)];
  });
}

/** A sentence for the members of which a test finds a change; none if there are none. */
function together(title, found, test) {
  const told = found.map(([name, own]) => [name, test(own, name)]).filter(([, change]) => change);
  return told.length ? [line(title(joined(told.map(([name]) => name))), ...told.map(([, change]) => change))] : [];
}

function premises(changes) {
  const found = members(changes, "premises");
  return Object.entries(MOVED.premises).flatMap(([state, title]) => together(title, found, (own, name) => {
    const change = at(own, "premises", name, "state");
    return change?.after === state && change;
  }));
}

function protocol(changes) {
  const found = members(changes, "protocol", "arguments");
  const steps = Object.entries(MOVED.steps).flatMap(([key, title]) => together(title, found, (own, name) => {
    const change = at(own, "protocol", "arguments", name, key);
    return change?.after && change;
  }));
  const standings = found.flatMap(([name, own]) => {
    const standing = at(own, "protocol", "arguments", name, "trace", "standing");
    return standing?.after ? [line(MOVED.standing(name, STANDING[standing.after].toLowerCase()), standing)] : [];
  });
  return [...steps, ...standings];
}

function rest(changes) {
  const lines = SIDES.flatMap((side) => {
    const traits = changes.filter(({ keys }) => keys[0] === "traits" && keys[1] === side);
    return traits.length ? [line(MOVED.traits(NAME[side], count(traits.length, "trait")), ...traits)] : [];
  });
  const [calls, tokens] = ["calls", "tokens"].map((key) => at(changes, "usage", key));
  const grown = (change) => (change?.after ?? 0) - (change?.before ?? 0);
  if (grown(calls) > 0) {
    lines.push(line(MOVED.usage(count(grown(calls), "model call"), count(grown(tokens), "token")), calls));
  }
  return lines;
}
