/** The evidence: passages beside the claims that cite them, and the documents with what was cited of each. */

import { api } from "../parts/api.js";
import { $, changeDetector, h, setText } from "../parts/dom.js";
import { pieces } from "../parts/text.js";
import { more, placeLink, replaceChildren } from "../parts/widgets.js";
import { count } from "../words/formatting.js";
import { NAME, ROUND, roundsOf } from "../words/words.js";
import { firstSide, named } from "./labels.js";

/** An exported file has no server to ask for passages that nothing cites. */
const isCopy = Boolean(globalThis.moot?.copy);
/** The documents of debates, by id. @type {Map<string, Promise<object>>} */
const packs = new Map();
const WORDS = {
  all: (number_) => (number_ === 1 ? "The passage" : `All ${number_} passages`),
  passages: "Cited passages",
  close: "Close",
  page: (page) => `, page ${page}`,
  misread: ", read badly",
  someMisread(number_) {
    return number_ ? ` · ${number_} read badly: words run together, and nothing is charged there` : "";
  },
  unknown: (passage) => `The evidence has no passage ${passage}.`,
  stands: "The quoted words stand in the passage.",
  paraphrased: "No words of the passage are quoted.",
  misquoted: "does not stand in the passage.",
  notFound: "was not found in the passage, whose page was read badly. Nothing is charged for it.",
  nearest: " The sentence that is most like it is marked.",
  elsewhere: (passage) => ` These words stand in passage ${passage}.`,
  relation: {
    supports: "The judge finds that it supports the claim",
    contradicts: "The judge finds that it contradicts the claim",
    beside_the_point: "The judge finds it beside the point",
    undecided: "The judge’s two answers differ",
  },
  orders: {
    supports: "it supports the claim",
    contradicts: "it contradicts the claim",
    beside_the_point: "it is beside the point",
    undecided: "its samples differ",
  },
  undecided: (forward, backward) => {
    return `: with the claim first, ${WORDS.orders[forward]}; with the passage first, ${WORDS.orders[backward]}`;
  },
  compared: "compared with a claim that does not cite it",
  cited: (number_) => (number_ ? `${count(number_, "passage")} cited` : "nothing cited"),
  uncited: "Named without a passage",
  turn: (turn) => `turn ${turn}`,
  finding: {
    verified: "quoted",
    paraphrased: "paraphrased",
    misquoted: "misquoted",
    misread: "not found",
    unknown_passage: "no such passage",
  },
  bears: {
    supports: "supports",
    contradicts: "contradicts",
    beside_the_point: "beside the point",
    undecided: "undecided",
  },
  empty: "No turn has cited a passage yet.",
};

/**
 * The passages of some findings about one mark, with the matched words marked.
 * @param {string[]} names Names of findings: R3.1.
 * @param {View} view
 * @param {() => void} [close] Without it there is no button to close them.
 * @returns {HTMLElement}
 */
export function citedPassages(names, view, close = undefined) {
  const found = names.map((name) => view.evidence.citations[name]).filter(Boolean);
  const byPassage = Map.groupBy(found, ({ passage }) => passage);
  return h("div.passages", { role: "group", "aria-label": WORDS.passages },
    [...byPassage].flatMap(([passage, findings]) => cited(passage, findings, view)),
    close && h("button", { type: "button", on: { click: close } }, WORDS.close));
}

function cited(passage, findings, view) {
  const weighed = weighedOf(findings, view);
  const others = new Set(findings.map(({ found_in: other }) => other).filter(Boolean));
  const spans = [
    ...findings.filter(({ stands }) => stands).map(({ finding, stands }) => ({
      name: finding === "verified" ? "found" : "nearest",
      span: stands,
    })),
    ...weighed.filter(({ relation, stands }) => stands && relation !== "undecided").map(({ stands }) => {
      return { name: "relied", span: stands };
    }),
  ];
  return [
    passage in view.evidence.passages
      ? passageText(passage, spans, view)
      : h("p.finding.bad", {}, WORDS.unknown(passage)),
    ...findings.map((each) => findingWords(each)),
    ...weighed.map((each) => relationWords(each, view)),
    ...[...others].map((other) => passageText(other, [], view)),
  ];
}

const weighedOf = (findings, view) => Object.values(view.evidence.weighed).filter(({ citations }) => {
  return citations.some((name) => findings.some(({ citation }) => citation === name));
});

/** Where a passage comes from: `E3 · ridership.txt, page 2`. */
function source(name, { document: id, page, heading, misread }, view) {
  const { name: file, title } = view.evidence.documents[id];
  const under = heading && heading !== title ? ` · ${heading}` : "";
  const place = `${page ? WORDS.page(page) : ""}${misread ? WORDS.misread : ""}${under}`;
  return [h("b", {}, name), ` · ${title ?? file}${place}`];
}

function passageText(name, spans, view) {
  const passage = view.evidence.passages[name];
  return h("figure.passage", {},
    h("figcaption.quiet", {}, source(name, passage, view)),
    h("blockquote.prose", {}, pieces(passage.text, spans).map(({ text, names }) => {
      return names.length ? h(`mark.${names[0]}`, {}, text) : text;
    })));
}

function findingWords({ finding, quote, found_in: other, stands }) {
  if (finding === "verified") return h("p.finding.good", {}, WORDS.stands);
  if (finding === "paraphrased") return h("p.finding", {}, WORDS.paraphrased);
  const elsewhere = other ? WORDS.elsewhere(other) : "";
  if (finding === "unknown_passage") return elsewhere ? h("p.finding", {}, elsewhere) : null;
  if (finding === "misread") return h("p.finding", {}, h("q", {}, quote), ` ${WORDS.notFound}`);
  const rest = ` ${WORDS.misquoted}${elsewhere || (stands ? WORDS.nearest : "")}`;
  return h("p.finding.bad", {}, h("q", {}, quote), rest);
}

function relationWords({ relation, forward, backward, reason }, view) {
  const kind = { supports: ".good", contradicts: ".bad" }[relation] ?? "";
  const orders = relation === "undecided" ? WORDS.undecided(forward, backward) : "";
  const why = reason && !orders ? `: ${named(reason, firstSide(view))}` : ".";
  return h(`p.finding${kind}`, {}, WORDS.relation[relation], orders, why);
}

/**
 * The documents in `root`, each with the passages that were cited.
 * @param {HTMLElement} root
 * @returns {{show(view: View): void}}
 */
export function evidenceList(root) {
  const body = $("div", root);
  const isChanged = changeDetector();
  return {
    show(view) {
      if (!isChanged(view.evidence)) return;
      root.hidden = !view.evidence;
      replaceChildren(body, view.evidence ? listOf(view) : []);
    },
  };
}

function listOf(view) {
  const { documents, citations, passages } = view.evidence;
  const found = Object.values(citations);
  const outside = found.filter(({ passage }) => !(passage in passages));
  return [
    ...Object.entries(documents).map(([id, each]) => documentPart(id, each, view)),
    !found.length && h("p.empty", {}, WORDS.empty),
    outside.length > 0 && h("div.document", {},
      h("ul", {}, outside.map((each) => h("li", {}, outsideWords(each, view))))),
  ];
}

function documentPart(id, { name, title, passages: number_, misread }, view) {
  const known = Object.entries(view.evidence.passages).filter(([, { document: from }]) => from === id);
  return h("div.document", {},
    h("h3", {}, title ?? name),
    h("p.quiet", {}, `${title ? `${name} · ` : ""}${count(number_, "passage")} · ${WORDS.cited(known.length)}${
      WORDS.someMisread(misread)}`),
    known.map(([passage, each]) => more(`evidence/${passage}`, passage + (each.page ? WORDS.page(each.page) : ""),
      passageText(passage, [], view), usesOf(passage, view))),
    known.length < number_ && !isCopy && allPassages(id, number_, view));
}

/** All passages of a document, fetched when they are opened. */
function allPassages(id, number_, view) {
  const place = h("div");
  const details = more(`evidence/all/${id}`, WORDS.all(number_), place);
  details.addEventListener("toggle", async () => {
    if (!details.open || place.firstChild) return;
    try {
      const evidence = await packOf(view.id);
      const own = Object.entries(evidence.passages).filter(([, { document: from }]) => from === id);
      place.replaceChildren(...own.map(([name]) => passageText(name, [], { evidence })));
    } catch (error) {
      setText(place, error.message);
    }
  });
  return details;
}

/** The documents of a debate with all passages; they do not change. */
function packOf(id) {
  if (packs.has(id)) return packs.get(id);
  const pack = api.evidence(id);
  packs.set(id, pack);
  pack.catch(() => packs.delete(id));
  return pack;
}

/** The turns that cite a passage, and claims that were compared with it. */
function usesOf(passage, view) {
  const { citations, weighed } = view.evidence;
  const cites = Object.values(citations).filter(({ passage: cites_ }) => cites_ === passage);
  const compared = Object.values(weighed).filter((each) => each.passage === passage && !each.citations.length);
  return h("ul", {},
    cites.map((each) => {
      const relations = weighedOf([each], view).map(({ relation }) => WORDS.bears[relation]);
      return h("li", {}, turnLink(each.turn, view), `: ${[WORDS.finding[each.finding], ...relations].join(", ")}`);
    }),
    compared.map(({ turn, relation }) => {
      return h("li", {}, turnLink(turn, view), `: ${WORDS.compared}, ${WORDS.bears[relation]}`);
    }));
}

function outsideWords({ turn, passage, quote }, view) {
  const what = passage ? WORDS.unknown(passage) : [`${WORDS.uncited}: `, h("q", {}, quote)];
  return [turnLink(turn, view), ": ", what];
}

/** A link to a turn; by protocol to the section that has the statement. */
function turnLink(turn, view) {
  if (view.format !== "protocol") return placeLink(`turn-${turn}`, WORDS.turn(turn));
  const { side } = view.turns[turn];
  const round = roundsOf(view)[Math.ceil(turn / 2) - 1];
  const about = (round === "cross_examination") === (side === "pro") ? "con" : "pro";
  return placeLink(round === "closings" ? `closing-${side}` : `case-${about}`, `${NAME[side]}, ${ROUND[round]}`);
}
