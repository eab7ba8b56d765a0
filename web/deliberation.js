/** Rounds in which judges read each other: how agreement moved, who changed, and by what. */

import { course } from "./charts.js";
import { h } from "./dom.js";
import { more, verdictWord } from "./parts.js";
import { capital, count, figure, isMissing, number, percent, plain } from "./words.js";

/** The rounds of a panel; nothing before the first has begun. */
export function deliberation({ rounds, opinions, moved, raters }, go, record = "The scores that each rater gave on its own stay the verdict of record: nothing here changes the outcome.") {
  const numbers = [...new Set([...Object.keys(rounds), ...Object.keys(opinions)])].filter((number_) => number_ !== "0").sort((a, b) => a - b);
  if (!numbers.length) return null;
  const held = numbers.map((number_) => rounds[number_]).filter(Boolean);
  const { evidence = 0, conformity = 0 } = moved;
  return h("section.deliberation", { id: "deliberation", "aria-labelledby": "deliberation-title" }, h("h3", { id: "deliberation-title" }, "Deliberation"),
    h("p", {}, record),
    held.length > 0 && h("div.lanes", {}, course(held),
      h("p.moved", {}, h("b", {}, evidence + conformity === 0 ? "Nobody changed their mind. " : `${count(evidence + conformity, "change")} of mind: `),
        evidence + conformity > 0 && `${evidence} by evidence, that is with words quoted that were checked and not named before; ${conformity} by conformity, that is without any. `,
        held.at(-1).ended && `It ended: ${held.at(-1).ended}.`)),
    ...numbers.map((number_) => round(number_, rounds[number_], opinions[number_] ?? {}, raters, go)));
}

function round(number_, held, said, raters, go) {
  const title = (name) => raters[name]?.seat.title ?? plain(name);
  return h("div.round", { id: `round-${number_}` },
    h("h4", {}, `Round ${number_}`, held && h("span.quiet", {}, isMissing(held.after) ? `: agreement ${figure(held.before)}, then ${held.after.missing.reason}` : `: agreement ${figure(held.before)} → ${figure(held.after)}`)),
    held && held.changes.length > 0 && h("ul.changes", {}, ...held.changes.map((each) => h("li", { "data-kind": each.kind },
      h("b", {}, title(each.rater)), ": ", verdictWord(each.from), " → ", verdictWord(each.to), each.kind === "evidence" ? " by evidence " : " by conformity, no new words named ",
      each.quote && h("q", {}, each.quote)))),
    held && held.changes.length === 0 && h("p.quiet", {}, "Nobody changed their verdict."),
    more(`round-${number_}`, `What each said in round ${number_}`,
      held?.disagreements.length > 0 && h("p.quiet", {}, "They differed on ", held.disagreements.map((each) => `${each.dimension ? plain(each.dimension) : "the verdict"} (${Object.entries(each.positions).map(([name, position]) => `${plain(name)} ${typeof position === "number" ? number(position) : position}`).join(", ")})`).join("; "), "."),
      h("ul.opinions", {}, ...Object.entries(said).map(([name, each]) => h("li", {}, h("p", {}, h("b", {}, title(name)), " ", ...stance(each)), ...grounds(each))))));
}

export function stance(each) {
  if (each.missing) return [h("span.quiet", {}, `gave no opinion: ${each.missing.reason}`)];
  return [verdictWord(each.verdict), typeof each.confidence === "number" && h("span.quiet", {}, ` confidence ${percent(each.confidence)}`)];
}

/** What an opinion rests on. */
export function grounds(each) {
  return [
    each.rationale && h("p.grounds", {}, each.rationale),
    each.quote && h("p.quote", {}, h("q", {}, each.quote), each.verified ? h("span.quiet", {}, " found in the text") : h("span.unverified", {}, "not found in the text")),
    Object.keys(each.scores).length > 0 && h("p.scores", {}, ...Object.entries(each.scores).map(([name, value]) => h("span", {}, `${plain(name)} `, h("b", {}, number(value))))),
    Object.keys(each.absent).length > 0 && h("p.quiet", {}, "Not there: ", Object.entries(each.absent).map(([what, why]) => `${plain(what)} (${why})`).join("; ")),
  ].filter(Boolean);
}

export function found({ findings, remediation }) {
  return [findings, remediation].map((all, i) => all?.length > 0 && h("div", {}, h("p.label", {}, i ? "Remediation" : "Findings"), h("ul.plain", {}, ...all.map((text) => h("li", {}, capital(text)))))).filter(Boolean);
}
