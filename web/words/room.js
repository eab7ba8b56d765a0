/** Words of the view for the wall of a room. */

import { capital } from "./formatting.js";
import { LEAD, NAME, SIDEBAR, SIGN, STATUS, percentSure } from "./words.js";

/** The sentences of the view. */
export const ROOM = {
  title: (motion) => `On the wall: ${motion} · Moot`,
  state: (name) => ROOM.states[name] ?? STATUS.connection[name] ?? "",
  turn: (turn, turns) => `turn ${turn} of ${turns}`,
  vote: (when) => `${capital(STATUS.vote[when])}: open this debate on your phone to vote.`,
  /** How sure the lead is, and what moved it last. */
  sure({ probability, name_at: nameAt, is_close: isClose, side }, move, turns) {
    const sure = side === "pro" ? probability : 1 - probability;
    const parts = [];
    if (probability !== undefined) {
      parts.push(`${sure < nameAt ? "Not distinguishable yet: " : ""}${percentSure(sure)} sure.`);
    } else if (isClose) parts.push("As good as level.");
    if (move) parts.push(`${LEAD.moved(move, turns)}.`);
    return ` ${parts.join(" ")}`;
  },
  who: (side, archetype) => `${SIGN[side]} ${NAME[side]}${archetype && `, ${archetype.replaceAll("_", " ")}`}`,
  loses: {
    gap: (turn) => `Flaw exposed in turn ${turn}`,
    penalty: (turn, rule) => `${capital(SIDEBAR.claimKind[rule] ?? "points lost")} in turn ${turn}`,
  },
  answered: (side, turn) => `${NAME[side]} in turn ${turn}:`,
  states: {
    live: "Live",
    playing: "Playing",
    back: "Reading back",
    concluded: "Ended",
    halted: "Halted",
    paused: "Paused",
  },
};
