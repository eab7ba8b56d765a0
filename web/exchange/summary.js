/** A concluded exchange at the top of its page: the verdicts, what the rules did, and the key moments. */

import { changeDetector, eventLink, h } from "../parts/dom.js";
import { capital } from "../parts/formatting.js";
import { placeLink } from "../parts/widgets.js";
import { SIGN, SUMMARY, VERDICTS, outcomeWords } from "../words/words.js";
import { firstSide, named } from "./labels.js";
import { lossAt } from "./losses.js";
import { narrativeFacts, scorecardFacts, speakerA, winnerLine } from "./verdicts.js";

const FIRST_SENTENCE = /^.*?[.!?](?=\s|$)/s;

/**
 * The summary in `root`.
 * @param {HTMLElement} root
 * @param {(position: number) => void} go
 * @returns {{show(view: View): void}}
 */
export function summary(root, go) {
  const isChanged = changeDetector();
  return {
    show(view) {
      if (!isChanged(view.summary)) return;
      root.hidden = !view.summary;
      root.replaceChildren(...(view.summary ? content(view, go) : []));
    },
  };
}

function content(view, go) {
  const { rules, moments } = view.summary;
  const { scorecard, narrative } = view.verdicts;
  return [
    h("h2", { id: "summary-title" }, capital(outcomeWords(view))),
    h("div.headline", {},
      scorecard && part(SUMMARY.scorecard, winnerLine(scorecard.winner, view), scorecardFacts(scorecard, view)),
      narrative && part(SUMMARY.narrative, ...reading(narrative, view)),
      rules && part(SUMMARY.rules, h("p", {}, rules.text))),
    moments.length > 0 && h("h3", { id: "moments-title" }, SUMMARY.moments),
    moments.length > 0 && h("ol.moments", { "aria-labelledby": "moments-title" },
      moments.map((moment) => momentRow(moment, view, go))),
  ].filter(Boolean);
}

function part(title, ...children) {
  return h("section", { "aria-label": title }, h("p.label", {}, title), ...children);
}

/** The winner and the first sentence of the reading, with a link to all of it. */
function reading(narrative, view) {
  if (narrative.missing) return [h("p.quiet", {}, VERDICTS.missing(narrative.missing.reason))];
  const [sentence] = FIRST_SENTENCE.exec(narrative.explanation) ?? [narrative.explanation];
  return [
    winnerLine(narrative.winner, view),
    narrativeFacts(narrative),
    h("p", {}, named(sentence, speakerA(view)), " ", placeLink("narrative", SUMMARY.all)),
  ];
}

function momentRow({ position, side, turn, text, quote, note }, view, go) {
  return h(`li.${side}`, {},
    h("span.sign", { "aria-hidden": "true" }, SIGN[side]),
    h("span", {},
      h("a", eventLink(lossAt(position, view.turns[turn]), go), text),
      quote && h("q", {}, quote),
      !quote && note && h("span.quiet", {}, named(note, firstSide(view)))));
}
