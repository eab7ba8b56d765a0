/** The words of the page of a person's seat, and of the links that operators make. */

const SIDE = { pro: "Pro", con: "Con" };
const minutes = (seconds) => {
  if (seconds < 120) return `${seconds} seconds`;
  const whole = Math.floor(seconds / 60);
  return seconds % 60 ? `${whole} minutes and ${seconds % 60} seconds` : `${whole} minutes`;
};

/** Time as a clock shows it: 9:05. */
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/** The page of a seat. */
export const SEAT = {
  title: (motion) => `${motion} · your seat · Moot`,
  who({ name, seat }) {
    if (SIDE[seat]) return `${name} speaks for ${SIDE[seat]}`;
    return seat === "judge" ? `${name} judges this debate` : `${name} rates this debate`;
  },
  invited({ name, seat }) {
    if (SIDE[seat]) return `${name}, you are invited to speak for ${SIDE[seat]}.`;
    return `${name}, you are invited to ${seat === "judge" ? "judge" : "rate"} this debate.`;
  },
  rules: ({ seat, format, time_s: time, max_words: words, takeover, turns_planned: turns, documents }) => [
    "The first browser that takes the seat keeps it. The link works in no other browser.",
    ...(SIDE[seat] ? [
      format === "protocol"
        ? `The debate has ${turns / 2} rounds. In each you fill in one form, within ${minutes(time)}. Both sides `
          + "write at the same time, and what they wrote is shown when both have sent it. "
          + "A form that is complete is sent when the time ends, if this page is open."
        : `The debate has ${turns} turns. You have ${minutes(time)} and at most ${words} words for each of yours.`,
      "The clock of a turn begins when the turn begins, whether or not you have opened this page, and goes on while "
        + "your connection is lost.",
      takeover
        ? "If you send nothing in time, or resign, a model speaks in your place from then on."
        : "If you send nothing in time, the debate is halted, and its operator can resume it. If you resign, the other "
          + "side wins.",
      ...(documents.length > 0 ? [
        `You may cite ${documents.join(", ")}: each of your turns shows you passages with their numbers. Quote the `
          + "exact words and put the number after them: “the words” [E1]. Each citation is checked.",
      ] : []),
      format === "protocol"
        ? "What you write is seen by others only when both sides have sent. A judge scores the debate when it is over."
        : "What you write is seen by others only when you send it. A judge then scores it, as it scores every turn.",
    ] : [
      seat === "judge" && format !== "protocol"
        ? "After each turn, and once more at the end, you answer some questions about it in forms."
        : `When the debate has been held, you ${seat === "judge" ? "judge" : "rate"} each turn or argument in a form.`,
      `You have ${minutes(time)} for each question. All questions about a turn are open at once, and you may answer `
        + "them in any order. A question that you do not answer in time is left out.",
      `You do not see ${format === "protocol" ? "" : "which side a speaker is on, "}who the speakers are, or what `
        + "others think of them. Please do not open the page of the debate before you have answered.",
      "What you have filled in is kept until you send it.",
    ]),
  ],
  taken: "Another browser has taken this seat. Write there, or ask the operator of the debate for a new link.",
  void: "This link is not valid. It was revoked, or a new one has replaced it. Ask the operator of the debate.",
  handedOver: "A model speaks in your seat now. You can read on.",
  resigned: "You have resigned.",
  concluded: "The debate has ended.",
  unsent: (turn, { isLate, hasResigned }) => {
    if (hasResigned) return `You resigned before you sent your text for turn ${turn}. This browser keeps the text.`;
    return `Your text for turn ${turn} was not sent${isLate ? " in time" : ""}. This browser keeps it.`;
  },
  rests: { paused: "The debate is paused", halted: "The debate is halted" },
  yours: (turn) => `Turn ${turn} is yours.`,
  questions(many) {
    return many === 1 ? "One question waits for your answer." : `${many} questions wait for your answers.`;
  },
  nothingAsked: "Nothing is asked of you now. This page shows the next questions by itself: you can leave it open.",
  thanks: "The debate has ended. Thank you for judging.",
  statement: "Your statement is asked for.",
  bothWrite: "Both sides write. What they wrote is shown when both have sent it.",
  sent: "Your statement is sent. It is shown when the other side has sent its own.",
  votes: "The audience votes. The debate goes on when the vote has closed.",
  speaks: (side, turn) => `${SIDE[side]} has the word: turn ${turn}.`,
  waits: "The judge reads. The next turn begins after that.",
  ends: "All turns have been spoken. The judge reads.",
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
  leave({ takeover, seat }) {
    if (!SIDE[seat]) return "The debate goes on. Your open questions and all later ones stay without an answer.";
    if (takeover) return "A model then speaks in your seat until the end.";
    return `The debate then ends at once, and ${SIDE[seat === "pro" ? "con" : "pro"]} wins.`;
  },
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
