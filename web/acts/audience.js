/** The audience: a blind vote and a belief after each turn; after the end, the results beside the judge's. */

import { api } from "../parts/api.js";
import { $, h, hiddenText, setText, storage, updateChildren } from "../parts/dom.js";
import { table } from "../parts/widgets.js";
import { AUDIENCE } from "../words/acts.js";
import { count, number, percent } from "../words/formatting.js";
import { NAME, SIGN } from "../words/words.js";

const CHOICES = ["pro", "con", "neither"];

/**
 * The audience of debate `id`.
 * @param {string} id
 * @returns {{show(view: View, following: boolean): void}}
 */
export function audience(id) {
  const root = $("#audience-body");
  const answer = h("p.quiet", { "aria-live": "polite" });
  const note = h("p.quiet", {}, AUDIENCE.note);
  const vote = h("fieldset.vote", {}, h("legend", {}, AUDIENCE.question), CHOICES.map(choice));
  let drawn = "";

  /** What this browser has sent for this debate. */
  function sent() {
    return JSON.parse(storage.get(`voice.${id}`) ?? "{}");
  }

  async function send(body, remembered, text) {
    try {
      await api.vote(id, body);
      storage.set(`voice.${id}`, JSON.stringify({ ...sent(), ...remembered }));
      setText(answer, text);
    } catch (error) {
      setText(answer, error.message);
    }
  }

  function choice(winner) {
    const label = winner === "neither" ? NAME.neither : `${SIGN[winner]} ${NAME[winner]}`;
    const change = () => send({ winner }, { winner }, AUDIENCE.voted);
    const checked = sent().winner === winner;
    const input = h("input", { type: "radio", name: "vote", value: winner, checked, on: { change } });
    return h("label", {}, input, h(`span.${winner}`, {}, label));
  }

  function belief(turn) {
    function change({ target }) {
      const value = Number(target.value);
      send({ turn, belief: value }, { [turn]: value }, AUDIENCE.believed(turn));
    }
    const value = sent()[turn] ?? 50;
    return h("div.belief", {},
      h("label", { for: "belief" }, AUDIENCE.belief(turn)),
      h("input", { type: "range", min: "0", max: "100", step: "5", value, id: "belief", on: { change } }),
      h("p.ends", { "aria-hidden": "true" },
        h("span.con", {}, `${SIGN.con} ${AUDIENCE.whollyCon}`),
        h("span.pro", {}, `${AUDIENCE.whollyPro} ${SIGN.pro}`)));
  }

  /** Updates the questions. The vote and the focus survive a new turn. */
  function ask(turn, canVote) {
    updateChildren(root, [
      canVote && ["vote", vote, () => vote],
      turn > 0 && [`belief${turn}`, null, () => belief(turn)],
      ["answer", answer, () => answer],
      ["note", note, () => note],
    ].filter(Boolean));
  }

  return {
    show(view, following) {
      const isOver = view.state === "concluded";
      const canTakePart = following && view.pro && !view.poll && !document.body.matches(".copy, .embed");
      const section = $("#audience");
      section.hidden = isOver ? !view.audience : !canTakePart;
      if (section.hidden) return;
      const spoken = Object.keys(view.turns).filter((number_) => view.turns[number_].spoken);
      const canVote = !view.verdicts.scorecard && !view.panel?.conclusion;
      const key = isOver ? `over${view.position}` : `${spoken.length}:${canVote}`;
      if (key === drawn) return;
      drawn = key;
      if (isOver) root.replaceChildren(...results(view));
      else ask(Math.max(0, ...spoken.map(Number)), canVote);
    },
  };
}

function results({ audience: { votes, shares, beliefs, agreement }, conclusion }) {
  const parts = [];
  if (votes.cast > 0) parts.push(voteBar(votes, shares));
  else parts.push(h("p.quiet", {}, AUDIENCE.noVotes));
  if (votes.cast > 0 && conclusion) parts.push(h("p", {}, AUDIENCE.besideJudge(conclusion.winner, agreement?.votes)));
  const rows = Object.entries(beliefs).map(([turn, { mean, count: voices }]) => {
    return h("tr", {}, h("th", { scope: "row" }, turn), h("td", {}, number(mean, 0)), h("td", {}, number(voices)));
  });
  if (rows.length > 0) {
    const figures = table("", AUDIENCE.columns, rows);
    figures.prepend(h("caption.quiet", {}, AUDIENCE.caption));
    parts.push(figures);
  }
  const exchanges = Object.keys(agreement?.turns ?? {}).length;
  if (exchanges > 0) parts.push(h("p.quiet", {}, AUDIENCE.moved(agreement.moved, count(exchanges, "exchange"))));
  return parts;
}

function voteBar(votes, shares) {
  const label = CHOICES.map((winner) => `${NAME[winner]} ${percent(shares[winner])}`).join(", ");
  const bar = h("div.share", { role: "img", "aria-label": label }, CHOICES.map((winner) => {
    const part = h(`i.${winner}`);
    part.style.width = `${shares[winner] * 100}%`;
    return part;
  }));
  const counts = CHOICES.map((winner) => {
    return h(`span.${winner}`, {}, `${SIGN[winner] ?? "="} ${NAME[winner]} ${votes[winner]} `);
  });
  return h("div.cast", {}, h("p", {}, h("b", {}, count(votes.cast, "vote")), hiddenText(": "), " ", counts), bar);
}
