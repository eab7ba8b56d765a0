/** The words of the page of a person's seat, and of the links that operators make. */

const SIDE = { pro: "Pro", con: "Con" };
const minutes = (seconds) => (seconds < 120 ? `${seconds} seconds` : `${seconds / 60} minutes`);

/** Time as a clock shows it: 9:05. */
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/** The page of a seat. */
export const SEAT = {
  title: (motion) => `${motion} · your seat · Moot`,
  void: "This link is not valid. It was revoked, or a new one has replaced it. Ask the operator of the debate.",
  unsent: (turn, { isLate, hasResigned }) => {
    if (hasResigned) return `You resigned before you sent your text for turn ${turn}. This browser keeps the text.`;
    return `Your text for turn ${turn} was not sent${isLate ? " in time" : ""}. This browser keeps it.`;
  },
  yours: (turn) => `Turn ${turn} is yours.`,
  turn: (turn, side) => `Turn ${turn}, ${SIDE[side]}`,
  left: (seconds) => `${clock(seconds)} left`,
  leftSaid: (seconds) => `${minutes(seconds)} left`,
  words: (count, most) => `${count} of ${most} words`,
  over: (count, most) => `${count} of ${most} words: what is beyond ${most} is cut`,
  send: "Send",
  sendCut: (most) => `Send, cut to ${most} words`,
  sending: "Sending…",
  kept: { here: "Kept in this browser", both: "Kept in this browser and by the server", typing: "" },
  unreachable: "The server does not answer. Your text is kept in this browser; this page tries again by itself.",
  empty: "There is no text to send.",
  watch: "Watch the debate with its scores, in a new tab",
};

/** How a seat stands whose turn it is. */
const WRITES = {
  sent: "has sent the statement of this round",
  taken: "is writing",
  away: "is writing; the connection is lost",
  free: "has the turn, and no link yet",
  invited: "has the turn, and no browser has used the link yet",
};

/** The links of seats on the page of a debate. */
export const LINKS = {
  seats: { judge: "Judge" },
  states: {
    free: "has no link yet",
    invited: "has a link that no browser has used yet",
    taken: "has taken the seat",
    away: "has taken the seat; the connection is lost",
    resigned: "has resigned",
    handed_over: "is replaced by a model",
  },
  writes: (left, state, hasSent) => (hasSent ? WRITES.sent : `${WRITES[state] ?? WRITES.taken}, ${left}`),
  make: "Make a link",
  again: "Make a new link",
  revoke: "Revoke the link",
  address: (name) => `The link of ${name}’s seat`,
  once: "Send this link to the person. It is shown only now, and the first browser that takes the seat keeps it.",
  copied: "Copied",
  copy: "Copy",
};
