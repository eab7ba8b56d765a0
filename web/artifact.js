/** A text that a panel judged: the verdict, every opinion, the rounds, and the text itself. */

import { found, grounds, deliberation, stance } from "./deliberation.js";
import { h } from "./dom.js";
import { listed, marked, more, replaced, verdictWord } from "./parts.js";
import { recordWords } from "./panel.js";
import { VERDICT, count, figure, percent } from "./words.js";

/** The artifact in `root`; `go(position)` moves the cursor. */
export function artifact(root, go) {
  const body = h("div.artifact");
  root.append(body);
  let last = {};
  return {
    show(view, _, { head }) {
      const running = head && view.state === "open";
      if (last.panel === view.panel && last.running === running) return;
      last = { panel: view.panel, running };
      replaced(body, [outcome(view, running), opinions(view.panel),
        deliberation(view.panel, go, "What each persona said on its own stays the verdict of record; the verdict after deliberation stands beside it."), text(view)]);
    },
    place(event) {
      return event.type === "opinion_given" ? document.getElementById(`persona-${event.rater}`)
        : event.type === "deliberation_held" ? document.getElementById(`round-${event.round}`) : event.type === "artifact_judged" ? document.getElementById("verdict") : null;
    },
  };
}

function outcome({ panel: { verdict, raters, opinions: said }, state }, running) {
  if (!verdict) {
    const done = Object.keys(said["0"] ?? {}).length;
    return h("p.empty", {}, `${done} of ${count(Object.keys(raters ?? {}).length, "persona")} have judged on their own.`, running && h("span.doing.going", {}, " The others are reading"), state !== "open" && state !== "paused" && " No verdict was reached.");
  }
  if (verdict.missing) return h("section.artifact-verdict", { id: "verdict" }, h("p.label", {}, "The verdict"), h("p.winner", {}, "No verdict"), h("p", {}, verdict.missing.reason));
  return h("section.artifact-verdict", { id: "verdict", "aria-label": "The verdict" },
    h("div.lanes", {},
      side("After deliberation", verdict.verdict, verdict.shares, verdict.agreement, "big"),
      side("Independent, the verdict of record", verdict.independent, verdict.independent_shares, verdict.independent_agreement, "")),
    verdict.reasons.length > 0 && h("ul.reasons-list", {}, ...verdict.reasons.map((each) => h("li", {}, each))),
    h("p.quiet", {}, verdict.converged ? "The personas converged." : "The personas did not converge."),
    h("div.after", {}, listed("Findings", verdict.findings), listed("Remediation", verdict.remediation)));
}

function side(title, verdict, shares, agreement, size) {
  return h(`div.stands${size ? `.${size}` : ""}`, {}, h("p.label", {}, title), h("p.winner", {}, verdictWord(verdict)), weights(shares),
    typeof agreement === "number" && h("p.quiet", {}, `Agreement ${figure(agreement)} of 1.`));
}

function weights(shares) {
  const all = Object.entries(shares).sort(([, a], [, b]) => b - a);
  const bar = h("div.shares", { "aria-hidden": "true" }, ...all.map(([name]) => h(`i.${name.toLowerCase()}`)));
  all.forEach(([, share], i) => { bar.children[i].style.width = `${share * 100}%`; });
  return h("div", {}, bar, h("p.quiet", {}, all.map(([name, share]) => `${VERDICT[name] ?? name} ${percent(share)}`).join(" · ")));
}

function opinions({ raters, opinions: said }) {
  return h("section.personas", { "aria-labelledby": "personas-title" }, h("h3", { id: "personas-title" }, "Who judged"),
    ...Object.entries(raters ?? {}).map(([name, { seat }]) => {
      const rounds = Object.keys(said).filter((number) => said[number][name]).sort((a, b) => a - b);
      const newest = rounds.findLast((number) => !said[number][name].missing) ?? rounds.at(-1);
      const each = said[newest]?.[name];
      const first = said["0"]?.[name];
      return h("article.persona", { id: `persona-${name}` },
        h("header", {}, h("h4", {}, seat.title), h("span.quiet", {}, [typeof seat.share === "number" && `weight ${percent(seat.share)}`, seat.model, seat.record.of > 0 && recordWords(seat.record)].filter(Boolean).join(" · "))),
        each ? h("p.stance", {}, ...stance(each), newest !== "0" && first && h("span.quiet", {}, ` after round ${newest}; on its own: ${VERDICT[first.verdict] ?? "no verdict"}`)) : h("p.quiet", {}, `Reads for ${seat.focus}.`),
        seat.caveat && h("p.caveat", {}, seat.caveat),
        each && [...grounds(each), ...found(each)],
        rounds.filter((number) => number !== newest).map((number) => more(`said-${name}-${number}`, number === "0" ? "What it said on its own" : `What it said in round ${number}`, h("p.stance", {}, ...stance(said[number][name])), ...grounds(said[number][name]), ...found(said[number][name]))));
    }));
}

function text({ artifact: { name, text: words, digest } = {}, panel: { opinions: said } }) {
  if (words === undefined) return null;
  const quotes = Object.entries(said).flatMap(([round, all]) => Object.entries(all).filter(([, each]) => each.verified).map(([rater, each]) => ({ name: `${rater}/${round}`, words: each.quote })));
  return more("text", `${name}, ${count(words.length, "character")}`, h("p.quiet", {}, `SHA-256 ${digest}`), h("pre.text", { tabindex: "0" }, ...marked(words, quotes, "quoted")));
}
