/** A text that a panel judged: the verdict, every opinion, the rounds, and the text itself. */

import { changeDetector, h } from "../parts/dom.js";
import { listed, marked, more, replaceChildren, verdictWord } from "../parts/widgets.js";
import { capital, count, figure, percent } from "../words/formatting.js";
import { ARTIFACT } from "../words/panel.js";
import { VERDICT } from "../words/words.js";
import { deliberation, findings, grounds, stance } from "./deliberation.js";
import { recordWords } from "./panel.js";

/**
 * The artifact in `root`.
 * @param {HTMLElement} root
 * @returns {{show(view: View, speech: unknown, state: {head: boolean}): void, place(event: object): Element | null}}
 */
export function artifact(root) {
  const body = h("div.artifact");
  const isChanged = changeDetector();
  root.append(body);
  return {
    show(view, _, { head }) {
      const isRunning = head && view.state === "open";
      if (!isChanged(view.panel, isRunning)) return;
      replaceChildren(body, [
        outcome(view, isRunning),
        personas(view.panel),
        deliberation(view.panel, ""),
        text(view),
      ]);
    },
    place(event) {
      if (event.type === "opinion_given") return document.getElementById(`persona-${event.rater}`);
      if (event.type === "deliberation_held") return document.getElementById(`round-${event.round}`);
      return event.type === "artifact_judged" ? document.getElementById("verdict") : null;
    },
  };
}

function outcome({ panel: { verdict, raters, opinions, says, dissent, rounds }, state }, isRunning) {
  if (!verdict) {
    const done = Object.keys(opinions["0"] ?? {}).length;
    return h("p.empty", {},
      ARTIFACT.progress(done, count(Object.keys(raters ?? {}).length, "persona")),
      isRunning && h("span.doing.going", {}, ` ${ARTIFACT.othersReading}`),
      !["open", "paused"].includes(state) && ` ${ARTIFACT.notReached}`);
  }
  if (verdict.missing) {
    return h("section.artifact-verdict", { id: "verdict" },
      h("p.label", {}, ARTIFACT.verdict),
      h("p.winner", {}, ARTIFACT.noVerdict),
      h("p", {}, verdict.missing.reason));
  }
  const reasons = verdict.reasons.map((each) => h("li", {}, each));
  const title = (rater) => raters[rater].seat.title;
  const isDeliberated = Object.keys(rounds).length > 0;
  return h("section.artifact-verdict", { id: "verdict", "aria-label": ARTIFACT.verdict },
    h("p.label", {}, ARTIFACT.verdict),
    h("p.winner", {}, verdictWord(verdict.verdict)),
    h("p", {}, says),
    dissent && against(dissent, opinions, title),
    h("div.lanes", {},
      weights(ARTIFACT.weights, verdict.shares, verdict.agreement),
      isDeliberated && weights(ARTIFACT.before, verdict.independent_shares, verdict.independent_agreement)),
    reasons.length > 0 && h("ul.reasons-list", {}, reasons),
    h("div.after", {},
      points(ARTIFACT.findings, verdict.named_findings, verdict.findings, title),
      points(ARTIFACT.remediation, verdict.named_remediation, verdict.remediation, title)));
}

/** The judges that hold another verdict, with their reasons. */
function against(dissent, opinions, title) {
  return h("div.against", {},
    h("p.label", {}, ARTIFACT.against),
    Object.entries(dissent).map(([rater, round]) => {
      const { verdict, rationale, quote } = opinions[round][rater];
      return h("p", {},
        h("b", {}, title(rater)), " ", verdictWord(verdict), rationale && ` ${rationale} `, quote && h("q", {}, quote));
    }));
}

/** Findings, or steps of remediation, each with the judges who named it; the texts alone in logs of before. */
function points(label, named, texts, title) {
  if (!named) return listed(label, texts);
  return listed(label, named, ({ text: words, by, alike = [] }) => [
    capital(words),
    " ",
    h("span.quiet", {}, ARTIFACT.by(by.map(title), alike)),
  ]);
}

function weights(title, shares, agreement) {
  return h("div.stands", {},
    h("p.label", {}, title),
    shareBar(shares),
    typeof agreement === "number" && h("p.quiet", {}, ARTIFACT.agreement(figure(agreement))));
}

function shareBar(shares) {
  const all = Object.entries(shares).sort(([, a], [, b]) => b - a);
  const bar = h("div.shares", { "aria-hidden": "true" }, all.map(([name, share]) => {
    const part = h(`i.${name.toLowerCase()}`);
    part.style.width = `${share * 100}%`;
    return part;
  }));
  const words = all.map(([name, share]) => `${VERDICT[name] ?? name} ${percent(share)}`);
  return h("div", {}, bar, h("p.quiet", {}, words.join(" · ")));
}

function personas({ raters, opinions }) {
  return h("section.personas", { "aria-labelledby": "personas-title" },
    h("h3", { id: "personas-title" }, ARTIFACT.personas),
    Object.entries(raters ?? {}).map(([name, { seat }]) => persona(name, seat, opinions)));
}

function persona(name, seat, opinions) {
  const rounds = Object.keys(opinions).filter((round) => opinions[round][name]).sort((a, b) => a - b);
  const newest = rounds.findLast((round) => !opinions[round][name].missing) ?? rounds.at(-1);
  const opinion = opinions[newest]?.[name];
  const facts = [
    typeof seat.share === "number" && `weight ${percent(seat.share)}`,
    seat.model,
    seat.record.of > 0 && recordWords(seat.record),
  ];
  const details = (each) => [h("p.stance", {}, stance(each)), ...grounds(each), ...findings(each)];
  return h("article.persona", { id: `persona-${name}` },
    h("header", {}, h("h4", {}, seat.title), h("span.quiet", {}, facts.filter(Boolean).join(" · "))),
    opinion
      ? h("p.stance", {}, stance(opinion), ownVerdict(newest, opinions["0"]?.[name]))
      : h("p.quiet", {}, ARTIFACT.focus(seat.focus)),
    seat.caveat && h("p.caveat", {}, seat.caveat),
    opinion && [...grounds(opinion), ...findings(opinion)],
    rounds.filter((round) => round !== newest).map((round) => {
      return more(`said-${name}-${round}`, ARTIFACT.opinion(round), ...details(opinions[round][name]));
    }));
}

function ownVerdict(newest, first) {
  if (newest === "0" || !first) return null;
  return h("span.quiet", {}, ARTIFACT.ownVerdict(newest, VERDICT[first.verdict] ?? "no verdict"));
}

function text({ artifact: { name, text: words, digest, purpose } = {}, panel: { opinions } }) {
  if (words === undefined) return null;
  const quotes = Object.entries(opinions).flatMap(([round, all]) => {
    const verified = Object.entries(all).filter(([, each]) => each.verified);
    return verified.map(([rater, each]) => ({ name: `${rater}/${round}`, words: each.quote }));
  });
  return more("text", `${name}, ${count(words.length, "character")}`,
    purpose && h("p", {}, ARTIFACT.purpose(purpose)),
    h("p.quiet", {}, `SHA-256 ${digest}`),
    h("pre.text", { tabindex: "0" }, marked(words, quotes, "quoted")));
}
