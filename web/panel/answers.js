/** A question with two answers: what is said for each, with its quotes of the passage, and what the judge answers. */

import { changeDetector, h } from "../parts/dom.js";
import { pieces } from "../parts/text.js";
import { failures, more, replaceChildren } from "../parts/widgets.js";
import { ANSWERS } from "../words/answers.js";
import { isMissing } from "../words/formatting.js";

const LETTER = { pro: "A", con: "B" };

/**
 * The question in `root`.
 * @param {HTMLElement} root
 * @returns {{show(view: View, speech: unknown, state: {head: boolean}): void, place(event: object): Element | null}}
 */
export function answers(root) {
  const body = h("div.answers");
  const isChanged = changeDetector();
  root.append(body);
  return {
    show(view, _, { head }) {
      const isRunning = head && view.state === "open";
      if (!isChanged(view.answers, view.turns, view.state, isRunning)) return;
      replaceChildren(body, [
        outcome(view),
        question(view.answers),
        ...rounds(view, isRunning),
        critique(view.answers, isRunning),
        given(view.answers, isRunning),
        passage(view.answers),
      ]);
    },
    place({ type, turn, after_turn: after }) {
      if (type === "answer_given") return document.getElementById("answers");
      if (type === "critique_given") return document.getElementById("critique");
      if (type === "debate_concluded") return document.getElementById("verdict");
      return body.querySelector(`article.turn[data-turn="${Number(turn ?? after)}"]`);
    },
  };
}

function outcome({ outcome: said }) {
  if (!said) return null;
  const rest = said.text.startsWith(said.headline) ? said.text.slice(said.headline.length) : said.text;
  return h("section.artifact-verdict", { id: "verdict" },
    h("p.winner", {}, said.headline),
    h("p", {}, rest.replace(/^[:.]\s*/, "")));
}

function question({ a, b, arm, assigned, sees, has_passage: hasPassage, passage: text }) {
  const who = arm === "consultancy" ? ANSWERS.consultant : ANSWERS.critic;
  const notes = [
    ANSWERS.how[arm],
    assigned && ANSWERS.told(who, assigned),
    hasPassage && ANSWERS.sees[sees],
    hasPassage && !text && ANSWERS.hidden,
  ];
  return h("section.asked-of", { "aria-label": ANSWERS.question },
    h("dl.letters", {},
      h("dt.pro", {}, ANSWERS.answer("A")), h("dd", { dir: "auto" }, a),
      h("dt.con", {}, ANSWERS.answer("B")), h("dd", { dir: "auto" }, b)),
    h("p.small", {}, notes.filter(Boolean).join(" ")));
}

function* rounds({ turns, answers: asked }, isRunning) {
  const numbers = Object.keys(turns).map(Number).sort((one, two) => one - two);
  const isDebate = asked.arm === "debate";
  let shown = 0;
  for (const number of numbers) {
    const round = isDebate ? Math.ceil(number / 2) : number;
    if (round !== shown && round <= asked.rounds) yield h("h3", {}, ANSWERS.round(round, asked.rounds));
    shown = round;
    yield speech(number, turns[number], asked, isRunning);
  }
}

function speech(number, turn, { quotes, questions }, isRunning) {
  const found = quotes[number] ?? [];
  const put = questions[number];
  const isWriting = turn.state === "speaking" && isRunning;
  return h("article.turn.speech", { "data-turn": number },
    h(`h4.${turn.side}`, {}, ANSWERS.forLetter(LETTER[turn.side]),
      isWriting && h("span.doing.going", {}, ` ${ANSWERS.writing}`)),
    failures(turn, isRunning),
    turn.text && h("div.said", { dir: "auto" }, withQuotes(turn.text, found)),
    found.length > 0 && h("p.small", {}, legend(found)),
    put !== undefined && h("blockquote.put", {},
      h("b", {}, isMissing(put) ? ANSWERS.asksNothing : ANSWERS.asks), " ", isMissing(put) ? put.missing.reason : put));
}

function legend(quotes) {
  return ANSWERS.legend(quotes.filter(({ stands }) => stands).length, quotes.length);
}

/** A text with its quotes marked by whether they stand in the passage. */
function withQuotes(text, quotes) {
  return pieces(text, quotes.map(({ span }, i) => ({ name: String(i), span }))).map((piece) => {
    if (piece.names.length === 0) return piece.text;
    const found = quotes[piece.names[0]].stands ? "stands" : "absent";
    return h(`mark.quoted.${found}`, { title: ANSWERS[found] }, piece.text);
  });
}

function critique({ critique: said, arm }, isRunning) {
  if (arm !== "critique" || !(said || isRunning)) return null;
  return h("section", { id: "critique" },
    h("h3", {}, ANSWERS.critique),
    said ? h("div.said", { dir: "auto" }, withQuotes(said.text, said.quotes)) : h("p.empty", {}, ANSWERS.critiqueNow),
    said?.quotes.length > 0 && h("p.small", {}, legend(said.quotes)));
}

function given({ given: all, arm }, isRunning) {
  const isVote = arm === "vote";
  return h("section", { id: "answers" },
    h("h3", {}, ANSWERS.answers),
    all.length === 0 && h("p.empty", {}, ANSWERS.notYet, isRunning && h("span.going")),
    h("ol.judged", {}, all.map((each) => answer(each, isVote, arm))));
}

function answer({ by, stage, sample, p_a: p, choice, reason, quotes }, isVote, arm) {
  const title = isVote ? ANSWERS.sample(sample) : stage === "alone" ? ANSWERS.alone : ANSWERS.afterAll[arm];
  const isKnown = !isMissing(p);
  const sure = choice === "A" ? p : 1 - p;
  return h("li", {},
    h("span.who", {}, by === "critic" ? ANSWERS.criticAnswer : title), ": ",
    isMissing(choice) ? ANSWERS.noAnswer(choice.missing.reason) : isKnown ? ANSWERS.sure(choice, sure) : choice,
    isKnown && h("div.scale", { "aria-hidden": true },
      h("span.con", {}, "B"),
      h("meter", { min: 0, max: 1, value: p, title: ANSWERS.probability(p) }),
      h("span.pro", {}, "A")),
    reason && h("p.why", { dir: "auto" }, reason),
    quotes.length > 0 && h("ul.plain", {}, quotes.map(({ text, stands }) => {
      return h("li", {}, h(`mark.quoted.${stands ? "stands" : "absent"}`, {}, text));
    })));
}

function passage({ passage: text }) {
  if (!text) return null;
  return more("passage", ANSWERS.passage, h("div.said.passage", { dir: "auto" }, text));
}
