/** What an operator makes of a debate: another judge for the same turns, and a fork that goes on from an event. */

import { api, keepLinks } from "../parts/api.js";
import { h, setText } from "../parts/dom.js";
import { ORIGINS } from "../words/acts.js";
import { NAME, SIGN } from "../words/words.js";

/**
 * The forms for a debate of format `exchange`.
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
  const judged = Object.entries(view.turns).filter(([, turn]) => turn.judged).map(([number]) => number);
  const from = h("select", { name: "from" },
    judged.map((number) => h("option", { value: `turn ${number}` }, ORIGINS.afterTurn(number))),
    h("option", { value: `at ${position}` }, ORIGINS.atEvent(position)));
  from.value = `turn ${judged.at(-2) ?? judged.at(-1)}`;
  const turns = h("input", { name: "turns", type: "number", min: 1, max: 200, value: view.turns_planned });

  const again = h("form.filing", { on: { submit: (event) => make(event, "rejudge", rejudgement) } },
    h("p", {}, ORIGINS.rejudge),
    field(ORIGINS.judge, model("judge", { required: true })),
    field(ORIGINS.rubric, h("select", { name: "rubric" },
      Object.entries(ORIGINS.rubrics).map(([value, words]) => h("option", { value }, words)))),
    h("button", { type: "submit" }, ORIGINS.judgeAgain));
  const fork = h("form.filing", { on: { submit: (event) => make(event, "fork", forking) } },
    h("p", {}, ORIGINS.fork),
    field(ORIGINS.from, from),
    field(ORIGINS.turns, turns),
    ["pro", "con"].flatMap((side) => [
      field(`${SIGN[side]} ${NAME[side]}, ${ORIGINS.model}`, model(side, { placeholder: ORIGINS.asBefore })),
      field(`${SIGN[side]} ${NAME[side]}, ${ORIGINS.directive}`, text(`directive.${side}`)),
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
  const said = (name) => given.get(name).trim() || undefined;
  const [where, number] = given.get("from").split(" ");
  const seat = (side) => (said(side) ? { model: said(side) } : undefined);
  return {
    [where]: Number(number),
    turns: Number(said("turns")),
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
