/** The words of a question with two answers. */

import { percent } from "./formatting.js";

const NO_ANSWER = "no answer";

/** The page of such a question. */
export const ANSWERS = {
  question: "The question",
  answer: (letter) => `Answer ${letter}`,
  how: {
    naive: "The judge answers alone.",
    vote: "The judge answers alone, again and again.",
    debate: "Two debaters argue, one for each answer. Then the judge answers.",
    critique: "The judge answers alone, and again after a critique.",
    consultancy: "A consultant argues for an answer. Then the judge answers.",
  },
  told: (who, letter) => `The ${who} was told to argue for ${letter}.`,
  consultant: "consultant",
  critic: "critic",
  sees: {
    all: "The judge reads the passage.",
    debaters: "The judge does not read the passage.",
  },
  hidden: "The passage is shown once the judge has answered.",
  passage: "The passage",
  round: (round, all) => `Round ${round} of ${all}`,
  forLetter: (letter) => `For ${letter}`,
  writing: "is written now",
  asks: "The judge asks",
  asksNothing: "The judge asked nothing",
  critique: "The critique",
  critiqueNow: "The critic reads and writes.",
  answers: "What the judge answers",
  alone: "Alone",
  sample: (number) => `Sample ${number}`,
  afterAll: { debate: "After the debate", critique: "After the critique", consultancy: "After the consultancy" },
  criticAnswer: "The critic’s own answer",
  noAnswer: (why) => `${NO_ANSWER}: ${why}`,
  sure: (letter, p) => `${letter}, ${percent(p)} sure by its own statement`,
  stands: "These words stand in the passage.",
  absent: "These words do not stand in the passage.",
  legend: (stand, all) => `${stand} of ${all} quotes stand in the passage`,
  notYet: "The judge has not answered yet.",
  probability: (p) => `Probability of A: ${percent(p)}`,
};
