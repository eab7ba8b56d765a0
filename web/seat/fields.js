/**
 * The fields of a form for a typed question, made from the JSON schema of its answer. No elements: controls.js shows
 * them.
 *
 * An answer is an object of the schema's shape. A choice or a number that is not given yet is absent from it.
 */

import { FAULTS } from "../words/asked.js";
import { countWords } from "./counting.js";

/**
 * @typedef {object} Material What a question is about: providers/base.py.
 * @property {string} purpose
 * @property {{name: string, speaker: string, text: string, kind: string}[]} speeches
 * @property {string[]} about The speeches that it asks about.
 * @property {{name: string, kind: string, speaker: string, text: string}[]} register Premises and suspect claims.
 * @property {{name: string, asks: string, anchors: Record<string, string>, part_of: string}[]} terms
 * @property {Record<string, number>} most_words The most words of a part of the answer, by its path, joined by dots.
 *
 * @typedef {object} Field
 * @property {"group" | "items" | "rows" | "picks" | "choice" | "pick" | "points" | "number" | "from" | "fixed" |
 *   "quote" | "text"} kind `from`: the number of the turn that a quote comes from. `pick`, `picks`: names from a list.
 * @property {(string | number)[]} path Its place in the answer; in a row, its place in the row.
 * @property {string} name
 * @property {string} [neededWith] Of a quote: the property beside it that decides whether it is needed.
 */

/** Properties that hold words of a speech. server/people/checks.py has the same names and rules. */
const QUOTES = new Set(["quote", "fails", "exposed_by"]);
/** By quote: the property with the number of its turn. */
const SOURCES = { fails: "turn", exposed_by: "shown_in" };
/** By purpose: the property beside a quote that decides whether the quote is needed. */
const NEEDED_WITH = { score: "points", evidence: "relation" };
const NAMES = new Set(["premise", "premises", "answered", "cites", "continues"]);
const REQUIRED = new Set(["explanation", "text", "early", "late", "rationale"]);
/** Words of a question's passages, beside its speeches. @param {Material} material */
export const passagesOf = ({ register }) => {
  const passages = register.filter(({ kind }) => kind === "passage");
  return [...new Map(passages.map(({ name, text }) => [name, { name, text, kind: "passage" }])).values()];
};

/** The order of answers that a schema sorts by the alphabet. */
const ORDER = [
  "first", "first_clear", "first_slight", "draw", "second_slight", "second_clear", "second",
  "A", "B", "neither", "tie",
  "clear", "narrow", "high", "medium", "low",
  "UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN",
  "PASS", "CONDITIONAL", "FAIL",
  "upheld", "cleared",
  "supports", "contradicts", "beside_the_point",
  "refute", "challenge", "partial", "concede",
  "strengthened", "weakened", "adjusted", "unchanged",
];
const rank = (value) => ORDER.indexOf(value) + 1 || ORDER.length + 1;
/** What the rubric names stands in its order, and `none` last. */
function inOrder(options, terms) {
  const term = (value) => terms.findIndex(({ name }) => name === value);
  return options.toSorted((one, two) => {
    return (one === "none") - (two === "none") || rank(one) - rank(two) || term(one) - term(two);
  });
}

/** A scale of at most so many whole numbers is shown as buttons. */
const MAX_BUTTONS = 12;

/**
 * The fields of a question.
 * @param {object} schema
 * @param {Material} material
 * @returns {Field} A group.
 * @throws {Error} For a schema that no field can show.
 */
export function fieldsOf(schema, material) {
  const top = fieldOf(schema, [], { material, inRow: false });
  if (top.kind !== "group") return { kind: "group", path: [], fields: [top] };
  return { ...top, fields: byItem(top.fields, material) };
}

function fieldOf(schema, path, place) {
  const name = String(path.findLast((part) => typeof part === "string") ?? "");
  const field = { path, name };
  const options = optionsOf(schema);
  if (options) return { ...field, kind: "choice", options: inOrder(options, place.material.terms) };
  switch (schema.type) {
    case "object":
      if (!schema.properties) break;
      return { ...field, kind: "group", fields: Object.entries(schema.properties).map(([key, each]) => {
        return fieldOf(each, [...path, key], place);
      }) };
    case "array":
      return listField(schema, field, place);
    case "integer":
    case "number":
      return figureField(schema, field);
    case "string":
      return textField(schema, field, place);
    default:
  }
  throw new Error(`no field can show ${JSON.stringify(schema)} at ${path.join(".") || "the top"}`);
}

/** The values that a schema enumerates, also in several types; undefined if it allows others. */
function optionsOf({ enum: values, anyOf, type }) {
  if (type === "boolean") return [true, false];
  if (values) return values;
  if (!anyOf) return undefined;
  const options = anyOf.map((each) => (each.type === "null" ? [null] : optionsOf(each)));
  return options.every(Boolean) ? options.flat() : undefined;
}

function listField({ items, minItems = 0, maxItems = Infinity }, field, { material }) {
  if (field.name === "relations") return relationsField(items, field, material);
  const bounds = { least: field.name === "premises" ? 1 : minItems, most: maxItems };
  if (items.type === "string" && NAMES.has(field.name)) {
    return { ...field, ...bounds, kind: "picks", options: namesFor(field.name, material) };
  }
  const choices = optionsOf(items)?.map((value) => ({ value, text: "" }));
  if (choices) return { ...field, ...bounds, kind: "picks", options: choices };
  return { ...field, ...bounds, kind: "rows", item: fieldOf(items, [], { material, inRow: true }) };
}

/** One group for each passage that is compared with a claim: the question names them by number. */
function relationsField(items, field, material) {
  const passages = material.register.filter(({ kind }) => kind === "passage");
  const groups = passages.map((passage, i) => {
    const path = [...field.path, i];
    const { fields } = fieldOf(items, path, { material, inRow: false });
    const numbered = fields.map((each) => (each.name === "number" ? { ...each, kind: "fixed", value: i + 1 } : each));
    return { kind: "group", path, name: String(i + 1), about: passage, fields: numbered };
  });
  return { ...field, kind: "items", items: groups };
}

function figureField({ type, minimum, maximum }, field) {
  if (Object.values(SOURCES).includes(field.name)) return { ...field, kind: "from" };
  const isScale = type === "integer" && maximum - minimum < MAX_BUTTONS;
  return { ...field, kind: isScale ? "points" : "number", low: minimum, high: maximum, isWhole: type === "integer" };
}

function textField({ minLength = 0, maxLength = Infinity }, field, { material, inRow }) {
  const { name } = field;
  if (NAMES.has(name)) {
    return { ...field, kind: "pick", options: namesFor(name, material), isRequired: name !== "continues" };
  }
  const isRequired = minLength > 0 || inRow || REQUIRED.has(name);
  const least = Math.max(minLength, isRequired ? 1 : 0);
  const isQuote = QUOTES.has(name);
  const neededWith = isQuote && !isRequired ? NEEDED_WITH[material.purpose] : undefined;
  return { ...field, kind: isQuote ? "quote" : "text", isRequired, neededWith, least, most: maxLength };
}

/** The names that an answer may give, with what each of them stands for. */
function namesFor(name, { speeches, register, about, terms }) {
  const premises = register.filter(({ kind }) => kind === "premise");
  const claims = register.filter(({ kind }) => kind !== "premise" && kind !== "passage");
  const shown = (entries) => entries.map((each) => ({ value: each.name, text: each.text }));
  if (name === "cites") {
    const turns = speeches.map((each) => ({ value: `turn ${each.name}`, text: "" }));
    return [...turns, ...shown(premises), ...shown(claims)];
  }
  if (name === "continues") {
    const parts = terms.filter((term) => term.part_of === "continues");
    return [...shown(claims), ...parts.map((each) => ({ value: each.name, text: each.asks }))];
  }
  const speaker = speeches.find((each) => each.name === about[0])?.speaker;
  if (name === "answered") return shown([...premises, ...claims].filter((each) => each.speaker !== speaker));
  return shown(premises.filter((each) => !speaker || each.speaker === speaker));
}

/** Groups with the same members, such as scores, standings and notes by turn, become one group for each member. */
function byItem(fields, { about }) {
  if (fields.every(({ kind, name }) => kind === "group" && about.includes(name))) {
    return [{ kind: "items", path: [], name: "items", items: fields }];
  }
  const namesOf = ({ kind, fields: inner }) => kind === "group" && inner.map((each) => each.name).join("\n");
  const alike = fields.filter((field) => namesOf(field) && fields.some((other) => {
    return other !== field && namesOf(other) === namesOf(field);
  }) && !isAboutSpeakers(field));
  if (alike.length === 0) return fields;
  const items = alike[0].fields.map(({ name }, i) => {
    return { kind: "group", path: [name], name, fields: alike.map((each) => ({ ...each.fields[i], name: each.name })) };
  });
  const at = fields.indexOf(alike[0]);
  const others = fields.filter((field) => !alike.includes(field));
  return others.toSpliced(at, 0, { kind: "items", path: [], name: "items", items });
}

/** Whether a group stands for Speaker A or B: these stay whole. */
const isAboutSpeakers = ({ name }) => name === "A" || name === "B";

/**
 * An answer in which nothing is given yet.
 * @param {Field} field
 * @returns {any} Undefined for a choice and for a number.
 */
export function blank(field) {
  const answer = {};
  for (const each of leaves(field)) {
    const value = { rows: [], picks: [], text: "", quote: "", fixed: each.value }[each.kind];
    if (value !== undefined) put(answer, each.path, value);
    else if (each.kind === "pick" && !each.isRequired) put(answer, each.path, "");
  }
  return field.kind === "group" ? answer : at(answer, field.path);
}

/**
 * The fields that hold a value, in the order of the form.
 * @param {Field} field
 * @returns {Field[]}
 */
export function leaves(field) {
  if (field.kind === "group") return field.fields.flatMap(leaves);
  return field.kind === "items" ? field.items.flatMap(leaves) : [field];
}

/**
 * The value at a place of an answer.
 * @param {any} answer
 * @param {(string | number)[]} path
 * @returns {any}
 */
export const at = (answer, path) => path.reduce((value, part) => value?.[part], answer);

/**
 * Sets the value at a place of an answer; `undefined` removes it.
 * @param {any} answer
 * @param {(string | number)[]} path
 * @param {any} value
 */
export function put(answer, path, value) {
  let around = answer;
  for (const [i, part] of path.slice(0, -1).entries()) {
    around = around[part] ??= typeof path[i + 1] === "number" ? [] : {};
  }
  if (value === undefined) delete around[path.at(-1)];
  else around[path.at(-1)] = value;
}

/**
 * What is wrong with an answer, in the order of the form. The server checks the quotes as well.
 * @param {Field} field
 * @param {any} answer
 * @returns {{path: (string | number)[], message: string}[]}
 */
export function faultsOf(field, answer) {
  return leaves(field).flatMap((each) => {
    const value = at(answer, each.path);
    const message = faultOf(each, value) || (isNeeded(each, answer) && !value ? neededFault(each) : "");
    if (message) return [{ path: each.path, message }];
    if (each.kind !== "rows") return [];
    return value.flatMap((row, i) => {
      return faultsOf(each.item, row).map((inner) => ({ ...inner, path: [...each.path, i, ...inner.path] }));
    });
  });
}

/** Whether a quote that is not always needed is needed with what stands beside it. */
function isNeeded({ path, neededWith }, answer) {
  const beside = neededWith && at(answer, [...path.slice(0, -1), neededWith]);
  return Boolean(beside) && beside !== "beside_the_point";
}

const neededFault = ({ neededWith }) => (neededWith === "points" ? FAULTS.wordsOrNoPoints : FAULTS.words);

/**
 * The parts of an answer whose words are limited, with what they have.
 * @param {any} answer
 * @param {Material} material
 * @returns {{path: string[], count: number, most: number}[]}
 */
export function wordCounts(answer, { most_words: limits = {} }) {
  return Object.entries(limits).map(([place, most]) => {
    const path = place ? place.split(".") : [];
    return { path, most, count: textsOf(at(answer, path)).reduce((sum, text) => sum + countWords(text), 0) };
  });
}

function textsOf(value) {
  if (typeof value === "string") return [value];
  return value && typeof value === "object" ? Object.values(value).flatMap(textsOf) : [];
}

/**
 * The speech that an item of the form answers, shown within it: the argument that is examined, the question put.
 * @param {Field} item
 * @param {Material} material
 */
export function answeredBy({ name }, { purpose, speeches }) {
  if (purpose === "cross") return speeches.find((each) => each.name === name);
  return purpose === "answer" ? speeches.find((each) => each.kind === "answer" && each.answers === name) : undefined;
}

function faultOf(field, value) {
  switch (field.kind) {
    case "choice":
      return field.options.includes(value) ? "" : FAULTS.choose;
    case "pick":
      if (!value) return field.isRequired ? FAULTS.choose : "";
      return field.options.some((each) => each.value === value) ? "" : FAULTS.choose;
    case "points":
    case "number":
      return isOnScale(field, value) ? "" : FAULTS.scale(field);
    case "text":
    case "quote":
      return textFault(field, value ?? "");
    case "rows":
    case "picks":
      if ((value?.length ?? 0) < field.least) return FAULTS.atLeast(field.least);
      return (value?.length ?? 0) > field.most ? FAULTS.atMost(field.most) : "";
    default:
      return "";
  }
}

function isOnScale({ low = -Infinity, high = Infinity, isWhole }, value) {
  return Number.isFinite(value) && value >= low && value <= high && (!isWhole || Number.isInteger(value));
}

function textFault({ kind, least, most }, value) {
  const length = [...value].length;
  if (kind === "quote" && least && !value.trim()) return FAULTS.words;
  if ([...value.trim()].length < least) return least === 1 ? FAULTS.write : FAULTS.longer(least);
  return length > most ? FAULTS.shorter(most, length) : "";
}

/**
 * The speeches from which a quote may be chosen.
 * @param {string} name The quote's property.
 * @param {Record<string, any>} item What the quote is part of.
 * @param {Material} material
 * @returns {string[]} Names of speeches.
 */
export function sourcesOf(name, item, { purpose, speeches, about, register }) {
  if (purpose === "evidence") return [register[item.number - 1]?.name].filter(Boolean);
  const names = speeches.map((each) => each.name);
  if (name === "fails" && purpose === "gaps") return names.filter((each) => Number(each) < Number(about[0]));
  if (purpose === "assess") {
    const speaker = speeches.find((each) => each.name === item.argument)?.speaker;
    const isAbout = (each) => each.answers === item.argument || each.speaker === speaker;
    return speeches.filter(isAbout).map((each) => each.name);
  }
  return ["score", "claims", "premises", "gaps"].includes(purpose) ? about : names;
}

/**
 * The property that says which turn a quote comes from; undefined if the answer has none.
 * @param {string} name The quote's property.
 * @param {Field} item The group of the quote.
 * @returns {string | undefined}
 */
export function sourceField(name, item) {
  return item.fields.some((each) => each.kind === "from" && each.name === SOURCES[name]) ? SOURCES[name] : undefined;
}
