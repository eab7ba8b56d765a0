/** The outcome of an exchange: the bar, the verdicts, the curve with three moments, and everything behind them. */

import { bar } from "../parts/bar.js";
import { curve } from "../parts/curve.js";
import { $, changeDetector, eventLink, h } from "../parts/dom.js";
import { placeLink } from "../parts/widgets.js";
import { signed } from "../words/formatting.js";
import { NAME, SIGN, SUMMARY, VERDICTS } from "../words/words.js";
import { aheadOf, courseOf } from "./course.js";
import { firstSide, named } from "./labels.js";
import { lossAt } from "./losses.js";
import { narrativeFacts, scorecardFacts, speakerA, winnerLine } from "./verdicts.js";

const FIRST_SENTENCE = /^.*?[.!?](?=\s|$)/s;

/**
 * The summary in `root`, which stands in the card of the outcome.
 * @param {HTMLElement} root
 * @param {(position: number) => void} go
 * @param {() => void} play Plays the debate from its start.
 * @returns {{show(view: View): void}}
 */
export function summary(root, go, play) {
  const isChanged = changeDetector();
  const balance = bar();
  return {
    show(view) {
      if (!isChanged(view.summary)) return;
      root.hidden = !view.summary;
      root.replaceChildren(...(view.summary ? content(view, go, play) : []));
      if (!view.summary) return;
      if (!balance.element.isConnected) root.parentElement.prepend(balance.element);
      balance.show(aheadOf(view));
    },
  };
}

function content(view, go, play) {
  const { rules, moments, highlights = [] } = view.summary;
  const { scorecard, narrative } = view.verdicts;
  return [
    h("div.headline", {},
      scorecard && part(SUMMARY.scorecard, winnerLine(scorecard.winner), scorecardFacts(scorecard, view)[0]),
      narrative && part(SUMMARY.narrative, ...reading(narrative, view)),
      rules && part(SUMMARY.rules, h("p", {}, rules.text))),
    course(view, highlights, go),
    highlights.length > 0 && h("ol.highlights", { "aria-label": SUMMARY.highlights },
      highlights.map((each, i) => highlight(each, i + 1, view, go))),
    h("p.acts", {},
      h("button.primary", { type: "button", on: { click: play } }, SUMMARY.watch),
      ["whatif", "menu"].map((id) =>
        h(`button.to-${id}`, { type: "button", on: { click: () => openPlace(id) } }, SUMMARY[id]))),
    moments.length > 0 && h("details.all-moments", {},
      h("summary", { id: "moments-title" }, SUMMARY.moments),
      h("ol.moments", { "aria-labelledby": "moments-title" }, moments.map((moment) => momentRow(moment, view, go)))),
  ].filter(Boolean);
}

function openPlace(id) {
  const place = $(`#${id}`);
  setTimeout(() => {
    place.open = true;
    place.scrollIntoView({ block: "nearest" });
    $("summary", place).focus({ preventScroll: true });
  });
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

function course(view, highlights, go) {
  const { name_at: nameAt } = view.lead;
  const pins = highlights.map(({ position }, i) => ({ position, number: i + 1, go }));
  return h("figure.course", {},
    curve({ points: courseOf(view), end: view.position, nameAt, pins }),
    h("figcaption", {},
      h("b.pro", {}, SIGN.pro), SUMMARY.above, h("b.con", {}, SIGN.con), SUMMARY.below,
      nameAt && SUMMARY.gates(nameAt),
      h("b.dock", {}, "❘"), SUMMARY.ticks));
}

function highlight({ position, turn, heading, points, quotes, note }, number, view, go) {
  return h("li", {},
    h("h3", {},
      h("i", { "aria-hidden": "true" }, String(number)),
      h("span", {}, h("a", eventLink(lossAt(position, view.turns[turn]), go), heading),
        points < 0 && h("span.dock", {}, ` ${signed(points)}`))),
    quotes.map(({ side, turn: where, quote, role }) => h(`blockquote.${side}`, {},
      h("q", {}, h(`mark.${role}`, {}, quote)),
      h("cite", {}, `${SIGN[side]} ${NAME[side]}, turn ${where}`))),
    note && h("p.quiet", {}, named(note, firstSide(view))));
}

function momentRow({ position, side, turn, text, quote, note }, view, go) {
  return h(`li.${side}`, {},
    h("span.sign", { "aria-hidden": "true" }, SIGN[side]),
    h("span", {},
      h("a", eventLink(lossAt(position, view.turns[turn]), go), text),
      quote && h("q", {}, quote),
      !quote && note && h("span.quiet", {}, named(note, firstSide(view)))));
}
