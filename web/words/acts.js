/** Words of the parts that a reader asks for: links and exports, the moderator's controls, and the audience. */

import { count, percent } from "./formatting.js";
import { NAME, SIGN } from "./words.js";

/** The export menu: the path of each file below the debate, its name, its purpose. */
export const SHARE = {
  files: [
    ["export.html", "HTML", "replays without a server"],
    ["export.md", "Markdown", "to read"],
    ["events.ndjson", "NDJSON", "the whole log, to import and verify"],
    ["export.json", "JSON", "the current view"],
  ],
  maps: [
    ["map.aif", "AIF", "the argument map, for other programs"],
    ["map.argdown", "Argdown", "the argument map as text"],
  ],
  receipt: ["receipt", "Receipt", "signed: who won and why, to verify without Moot"],
  audio: ["export.audio", "Audio", "spoken by generated voices, with chapters; it may take minutes"],
  reports: "Report for a debater",
  copy: "Copy link to the debate",
  copyHere: "Copy link to this moment",
  map: "Argument map: who answers what, what nobody answered",
  wall: "Put on the wall of a room",
  embed: "To embed it in a page",
  embedCode: "Code to embed this debate",
  card: "A card of one turn; select words of a turn first to quote them",
  cardCode: "Code to embed a card of one turn",
  cardTurn: "The turn of the card",
  cardOf: (turn) => `Turn ${turn}`,
  cardSee: "See the card",
  copied: (event) => `Link copied: ${event ? `event ${event}` : "this debate"}`,
};

/** The chair's panel. */
export const MODERATOR = {
  pauseReason: "paused from the page",
  resumeReason: "resumed from the page",
  nextReason: "resumed from the page for one turn",
  haltReason: "halted from the page",
  pause: "Pause the debate",
  resume: "Resume the debate",
  closeVote: { before: "Close the vote and begin", after: "Close the vote" },
  paused: "The debate is paused for everyone.",
  halted: "The debate is halted for everyone.",
  noReason: "No reason was given.",
};

/** The audience. */
export const AUDIENCE = {
  question: "Who is winning so far, in your opinion?",
  note: "Each browser has one vote. Votes, and how many there are, stay hidden until the verdict.",
  voted: "Your vote is recorded. You can change it until the verdict.",
  belief: (turn) => `Where do you stand after turn ${turn}?`,
  believed: (turn) => `Recorded for turn ${turn}. It stays hidden until the end.`,
  whollyPro: "wholly Pro",
  whollyCon: "wholly Con",
  noVotes: "There were no votes before the verdict.",
  besideJudge(winner, share) {
    const judged = winner === "neither" ? "The judge named no winner" : `The judge: ${SIGN[winner]} ${NAME[winner]}`;
    return typeof share === "number" ? `${judged}; ${percent(share)} of the votes agree.` : `${judged}.`;
  },
  caption: "Where the audience stood: 0 is wholly Con, 100 wholly Pro.",
  columns: ["after turn", "mean", "answers"],
  moved: (moved, exchanges) => {
    return `In ${moved} of ${exchanges}, the audience moved towards the side that the judge preferred.`;
  },
};

/** The forms that make a debate of another one. */
export const ORIGINS = {
  title: "Judge again or fork",
  rejudge: "Another judge reads the same turns, as a new debate.",
  judge: "Judge, as provider:model, or person:Name for a person",
  rubric: "Rubric",
  /** By the name that the server knows; empty for the rubric of the debate. */
  rubrics: {
    "": "as before",
    v1: "v1, of the first release",
    v2: "v2, of the second release",
    "v2-evidence": "v2-evidence, the same with other criteria for arguments",
    v3: "v3, the usual one",
    "v3-evidence": "v3-evidence, the same with other criteria for arguments",
  },
  judgeAgain: "Judge again",
  fork: "A new debate goes on from here, with other models, directives or words.",
  forkProtocol: "A new debate goes on after a round, with other models or words.",
  from: "From",
  beginning: "the beginning",
  afterRound: (round) => `after the ${round}`,
  afterTurn: (turn) => `after turn ${turn}`,
  atEvent: (position) => `the event that is shown now (${position})`,
  turns: "Turns",
  model: "model",
  asBefore: "as before",
  directive: "directive for the next turn",
  say: "Message of the moderator to both sides",
  goOn: "Fork the debate",
  making: "Making a new debate…",
};

/** The form that names and files a debate. */
export const FILING = {
  title: "Title, shown in place of the motion in lists",
  tags: "Tags, separated by commas",
  save: "Save",
  saved: "Saved.",
  flags: {
    archived: "Archived: not in the usual list",
    hidden: "Hidden: in no list and no search",
    unlisted: "Unlisted: only readers who have its link can open it",
  },
  renew: "Make a new link; the old link stops working",
  link: "The link",
  linked: "The link is shown only once. Copy it now.",
  deleting: "Delete this debate …",
  deletes: "Its texts are gone for ever. Everyone who asks for it reads when it was deleted, and why.",
  reason: "Reason, which everyone can read",
  withDerived: "Also delete the forks, rejudged debates and lab runs made of it",
  delete: "Delete for ever",
};
