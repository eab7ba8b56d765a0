/** A blind vote, and a belief after each turn; after the end what came of them, beside the judge. */

import { api } from "./api.js";
import { $, h, heard, keep, memory, say } from "./dom.js";
import { NAME, SIGN, count, number, percent } from "./words.js";

const CHOICES = ["pro", "con", "neither"];

/** The audience of debate `id`. */
export function audience(id) {
  const root = $("#audience-body");
  const told = h("p.quiet", { "aria-live": "polite" });
  const sent = () => JSON.parse(memory.get(`voice.${id}`) ?? "{}");
  let drawn = "";

  async function tell(body, remembered, text) {
    try {
      await api.vote(id, body);
      memory.set(`voice.${id}`, JSON.stringify({ ...sent(), ...remembered }));
      say(told, text);
    } catch (error) {
      say(told, error.message);
    }
  }

  const vote = h("fieldset.vote", {}, h("legend", {}, "Who wins, so far, for you?"), ...CHOICES.map((winner) => h("label", {},
    h("input", { type: "radio", name: "vote", value: winner, checked: sent().winner === winner, on: { change: () => tell({ winner }, { winner }, "Your vote is cast. You can change it until the verdict.") } }),
    h(`span.${winner}`, {}, winner === "neither" ? NAME.neither : `${SIGN[winner]} ${NAME[winner]}`))));
  const note = h("p.quiet", {}, "One voice a browser. Nobody sees votes, not even how many, before the verdict.");

  const belief = (turn) => h("div.belief", {}, h("label", { for: "belief" }, `After turn ${turn}, where do you stand?`),
    h("input", { type: "range", min: "0", max: "100", step: "5", value: sent()[turn] ?? 50, id: "belief", on: {
      change: ({ target }) => tell({ turn, belief: Number(target.value) }, { [turn]: Number(target.value) }, `Noted for turn ${turn}. It is shown to nobody before the end.`),
    } }),
    h("p.ends", { "aria-hidden": "true" }, h("span.con", {}, `${SIGN.con} wholly Con`), h("span.pro", {}, `wholly Pro ${SIGN.pro}`)));

  /** Neither a vote nor the focus is lost between two turns. */
  function ask(view) {
    const turn = Math.max(0, ...Object.keys(view.turns).filter((n) => view.turns[n].spoken).map(Number));
    keep(root, [
      !view.verdicts.scorecard && !view.panel?.conclusion && ["vote", vote, () => vote],
      turn > 0 && [`belief${turn}`, null, () => belief(turn)],
      ["told", told, () => told], ["note", note, () => note],
    ].filter(Boolean));
  }

  return {
    show(view, following) {
      const isOver = view.state === "concluded";
      const section = $("#audience");
      section.hidden = isOver ? !view.audience : !following || !view.pro || document.body.matches(".copy, .embed");
      if (section.hidden) return;
      const key = isOver ? `over${view.position}` : `${Object.values(view.turns).filter(({ spoken }) => spoken).length}:${Boolean(view.verdicts.scorecard)}`;
      if (key === drawn) return;
      drawn = key;
      if (isOver) root.replaceChildren(...outcome(view).filter(Boolean));
      else ask(view);
    },
  };
}

function outcome({ audience: { votes, beliefs, agreement }, conclusion }) {
  const rows = Object.entries(beliefs);
  return [
    !votes.cast && h("p.quiet", {}, "Nobody voted before the verdict."),
    votes.cast > 0 && h("div.cast", {}, h("p", {}, h("b", {}, count(votes.cast, "vote")), heard(": "), " ", ...CHOICES.map((winner) => h(`span.${winner}`, {}, `${SIGN[winner] ?? "="} ${NAME[winner]} ${votes[winner]} `))),
      h("div.share", { role: "img", "aria-label": CHOICES.map((winner) => `${NAME[winner]} ${percent(votes[winner] / votes.cast)}`).join(", ") },
        ...CHOICES.map((winner) => wide(h(`i.${winner}`), votes[winner] / votes.cast)))),
    votes.cast > 0 && conclusion && h("p", {}, verdictLine(agreement, conclusion)),
    rows.length > 0 && h("table.figures", {}, h("caption.quiet", {}, "Where the audience stood: 0 is wholly Con, 100 wholly Pro."),
      h("thead", {}, h("tr", {}, ...["after turn", "mean", "voices"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...rows.map(([turn, { mean, count: voices }]) => h("tr", {}, h("th", { scope: "row" }, turn), h("td", {}, number(mean, 0)), h("td", {}, number(voices)))))),
    moved(agreement),
  ];
}

function wide(bar, share) {
  bar.style.width = `${share * 100}%`;
  return bar;
}

function verdictLine(agreement, conclusion) {
  const share = agreement?.votes;
  const judged = conclusion.winner === "neither" ? "The judge named no winner" : `The judge: ${SIGN[conclusion.winner]} ${NAME[conclusion.winner]}`;
  return typeof share === "number" ? `${judged}; ${percent(share)} of the votes say the same.` : `${judged}.`;
}

function moved(agreement) {
  const of = Object.keys(agreement?.turns ?? {}).length;
  return of > 0 && h("p.quiet", {}, `In ${agreement.moved} of ${count(of, "exchange")} belief moved towards the side that won it for the judge.`);
}
