/** The parts of an exchange: summary, transcript, scorecard, claims, anomalies, characters, and premises. */

import { $ } from "../parts/dom.js";
import { course } from "./course.js";
import { anomalies, leadMoves, partLinks, scorecard, suspectClaims } from "./sidebar.js";
import { summary } from "./summary.js";
import { transcript } from "./transcript.js";
import { spine } from "./verdicts.js";

/**
 * The parts in their places.
 * @param {(position: number) => void} go
 * @param {string} id
 * @param {(claim: string) => void} appeal Asks for a second opinion.
 * @param {(event: number) => Record<string, any>} audit Attributes of a link to an event in the audit.
 * @param {(position: number) => object | undefined} wantFrame A frame; one that the page does not hold is fetched.
 * @param {(change: () => void) => void} hold Changes the page; the words that are read stay where they are.
 * @param {() => void} play Plays the debate from its start.
 * @returns {{record: object, show(view: View, state: {head: boolean, end: number}): void}}
 */
export function exchange(go, id, appeal, audit, wantFrame, hold, play) {
  const record = transcript($("#transcript"), go, id, wantFrame, hold);
  const claims = suspectClaims($("#claims"), appeal, go);
  const parts = [
    summary($("#summary"), go, play),
    charactersOf($("#characters"), go, audit),
    spine($("#spine"), go),
    anomalies($("#anomalies")),
    leadMoves($("#moved"), go),
    partLinks($("#parts")),
  ];
  const card = scorecard($("#scorecard"));
  const figures = course($("#bar"), $("#course"));
  return {
    record,
    show(view, { head, end }) {
      figures.show(view, { end });
      card.show(view);
      claims.show(view, head);
      for (const part of parts) part.show(view);
    },
  };
}

/** The characters, fetched when the reader comes near them. */
function charactersOf(root, go, audit) {
  let newest = null;
  let part = null;
  const observer = new IntersectionObserver(async ([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    observer.disconnect();
    const { characters } = await import("./characters.js");
    part = characters(root, go, audit);
    part.show(newest);
  }, { rootMargin: "400px 0px" });
  return {
    show(view) {
      newest = view;
      part?.show(view);
      if (!part) observer.observe(root.parentElement);
    },
  };
}
