/** What an operator makes of a debate: another judge for the same turns, and a fork that goes on from an event. */

import { api, keepLinks } from "../parts/api.js";
import { h, setText } from "../parts/dom.js";
import { ORIGINS } from "../words/acts.js";
import { NAME, ROUND, SIGN, roundsOf } from "../words/words.js";

/**
 * The forms for a debate of format `exchange` or `protocol`.
 * @param {string} id
 * @param {View} view The newest view.
 * @param {number} position The event that the page shows.
 * @returns {HTMLElement}
 */
export function origins(id, view, position) {
  const note = h("p.quiet", { role: "alert" });
  const models = h("datalist", { id: "origin-models" });
  api.models().then(({ models: known }) => {
    models.replaceChildren(...known.filter(({ ok }) => ok).map(({ name }) => h("option", { value: name })));
  }, () => {});
  const isProtocol = view.format === "protocol";
  const places = isProtocol ? rounds(view) : judgedTurns(view);
  const from = h("select", { name: "from" },
    places.map(([turn, words]) => h("option", { value: `turn ${turn}` }, words)),
    !isProtocol && h("option", { value: `at ${position}` }, ORIGINS.atEvent(position)));
  const [turn] = places.at(-2) ?? places.at(-1) ?? [];
  from.value = `turn ${turn}`;
  const turns = h("input", { name: "turns", type: "number", min: 1, max: 200, value: view.turns_planned });

  const again = h("form.filing", { on: { submit: (event) => make(event, "rejudge", rejudgement) } },
    h("p", {}, ORIGINS.rejudge),
    field(ORIGINS.judge, model("judge", { required: true })),
    field(ORIGINS.rubric, h("select", { name: "rubric" },
      Object.entries(ORIGINS.rubrics).map(([value, words]) => h("option", { value }, words)))),
    h("button", { type: "submit" }, ORIGINS.judgeAgain));
  const fork = h("form.filing", { on: { submit: (event) => make(event, "fork", forking) } },
    h("p", {}, isProtocol ? ORIGINS.forkProtocol : ORIGINS.fork),
    field(ORIGINS.from, from),
    !isProtocol && field(ORIGINS.turns, turns),
    ["pro", "con"].flatMap((side) => [
      field(`${SIGN[side]} ${NAME[side]}, ${ORIGINS.model}`, model(side, { placeholder: ORIGINS.asBefore })),
      !isProtocol && field(`${SIGN[side]} ${NAME[side]}, ${ORIGINS.directive}`, text(`directive.${side}`)),
    ]),
    field(ORIGINS.judge, model("judge", { placeholder: ORIGINS.asBefore })),
    field(ORIGINS.say, text("say")),
    h("button", { type: "submit" }, ORIGINS.goOn));

  async function make(event, kind, bodyOf) {
    event.preventDefault();
    setText(note, ORIGINS.making);
    try {
      const { id: made, links } = await api.derive(id, kind, bodyOf(new FormData(event.target)));
      keepLinks(made, links);
      location.href = `/d/${encodeURIComponent(made)}`;
    } catch (error) {
      setText(note, error.message);
    }
  }

  return h("details.origins", {}, h("summary", {}, ORIGINS.title), models, again, fork, note);
}

/** The turns after which an exchange can go on, each with its words. */
function judgedTurns({ turns }) {
  const judged = Object.entries(turns).filter(([, turn]) => turn.judged);
  return judged.map(([number]) => [number, ORIGINS.afterTurn(number)]);
}

/** The same for a protocol: it goes on after a round. */
function rounds(view) {
  const ended = roundsOf(view).map((name, i) => [2 * (i + 1), ORIGINS.afterRound(ROUND[name])]);
  return [
    [0, ORIGINS.beginning],
    ...ended.filter(([turn]) => view.turns[turn - 1]?.text && view.turns[turn]?.text),
  ];
}

/** The body of a rejudging; without a rubric it is that of the debate. */
const rejudgement = (given) => ({
  judge: judgeOf(given.get("judge").trim()),
  rubric: given.get("rubric") || undefined,
});

/** A judge by name: a model, or a person. */
function judgeOf(name) {
  const [, person] = /^person:\s*(.+)$/.exec(name) ?? [];
  return person ? { person } : { model: name };
}

/** The body of a fork: fields that were left empty are left out. */
function forking(given) {
  const said = (name) => given.get(name)?.trim() || undefined;
  const [where, number] = given.get("from").split(" ");
  const seat = (side) => (said(side) ? { model: said(side) } : undefined);
  return {
    [where]: Number(number),
    turns: said("turns") && Number(said("turns")),
    pro: seat("pro"),
    con: seat("con"),
    judge: said("judge") && judgeOf(said("judge")),
    directive: { pro: said("directive.pro"), con: said("directive.con") },
    say: said("say"),
  };
}

const field = (label, input) => h("label.field", {}, h("span", {}, label), input);
const text = (name) => h("input", { name, maxlength: 1000, autocomplete: "off" });

function model(name, attributes) {
  return h("input", { name, list: "origin-models", spellcheck: "false", autocomplete: "off", ...attributes });
}
