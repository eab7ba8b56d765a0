/** Who leads, under the head of a debate: the bar, and one sentence with what moved it last, as its format has it. */

import { $, changeDetector, eventLink, h, hiddenText } from "../parts/dom.js";
import { isMissing, plain } from "../words/formatting.js";
import { LEAD, SIDES, SIGN } from "../words/words.js";

/** The most that a side's total can be in a protocol: a mean of at most 10, times three arguments. */
const TOTAL_MAXIMUM = 30;

/** The head of the page covers this much. */
const HEAD = "-60px 0px 0px";
/** Where a headline goes on in smaller type. */
const FIRST_PART = /^(.*?)([:,] )(.+)$/s;
/** What follows a headline: its mark, a sentence, and the others, which stand below the transcript. */
const NEXT = /^([:,.]? ?)(.*?[.!?])(\s.*)?$/s;
/** A sentence with the means alone: the bar of the card has them. */
const MEANS = /^Pro [\d.]+, Con [\d.]+\.$/;
const ENDING = "#ending";

/**
 * The bar and the sentence in `root`, and the outcome in its card. While the card is in view, they do not repeat it.
 * @param {HTMLElement} root
 * @param {(position: number) => void} go
 * @returns {{show(view: View): void}}
 */
export function lead(root, go) {
  const isChanged = changeDetector();
  const sentence = $("#lead", root);
  const inView = new IntersectionObserver(([{ isIntersecting }]) => root.classList.toggle("told", isIntersecting),
    { rootMargin: HEAD });
  inView.observe($(ENDING));
  const link = (position, words) => h("a", eventLink(position, go), words, " ", LEAD.see);

  function show(view) {
    const content = CONTENTS[view.format];
    if (!content || !isChanged(view.lead, view.scorecard, view.protocol, view.panel, view.outcome)) return;
    const [position, move] = Object.entries(view.lead.moves).at(-1) ?? [];
    showOutcome(view);
    root.classList.toggle("ended", Boolean(view.outcome));
    sentence.hidden = false;
    const isMoveShown = move && !ending(view); // The end needs the room.
    sentence.dataset.kind = isMoveShown ? kindOf(move) : "";
    const parts = content(view, link).flat().filter(Boolean);
    if (isMoveShown) parts.push(link(Number(position), LEAD.moved(move, view.turns)));
    sentence.replaceChildren(...parts.flatMap((part, i) => (i ? [h("span.quiet", {}, " · "), part] : [part])));
  }

  return { show };
}

/** `dock` if an earlier turn lost points, `raise` if a turn gained some. */
function kindOf({ turn, during, applied }) {
  if (!applied) return "";
  if (applied > 0) return "raise";
  return turn < during ? "dock" : "";
}

/** Who leads, or that it is open: within the tie the two sides are level, and a lead that is not sure names no side. */
function leader({ lead: { side, points, is_close: isClose, within_noise: isWithin, spread }, scorecard }, none) {
  if (!side) return h("span.quiet", {}, none);
  const { noise, certainty } = scorecard;
  const sure = range({ isWithin, noise, spread, certainty });
  const ahead = h(`b.${side}`, {}, LEAD.leads(side, points));
  if (!isClose || !points) return h("span", {}, ahead, sure);
  const open = certainty === undefined ? [LEAD.level, LEAD.closeTitle] : [LEAD.unsure, LEAD.unsureTitle];
  return h("span", {}, h("b", { title: open[1] }, open[0]), " (", ahead, sure && h("span.unsure", {}, sure), ")");
}

/** How sure a lead is; empty if not known. */
function range(known) {
  const [words, title] = uncertainty(known);
  return words && h("span", { title }, words[0], h("span.long", {}, words[1]), words[2]);
}

/** How sure a lead is: three parts, of which phones leave out the second, and what it means. Empty if not known. */
function uncertainty({ isWithin, noise, spread, certainty }) {
  if (certainty !== undefined) return [LEAD.sure(certainty), LEAD.sureTitle];
  if (isWithin !== undefined) return [LEAD.noise(isWithin, noise), LEAD.noiseTitle];
  return spread ? [LEAD.spread(spread), LEAD.spreadTitle] : [];
}

/** The card of the outcome: the headline, its second part in smaller type, and the sentences that follow it. */
function showOutcome({ outcome, conclusion }) {
  const card = $(ENDING);
  card.hidden = !outcome;
  if (!outcome) return;
  const { headline, text } = outcome;
  const [, first, mark, rest] = FIRST_PART.exec(headline) ?? [headline, headline];
  const [, next, sentence, others] = NEXT.exec(text.slice(headline.length)) ?? [];
  card.dataset.winner = conclusion.winner;
  $("#outcome", card).replaceChildren(...[
    h("b", { id: "headline" }, first, rest && [hiddenText(mark), h("small", {}, rest)]),
    sentence && h(MEANS.test(sentence) ? "span.visually-hidden" : "span.how", {},
      hiddenText(next), sentence, others && hiddenText(others)),
  ].filter(Boolean));
}

/** The end in the words of the server. */
function ending({ conclusion, outcome }) {
  if (!outcome) return null;
  const sign = SIGN[conclusion.winner];
  return h(`b.ending.${conclusion.winner}`, {}, sign && `${sign} `, outcome.headline);
}

/** The means at the end, and how sure their difference is. */
function means({ lead: { within_noise: isWithin, spread }, scorecard }) {
  const figures = SIDES.map((side) => scorecard[side].composite);
  const sure = range({ isWithin, spread, noise: scorecard.noise });
  return !figures.some(isMissing) && h("span", {}, LEAD.means(figures), sure);
}

/** What bar each format has: its parts in order. */
const CONTENTS = {
  exchange(view, link) {
    if (view.outcome) return [ending(view), means(view)];
    return [leader(view, LEAD.none), raters(view.panel, link)];
  },

  protocol(view, link) {
    const { assessment, positions } = view.protocol;
    if (!assessment) {
      if (view.outcome) return [ending(view)];
      const { upheld } = view.lead;
      return [h("span.quiet", {}, upheld ? LEAD.upheld(upheld.pro, upheld.con) : LEAD.notWeighed)];
    }
    const totals = SIDES.map((side) => (isMissing(assessment[`${side}_total`]) ? null : assessment[`${side}_total`]));
    return [
      ending(view),
      !view.outcome && leader(view, LEAD.noTotals),
      link(positions.assessment, LEAD.totals(totals, TOTAL_MAXIMUM)),
      !view.outcome && raters(view.panel, link),
    ];
  },

  deliberation({ panel, lead: { opinions } }, link) {
    const { raters: seats = {}, verdict } = panel;
    return [
      verdict && h("b", {}, verdict.verdict ? LEAD.verdict(verdict.verdict) : LEAD.noVerdict),
      h(verdict ? "span.quiet" : "span", {},
        opinions ? LEAD.opinions(opinions) : LEAD.noOpinions(Object.keys(seats).length)),
      !verdict && lastChange(panel, link), // The end needs the room.
    ];
  },
};

/** What the panel of a debate holds, once it has concluded; before that, the rater that changed its opinion last. */
function raters(panel, link) {
  const { conclusion, positions } = panel ?? {};
  if (!conclusion) return panel?.rounds ? lastChange(panel, link) : null;
  return link(positions.conclusion, LEAD.panel(conclusion));
}

function lastChange({ rounds = {}, positions, raters: seats = {} }, link) {
  const [round, { changes } = {}] = Object.entries(rounds).findLast(([, each]) => each.changes.length) ?? [];
  if (!round) return null;
  const last = changes.at(-1);
  return link(positions[`round:${round}`], LEAD.changed(seats[last.rater]?.seat.title ?? plain(last.rater), last));
}
