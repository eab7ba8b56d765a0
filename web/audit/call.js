/** A model call in full, which is loaded when the reader opens one. */

import { h } from "../parts/dom.js";
import { CALL } from "../words/audit.js";
import { grouped, number, plain } from "../words/formatting.js";

/**
 * The exact question and the raw answer of a model call.
 * @param {object} call
 * @returns {HTMLElement[]}
 */
export function callContent(call) {
  const { model, latency_ms: latency, usage, parameters, prompt, reasoning, kind, message, answer } = call;
  const text = (title, content) => [h("h4", {}, title), h("pre", { tabindex: "0" }, content)];
  const tokens = usage && (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0);
  const facts = [
    model,
    latency !== undefined && `${grouped(latency)} ms`,
    usage && `${number(tokens)} tokens${usage.cached_tokens ? `, ${grouped(usage.cached_tokens)} from a cache` : ""}`,
    ...Object.entries(parameters ?? {}).map(([key, value]) => {
      return `${plain(key)} ${typeof value === "object" ? JSON.stringify(value) : value}`;
    }),
  ];
  return [
    h("p.quiet", {}, facts.filter(Boolean).join(" · ")),
    ...prompt.flatMap((part) => text(part.role, part.text)),
    ...(reasoning ? text(CALL.reasoning, reasoning) : []),
    h("h4", {}, kind ? CALL.noAnswer(message) : CALL.answer),
    ...(answer ? [h("pre", { tabindex: "0" }, answer)] : []),
  ];
}
