/** The result of a poll, and its part on the page of a debate. */

import { openRound } from "../replay/history.js";
import { $, changeDetector, h } from "../parts/dom.js";
import { isMissing } from "../words/formatting.js";
import { POLL, STANCE } from "../words/poll.js";

/** What a voter chooses from. */
export const STANCES = ["pro", "con", "undecided"];
/** The order of a bar: those who are undecided stand between the sides. */
const BAR = ["pro", "undecided", "con"];

/**
 * How far the poll is, as `POLL.phase` names it.
 * @param {Record<string, any>} poll
 * @returns {"before" | "between" | "after" | "over"} `after` also while the second vote is counted.
 */
export const phaseOf = (poll) => openRound(poll) ?? (poll.result ? "over" : poll.after ? "after" : "between");

/**
 * The address of the page for voters; it keeps the token of an unlisted debate, and the room that the reader joined.
 * @param {string} id
 * @param {string} [below]
 * @returns {string}
 */
export function voteAddress(id, below = "") {
  const kept = [...new URLSearchParams(location.search)].filter(([name]) => ["link", "room"].includes(name));
  return `/vote/${encodeURIComponent(id)}${below}${kept.length ? `?${new URLSearchParams(kept)}` : ""}`;
}

/**
 * The result: the audience's winner beside the judge's, both votes as bars, and who moved.
 * @param {Record<string, any>} result
 * @param {{winner: string} | undefined} conclusion
 * @returns {Element[]}
 */
export function resultOf(result, conclusion) {
  const { twice, stayed, joined, left } = result.voters;
  const moves = STANCES.flatMap((was) => STANCES.map((now) => [was, now, result.moved[was][now]]))
    .filter(([was, now, n]) => was !== now && n > 0)
    .sort((a, b) => b[2] - a[2]);
  return [
    h("div.winners", {},
      winner(POLL.audience, isMissing(result.twice) ? POLL.none : winnerName(result.twice.winner, POLL.tie),
        result.twice.winner),
      winner(POLL.judge, winnerName(conclusion?.winner ?? "neither", POLL.none), conclusion?.winner)),
    h("div.bars", {}, ["before", "after"].map((when) => bar(when, result[when]))),
    h("p.quiet", {}, POLL.interval),
    h("dl.gains", {},
      h("dt", {}, POLL.twice(twice)), h("dd", {}, POLL.gains(result.twice)),
      h("dt", {}, POLL.everyone), h("dd", {}, POLL.gains(result.everyone))),
    h("ul.moves", {}, moves.map((move) => h("li", {}, POLL.moved(...move))), h("li", {}, POLL.stayed(stayed))),
    h("p.quiet", {}, POLL.apart(left, joined)),
  ];
}

const winnerName = (name, otherwise) => STANCE[name] ?? otherwise;

function winner(who, name, side) {
  return h("p", {}, h("span.label", {}, who), " ", h(`b${STANCE[side] ? `.${side}` : ""}`, {}, name));
}

function bar(when, shares) {
  const isEmpty = !Object.keys(shares).length;
  const parts = isEmpty ? [] : BAR.map((stance) => {
    const part = h(`i.${stance}`);
    part.style.width = `${shares[stance].share * 100}%`;
    return part;
  });
  const words = isEmpty ? POLL.noVotes : BAR.map((stance) => POLL.share(stance, shares[stance])).join(" · ");
  const stances = h("div.stances", { "aria-hidden": "true" }, parts);
  return h("div.vote-bar", {}, h("b", {}, POLL.bar[when]), stances, h("p", {}, words));
}

/**
 * The poll on the page of debate `id`: what is open and how many have voted, then the result.
 * @param {string} id
 * @returns {{show(view: View, isPresent: boolean): void}}
 */
export function pollPart(id) {
  const root = h("section", { id: "poll", "aria-label": POLL.title });
  $("#transcript").after(root);
  const isChanged = changeDetector();

  function link(text, address, attributes = {}) {
    return h("a.button", { href: address, ...attributes }, text);
  }

  function open(when, vote, canAct) {
    return [
      h("p", {},
        h("b", {}, POLL.open(when)),
        `. ${POLL.have(vote.cast)}. `,
        vote.closes_at && POLL.closesAt(vote.closes_at)),
      canAct && h("p.quiet", {}, POLL.hidden),
      canAct && h("div.row", {},
        link(POLL.vote, voteAddress(id)),
        link(POLL.wall, voteAddress(id, "/wall"), { target: "_blank", "data-operator": true })),
    ].filter(Boolean);
  }

  return {
    show(view, isPresent) {
      const { poll } = view;
      const when = openRound(poll);
      const canAct = isPresent && view.state !== "concluded" && !document.body.matches(".copy, .embed");
      root.hidden = !when && !poll.after;
      if (!isChanged(poll, canAct)) return;
      if (poll.result) root.replaceChildren(h("h2", {}, POLL.title), ...resultOf(poll.result, view.conclusion));
      else if (when) root.replaceChildren(...open(when, poll[when], canAct));
      else if (poll.after) root.replaceChildren(h("p.quiet", {}, `${POLL.closed("after")} ${POLL.wait}`));
    },
  };
}
