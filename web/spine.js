/** The causal spine: what each side's case stands on, and what became of it. */

import { h } from "./dom.js";
import { NAME, SIGN, anchor, number } from "./words.js";

const STATE = { kept: "kept", revised: "revised", dropped: "dropped in silence" };

/** A lane in `root`; `go(position)` follows a premise. */
export function spine(root, go) {
  let last = {};
  return {
    show(view) {
      if (last.premises === view.premises && last.contradictions === view.contradictions) return;
      last = { premises: view.premises, contradictions: view.contradictions };
      const any = Object.keys(view.premises).length > 0;
      root.hidden = !any;
      if (any) root.replaceChildren(h("h2", {}, "What each case stands on"), h("div.lanes", {}, ...["pro", "con"].map((side) => lane(side, view, go))));
    },
  };
}

function lane(side, view, go) {
  const { stability } = view.spine[side] ?? {};
  const mine = Object.entries(view.premises).filter(([, each]) => each.side === side);
  return h(`section.lane.${side}`, { "aria-label": `Premises of ${NAME[side]}` },
    h("h3", {}, `${SIGN[side]} ${NAME[side]}`, typeof stability === "number" && h("span.quiet", {}, ` ${number(stability * 100)} % of its premises kept`)),
    h("ol", {}, ...mine.map(([name, each]) => h(`li.is-${each.state}`, { id: anchor(name) },
      h("a.id", { href: `#e${each.stated}`, on: { click: (event) => { event.preventDefault(); go(each.stated); } } }, name),
      h("span", {}, each.state === "dropped" ? h("s", {}, each.text) : each.text, h("span.quiet", {}, ` · ${STATE[each.state]}`,
        each.changes.length > 0 && ` in turn ${each.changes.at(-1).turn}`))))),
    ...view.contradictions.filter((each) => each.side === side).map((each) =>
      h("p.contradiction", {}, h("b", {}, `Contradicts ${each.premises.join(", ")} in turn ${Math.max(...each.turns)}: `), each.reason)));
}
