/** The decision briefing: what the person who decides may use from a debate. */

import { changeDetector, h } from "../parts/dom.js";
import { listed, placeLink } from "../parts/widgets.js";
import { anchor, capital, isMissing } from "../words/formatting.js";
import { BRIEFING } from "../words/panel.js";

/**
 * The briefing in `root`, once there is one.
 * @param {HTMLElement} root
 * @returns {{show(view: View): void}}
 */
export function briefing(root) {
  const isChanged = changeDetector();
  return {
    show(view) {
      const { protocol, panel, outcome } = view;
      if (!isChanged(protocol, panel, outcome)) return;
      root.hidden = !protocol.briefing;
      root.replaceChildren(...(protocol.briefing ? content(protocol.briefing, view).filter(Boolean) : []));
    },
  };
}

function content(text, view) {
  const findOut = text.unresolved.filter((each) => !text.find_out.includes(each));
  return [
    h("header", {},
      h("h2", { id: "briefing-title" }, BRIEFING.title),
      h("button.print", { type: "button", on: { click: () => print() } }, BRIEFING.print)),
    view.panel.conclusion && h("p.caveat", {},
      !view.outcome && [h("b", {}, view.panel.says), " "],
      `${BRIEFING.figuresAreTheJudges} `,
      placeLink("panel", BRIEFING.panel)),
    h("p.meaning", {}, `${capital(text.meaning)}.`),
    isMissing(text.gap) && h("p.quiet", {}, BRIEFING.noGap(text.gap.missing.reason)),
    text.key_insight && h("p.insight", {}, text.key_insight),
    text.recommendation && h("div.recommended", {},
      h("p.label", {}, BRIEFING.recommendation),
      h("p", {}, text.recommendation)),
    h("div.lists", {}, BRIEFING.lists.map((list) => argumentList(list, text, view))),
    h("div.after", {},
      listed(BRIEFING.unresolved, findOut),
      listed(BRIEFING.findOut, text.find_out),
      listed(BRIEFING.cautions, text.cautions)),
  ];
}

function argumentList([name, title, sign, none], text, view) {
  const items = text[name];
  if (!items.length && !none) return null;
  return h(`section.${name}`, {},
    h("h3", {}, h("i", { "aria-hidden": "true" }, sign), ` ${title}`),
    items.length > 0 && h("ul", {}, items.map((item) => h("li", {}, argumentName(item, text, view)))),
    !items.length && h("p.quiet", {}, none));
}

function argumentName(item, { standings, limits }, view) {
  const argument = view.protocol.arguments[item];
  if (!argument) return item;
  return [
    placeLink(anchor(item), item), " ", h("span.thesis", {}, argument.claim),
    standings?.[item] && h("p.quiet", {}, `${capital(standings[item])}.`),
    limits?.[item] && h("p.limits", {}, h("b", {}, BRIEFING.limits), limits[item]),
  ];
}
