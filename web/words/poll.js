/** Words of the poll: the page of voters, the view for the wall, and the result. */

import { count, grouped, isMissing, signed } from "./formatting.js";
import { NAME, SIGN } from "./words.js";

/** What a voter may choose, and what it means. */
export const STANCE = {
  pro: `${SIGN.pro} ${NAME.pro}`,
  con: `${SIGN.con} ${NAME.con}`,
  undecided: "Undecided",
};

const MEANS = { pro: "for the motion", con: "against the motion", undecided: "neither yet" };
const ROUND = { before: "The first vote", after: "The second vote" };

/** @param {string} iso */
const clock = (iso) => new Date(iso).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });

const SPACE = "\u00a0";
const whole = (share) => `${Math.round(share * 100)}`;

/** The sentences of the poll. */
export const POLL = {
  means: (stance) => MEANS[stance],
  question: { before: "Where do you stand before the debate?", after: "Where do you stand now, after the debate?" },
  voted: (stance) => `Your vote: ${STANCE[stance]}. You can change it until the vote closes.`,
  notVoted: "You have not voted yet.",
  phase: {
    before: "Vote before the debate",
    between: "The debate",
    after: "Vote after the debate",
    over: "The result",
  },
  open: (when) => `${ROUND[when]} is open`,
  closesAt: (iso) => `It closes at ${clock(iso)}.`,
  closed: (when) => `${ROUND[when]} is closed.`,
  underWay: (spoken, planned) => {
    const turns = `${spoken} of ${count(planned, "turn")} so far`;
    return `The debate is on, ${turns}. The second vote opens after the last turn: keep this page.`;
  },
  notOpen: "The vote is not open yet.",
  ended: "The debate ended before the second vote, so nothing can be compared.",
  wait: "The result comes with the judge’s verdict.",
  was: (when, stance) => `Your vote ${when} the debate: ${STANCE[stance]}.`,
  rests: { paused: "The debate is paused.", halted: "The debate is halted." },
  have: (n) => (n === 1 ? "1 person has voted" : `${grouped(n)} people have voted`),
  scan: "Scan to vote",
  type: "or type ",
  scanLater: "No vote is open: scan to be ready",
  local: "Phones cannot reach this address: it leads to this machine only. Serve with --host 0.0.0.0 and MOOT_TOKEN, " +
    "then open this view by the address of this machine in the network.",
  unlisted: "This debate is unlisted. Open this view by its link, or phones cannot open the vote.",
  code: "QR code of the address of the vote",
  vote: "Vote",
  wall: "Show the vote on the wall",
  hidden: "How people vote stays hidden, for operators too, until the verdict.",
  title: "The poll of the audience",
  audience: "Audience",
  judge: "Judge",
  tie: "a tie",
  none: "no winner",
  bar: { before: "Before", after: "After" },
  share: (stance, { count: n, share, low, high }) => {
    const text = `${STANCE[stance]} ${whole(share)} % (${grouped(n)}; ${whole(low)}–${whole(high)} %)`;
    return text.replaceAll(" ", SPACE);
  },
  noVotes: "no votes",
  twice: (n) => `Among ${n === 1 ? "the 1 voter" : `the ${grouped(n)} voters`} who voted twice`,
  everyone: "By all votes",
  gains: (change) => {
    if (isMissing(change)) return change.missing.reason;
    return ["pro", "con"].map((side) => `${STANCE[side]} ${signed(change.gains[side] * 100)} points`).join(", ");
  },
  moved: (was, now, n) => `${grouped(n)} from ${STANCE[was]} to ${STANCE[now]}`,
  stayed: (n) => `${grouped(n)} stayed`,
  apart: (left, joined) => {
    return `${grouped(left)} voted only before, ${grouped(joined)} only after: they do not count for the winner.`;
  },
  interval: "In brackets: voters, and the 95 % interval of the share.",
  you: (was, now) => (was === now ? "You stayed." : `You moved from ${STANCE[was]} to ${STANCE[now]}.`),
};
