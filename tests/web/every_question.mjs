/** Fills the form of every question that it reads from its input; writes the answers. tests/server/people runs it. */

import { readFileSync } from "node:fs";

import {
  at, blank, faultsOf, fieldsOf, leaves, passagesOf, put, sourceField, sourcesOf,
} from "../../web/seat/fields.js";
import { hint, label, option, question } from "../../web/words/asked.js";

/** Gives every field of a group the least that it needs, and one row to every list. */
function fill(group, answer, material) {
  for (const field of leaves(group)) put(answer, field.path, given(field, group, answer, material));
  return answer;
}

function given(field, group, answer, material) {
  switch (field.kind) {
    case "choice":
      if (field.options.some((value) => !option(value, material))) throw new Error(`no words for ${field.name}`);
      return field.options[0];
    case "points":
    case "number":
      return field.low ?? 1;
    case "text":
      return "x".repeat(Math.max(field.least, 1));
    case "quote":
      return words(field, group, answer, material);
    case "pick":
      return field.options[0]?.value ?? "";
    case "picks":
      return field.options.slice(0, 1).map(({ value }) => value);
    case "rows":
      return isPossible(field) ? [row(field.item, material)] : [];
    case "from":
    case "fixed":
      return at(answer, field.path);
    default:
      throw new Error(`no way to fill ${field.kind}`);
  }
}

/** Whether a row can be complete: a premise can only be named if there is one. */
const isPossible = ({ item }) => leaves(item).every((each) => {
  return !(each.kind === "pick" && each.isRequired) && each.kind !== "picks" ? true : each.options.length > 0;
});

const row = (item, material) => (item.kind === "group" ? fill(item, {}, material) : "x");

function words(field, group, answer, material) {
  const around = at(answer, field.path.slice(0, -1)) ?? {};
  const name = sourcesOf(field.name, around, material).at(-1);
  const source = group.kind === "group" && sourceField(field.name, group);
  if (source) put(answer, [...field.path.slice(0, -1), source], Number(name));
  const texts = [...material.speeches, ...passagesOf(material)];
  return texts.find((each) => each.name === name)?.text.slice(0, 40) ?? "";
}

const found = JSON.parse(readFileSync(0, "utf-8")).map(({ name, schema, material }) => {
  const fields = fieldsOf(schema, material);
  const shown = leaves(fields);
  const words = { ...question(material), labels: shown.map((each) => label(each, material) + hint(each)) };
  const empty = blank(fields);
  const emptyFaults = faultsOf(fields, empty);
  const answer = fill(fields, blank(fields), material);
  const places = shown.map(({ path, kind }) => ({ path, kind }));
  return { name, words, answer, faults: faultsOf(fields, answer), empty, emptyFaults, places };
});
process.stdout.write(JSON.stringify(found));
