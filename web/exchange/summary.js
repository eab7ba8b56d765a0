/** A concluded exchange at the top of its page: the verdicts, what the rules did, and the key moments. */

import { changeDetector, eventLink, h } from "../parts/dom.js";
import { placeLink } from "../parts/widgets.js";
import { SIGN, SUMMARY, VERDICTS } from "../words/words.js";
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
    h("div.headline", {},
      scorecard && part(SUMMARY.scorecard, winnerLine(scorecard.winner), scorecardFacts(scorecard, view)),
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

/** Whom the reading names, with a link to it; its first sentence where that speaks for the outcome. */
function reading(narrative, view) {
  if (narrative.missing) return [h("p.quiet", {}, VERDICTS.missing(narrative.missing.reason))];
  const { winner, flipped, explanation } = narrative;
  const isForIt = !flipped && ["neither", view.conclusion.winner].includes(winner);
  const [sentence] = FIRST_SENTENCE.exec(explanation) ?? [explanation];
  return [
    winnerLine(winner),
    narrativeFacts(narrative),
    h("p", {}, isForIt && [named(sentence, speakerA(view)), " "], placeLink("narrative", SUMMARY.all)),
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
