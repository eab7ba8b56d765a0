/** Tooltips: what a term means, as the glossary of the docs has it, where the pointer or the focus rests on one. */

import { api } from "./api.js";

/** Longer texts are no terms. */
const MAX_LENGTH = 40;
/** Elements that can be a term. */
const NAMES = "a, b, span, th, td, dt, dd, summary, figcaption, h2, h3, p.label, option, legend";

/** A term is found in any case and number, and its digits stand for all digits: C2.1 is C5.3. */
const key = (text) => text.toLowerCase().replace(/\d+/g, "#").trim();

/** Forms under which a text may be known: as it is, without a figure at its end or its start, and in the singular. */
function formsOf(text) {
  const whole = key(text);
  const plain = whole.replace(/^[\s#+−–.]+|[\s#+−–.:]+$/g, "");
  return [whole, plain, plain.replace(/s$/, "")];
}

/** Gives an element that is a term its tooltip; the glossary is fetched for the first one. */
export function terms() {
  let fetching = null;

  async function explain({ target }) {
    const element = target.closest?.(NAMES);
    if (!element || element.title || element.textContent.length > MAX_LENGTH) return;
    fetching ??= api.terms().then(({ terms: known }) => {
      return new Map(Object.entries(known).map(([term, means]) => [key(term), means]));
    });
    const known = await fetching.catch(() => new Map()); // The page does without tooltips.
    const found = formsOf(element.textContent).find((form) => known.has(form));
    if (found) element.title = known.get(found);
  }

  for (const type of ["pointerover", "focusin"]) document.addEventListener(type, explain, { passive: true });
}
