/** The decision briefing: what a person who must decide may take from a debate. */

import { h } from "./dom.js";
import { sentence } from "./panel.js";
import { listed, toPlace } from "./parts.js";
import { anchor, capital, isMissing } from "./words.js";

const LISTS = [
  ["rely_on", "Rely on", "✓", "No argument was upheld."],
  ["with_care", "Treat with care", "◐", ""],
  ["do_not_use", "Do not use", "✕", ""],
  ["still_open", "Still open", "?", ""],
];

/** A briefing in `root`, once there is one. */
export function briefing(root) {
  let last = {};
  return {
    show(view) {
      const { protocol, panel } = view;
      if (last.protocol === protocol && last.panel === panel) return;
      last = { protocol, panel };
      root.hidden = !protocol.briefing;
      root.replaceChildren(...(protocol.briefing ? made(protocol.briefing, view).filter(Boolean) : []));
    },
  };
}

function made(each, view) {
  return [
    h("header", {}, h("h2", { id: "briefing-title" }, "Decision briefing"),
      h("button.print", { type: "button", on: { click: () => print() } }, "Print")),
    view.panel.conclusion && h("p.caveat", {}, h("b", {}, sentence(view.panel)), " The figures that follow are the judge’s, not the panel’s. ", toPlace("panel", "The panel")),
    h("p.meaning", {}, `${capital(each.meaning)}.`),
    isMissing(each.gap) && h("p.quiet", {}, `No gap: ${each.gap.missing.reason}.`),
    each.key_insight && h("p.insight", {}, each.key_insight),
    each.recommendation && h("div.recommended", {}, h("p.label", {}, "Recommendation"), h("p", {}, each.recommendation)),
    h("div.take", {}, ...LISTS.filter(([name, , , none]) => each[name].length || none).map(([name, title, sign, none]) => h(`section.${name}`, {},
      h("h3", {}, h("i", { "aria-hidden": "true" }, sign), ` ${title}`),
      each[name].length ? h("ul", {}, ...each[name].map((item) => h("li", {}, named(item, view)))) : h("p.quiet", {}, none)))),
    h("div.after", {},
      listed("Unresolved", each.unresolved.filter((text) => !each.find_out.includes(text))),
      listed("What to find out", each.find_out), listed("Cautions", each.cautions)),
  ];
}

function named(item, view) {
  const argument = view.protocol.arguments[item];
  return argument ? [toPlace(anchor(item), item), " ", h("span.thesis", {}, argument.claim)] : item;
}
