/**
 * The words of the questions to a person who judges or debates in a form: what is asked, how long it takes, and the
 * names of the fields.
 */

import { capital, count, plain } from "./formatting.js";

/** A speech or a passage by its name: `turn 3`, `passage E2`, `PRO-1`. */
function turn(name) {
  if (/^\d+$/.test(name ?? "")) return `turn ${name}`;
  return /^E\d+$/.test(name ?? "") ? `passage ${name}` : name;
}

/** What is wrong with a field. The server uses the same words: server/people/checks.py. */
export const FAULTS = {
  choose: "Choose one of the answers.",
  words: "Choose the words.",
  wordsOrNoPoints: "Choose the words, or give 0 points.",
  fewerWords: (most, length) => `Shorten this to ${most} words; it has ${length}.`,
  write: "Write something here.",
  longer: (least) => `Write at least ${least} characters.`,
  shorter: (most, length) => `Shorten this to ${most} characters; it has ${length}.`,
  atLeast: (least) => `Give at least ${least}.`,
  atMost: (most) => `Give at most ${most}.`,
  scale({ low, high, isWhole }) {
    const what = isWhole ? "a whole number" : "a number";
    return low === undefined || high === undefined ? `Give ${what}.` : `Give ${what} from ${low} to ${high}.`;
  },
};

/**
 * Each purpose of a question: its title, its minutes, and what to do. `about`: the names of the speeches that it is
 * about; `speaker`: who gave the first of them.
 */
export const QUESTIONS = {
  score: {
    title: ({ about }) => `Score ${turn(about[0])}`,
    minutes: 10,
    how: ({ about }) => [
      `Read ${turn(about[0])}. For each heading below, choose the words of the turn on which your answer rests, and give
      points. The sentences beside the numbers say what earns them; you may give the numbers between them too.`,
      `Where a heading asks for words, points above 0 need them. Do not take points for the same flaw twice. What your
      answer will count stands above “Send”.`,
    ],
  },
  compare: {
    title: ({ about }) => `Compare ${turn(about[0])} and ${turn(about[1])}`,
    minutes: 2,
    how: () => [
      `Which of the two turns is better in each respect? “Slightly” means that a fair reader could see it the other
      way. “Clearly” means that nearly every fair reader would agree.`,
      `Measure each turn by what it had to answer. If only one of them could do something, because it spoke first or
      second, that does not count.`,
    ],
  },
  claims: {
    title: ({ about }) => `Suspect claims in ${turn(about[0])}`,
    minutes: 3,
    how: ({ about }) => [
      `Does ${turn(about[0])} claim something that looks invented or wrong, or that sounds more exact or more certain
      than it can be? Add each such claim with its words. Most turns have none or one.`,
      "You need not look anything up. If you only cannot check a claim, it is at most “unverifiable”.",
    ],
  },
  evidence: {
    title: ({ about }) => `The evidence for ${turn(about[0])}`,
    minutes: 4,
    how: () => [
      `Each claim below stands beside one passage of a document. Does the passage give a reason to believe the claim?
      Judge by the words of the passage alone, not by what you know, and not by whether the claim is right.`,
    ],
  },
  premises: {
    title: ({ about }) => `What ${turn(about[0])} rests on`,
    minutes: 4,
    how: ({ speaker }) => [
      `A premise is a statement that the case of Speaker ${speaker} needs: if it fell, the case would be weaker. Each
      premise goes into one list only. A list may stay empty.`,
    ],
  },
  gaps: {
    title: ({ about }) => `Flaws that ${turn(about[0])} shows`,
    minutes: 4,
    how: ({ about }) => [
      `Does ${turn(about[0])} show that an earlier turn, of either speaker, has a flaw in its logic? A flaw is a step or
      a premise that fails. That ${turn(about[0])} answers a point is not enough.`,
      "Add only flaws for which you have not taken points yet. Most turns show none or one.",
    ],
  },
  audit: {
    title: () => "Flaws that are left",
    minutes: 6,
    how: () => [
      `The debate is over. Look at all turns once more: does one of them have a flaw in its logic for which you have not
      taken points? Hold both speakers to the same standard. It is a good answer to add none.`,
    ],
  },
  second_opinion: {
    title: ({ about }) => `One claim of ${turn(about[0])}`,
    minutes: 2,
    how: ({ register: [claim], terms: [term] }) => [
      `The claim: “${claim?.text ?? ""}”`,
      term ? `Is it true of this claim that ${term.asks}?` : "Is the claim suspect?",
      "If you cannot tell, the answer is no.",
    ],
  },
  narrative: {
    title: () => "The debate as a whole",
    minutes: 8,
    how: () => [
      "The debate is over. Do not count single turns: whose position held better from beginning to end?",
    ],
  },
  conflict: {
    title: () => "Two results that differ",
    minutes: 4,
    how: () => [
      `Two readings of this debate stand below. They differ in the winner, or in how clear the result is. Say where they
      differ, and how both can be true.`,
    ],
  },
  convergence: {
    title: () => "How close the speakers came",
    minutes: 4,
    how: () => [
      "What did each speaker claim above all, at the beginning and at the end? One sentence each.",
    ],
  },
  panel: {
    title: ({ about }) => (about.every((each) => /^\d+$/.test(each)) ? "Rate each turn" : "Rate each argument"),
    minutes: 15,
    how: () => [
      `You are one of several raters, and you do not see the ratings of the others. Use the whole scale: most ratings
      lie between its ends.`,
    ],
  },
  deliberate: {
    title: ({ speeches }) => (speeches[0]?.kind === "text" ? "Judge this text" : "Look again"),
    minutes: 8,
    how: ({ context }) => (/^Round /m.test(context)
      ? [`You see what the others say. Keep your opinion where it holds. Change it for words that are really there, or
        for a better reason about them; never because others are more, or surer.`]
      : ["Read the text, score it, and give your verdict with the words on which it rests most."]),
  },
  group: {
    title: () => "Which findings are the same?",
    minutes: 3,
    how: () => ["For each finding (F) and each change (R), choose the first earlier one that says the same, or none."],
  },
  assess: {
    title: () => "Judge the whole debate",
    minutes: 20,
    how: () => [
      "Judge each argument for a person who must decide: say whether it holds, and score it on the criteria.",
      `The score for responsiveness is for the answers: how the side of an argument meets the question that was put
      about it.`,
    ],
  },
};

/** What is asked of a person who debates in format protocol. */
const STATEMENTS = {
  open: {
    title: () => "Open your case",
    minutes: 15,
    how: ({ about }) => [
      `Give exactly ${about.length} arguments, each on a point of its own: the claim in one sentence, how it follows `
        + "step by step, and evidence that somebody could check.",
      "Neither side reads the other one’s opening before both are sent.",
    ],
  },
  cross: {
    title: () => "Examine the other side’s arguments",
    minutes: 12,
    how: () => [
      `Say of each argument whether it holds, and why. Then put one sharp question: the other side must answer it next,
      and you read the answer before you close.`,
    ],
  },
  answer: {
    title: () => "Answer the questions put to you",
    minutes: 10,
    how: () => [
      "Answer each question itself. The judge scores how well your side responds by these answers.",
    ],
  },
  close: {
    title: () => "Close your case",
    minutes: 8,
    how: () => [
      "Say what you grant, what still holds, and how sure of it one may be.",
      "It is no weakness to say that your position moved.",
    ],
  },
};
Object.assign(QUESTIONS, STATEMENTS);

/** A purpose without words of its own. */
const OTHER = { title: ({ purpose }) => capital(plain(purpose)), minutes: 5, how: () => [] };

/** How a person who debates cites a passage of a document. */
function citing({ purpose, register }) {
  const passage = register.find(({ kind }) => kind === "passage");
  if (!passage || !Object.hasOwn(STATEMENTS, purpose)) return [];
  return [`You may cite the passages: quote the exact words, and put the number right after them: “the words”
    [${passage.name}].`];
}

/**
 * The words of a question.
 * @param {object} material
 * @returns {{title: string, takes: string, how: string[]}}
 */
export function question(material) {
  const words = Object.hasOwn(QUESTIONS, material.purpose) ? QUESTIONS[material.purpose] : OTHER;
  const speaker = material.speeches.find(({ name }) => name === material.about[0])?.speaker;
  const facts = { ...material, speaker };
  return {
    title: words.title(facts),
    takes: `about ${count(words.minutes, "minute")}`,
    how: [...words.how(facts), ...citing(material)].map((line) => line.replace(/\s+/g, " ")),
  };
}

/** Names of fields where the name of the property does not say it. */
const LABELS = {
  A: "Speaker A",
  B: "Speaker B",
  about: "About",
  answered: "What of the other speaker the turn answers",
  argument: "Which argument",
  cites: "What you rely on (optional)",
  claim: "The claim, in one sentence",
  claims: "Suspect claims",
  concessions: "What you now grant to the other side",
  confidence: "How sure are you?",
  continues: "Have you taken points for this flaw already?",
  contradictions: "Premises that the turn contradicts",
  dropped: "Premises that the turn drops",
  early: "Claim at the beginning",
  evidence: "The evidence",
  evolution: "How the argument developed",
  explanation: "Why",
  exposed_by: "The words that show it",
  fails: "The words that fail",
  fallacies: "Fallacies",
  fallacy: "Which fallacy",
  final_position: "What you still hold, and how sure of it one may be",
  finding: "The most important thing that you see",
  follow_up: "Your question",
  findings: "Findings",
  fractures: "Where it broke",
  gaps: "Flaws",
  held: "What held",
  key_insight: "What one should take away from this debate",
  kind: "What is wrong with it",
  late: "Claim at the end",
  margin: "By how much?",
  moved_by: "Whose reason changed your verdict?",
  moved_words: "The words of that reason, as they are shown",
  notes: "What decides your rating, in one short sentence",
  pattern: "Which of these describes the debate best?",
  points: "Points",
  premise: "Which premise",
  premises: "Which premises",
  quote: "Words from the turn",
  rationale: "Why",
  reason: "Why",
  reasoning: "How it follows",
  recommendation: "What the person who decides should do",
  remediation: "What should be changed",
  response: "Does it hold?",
  revised: "Premises that the turn puts differently",
  scores: "Scores",
  shift: "Where you stand, compared with your opening",
  shift_reason: "What moved your position, or why nothing did",
  standing: "Does it hold?",
  standing_arguments: "Your arguments that hold as you stated them",
  standings: "Does it hold?",
  stated: "New premises",
  text: "In your words",
  unresolved_questions: "Questions that stay open",
  verdict: "Your verdict",
  winner: "Whose position held better?",
  withdrawn: "Premises that the turn gives up openly",
  withdraws: "What you no longer hold: findings (F) and changes (R)",
};

/** Names that depend on the purpose. */
const LABELS_OF = {
  answer: { answer: "Your answer" },
  cross: { reasoning: "Why" },
  convergence: { kind: "Where did the debate end up?" },
  deliberate: {
    quote: "Words on which your verdict rests most",
    confidence: "How sure are you? 0 is not at all, 1 is certain",
  },
  evidence: { quote: "Words of the passage on which you rely", relation: "The passage and the claim" },
  second_opinion: { verdict: "Is it so?" },
  conflict: { text: "How do they differ, and why?" },
};

/** When a quote is needed, by the property beside it that decides it. */
const NEEDED = { points: "needed for points above 0", relation: "needed unless the passage is about something else" };

/** What a list holds, for the button that adds a row. */
const ROWS = {
  claims: "a suspect claim",
  concessions: "a concession",
  contradictions: "a contradiction",
  dropped: "a premise that is dropped",
  fallacies: "a fallacy",
  findings: "a finding",
  gaps: "a flaw",
  remediation: "a change",
  revised: "a premise that is put differently",
  stated: "a premise",
  unresolved_questions: "an open question",
  withdrawn: "a premise that is given up",
};

/** What a field means, where its name does not say it. */
const HINTS = {
  answered: "The turn attacks it, questions it, turns it round or grants it. Leave out what it only mentions.",
  dropped: "The opponent attacked it in the turn before, and this turn says nothing about it.",
  withdrawn: "The turn says openly that it gives this premise up. That costs nothing.",
  revised: "The turn changes it, concedes a part of it, or takes it up again.",
  stated: "What the turn builds on and had not said before: five at most.",
};

/** The answers of a choice. */
const OPTIONS = {
  A: "Speaker A",
  B: "Speaker B",
  neither: "neither",
  tie: "neither is stronger",
  UPHELD: "yes: it was tested and holds",
  PARTIALLY_UPHELD: "in part: a limit was shown",
  REFUTED: "no: it was shown to fail",
  UNCERTAIN: "open: plausible and unproven",
  PASS: "passes",
  CONDITIONAL: "passes if something is changed",
  FAIL: "fails",
  coherence_collapse: "the side that won the single turns shifted its main claim again and again",
  asymmetric_depth: "one side had the style, the other the substance",
  convergence_failure: "both argued past each other",
  recovery_arc: "a side that was behind recovered and won",
  rule_effect: "a rule of the scores made the difference, not the debate",
  genuine_agreement: "they came to agree",
  definitional_dispute: "they differ only on what words mean",
  degree_disagreement: "they differ only on how much",
  degenerate_convergence: "both defend the same thing and do not notice it",
  supports: "the passage is a reason to believe the claim",
  contradicts: "the passage and the claim cannot both be true",
  beside_the_point: "neither: the passage is about something else",
  stalled: "they repeat themselves",
  unresolved: "they still disagree on the question itself",
};

const OPTIONS_OF = {
  cross: {
    refute: "no: its facts or its logic are wrong",
    challenge: "not shown: its evidence does not carry it, or its conditions are not met",
    partial: "in part: its core holds, but not in this degree or scope",
    concede: "yes: it holds",
  },
  close: {
    strengthened: "surer of it: the exchange gave me reasons",
    weakened: "less sure of it",
    adjusted: "elsewhere: it has limits or exceptions now that it did not have",
    unchanged: "unchanged: nothing that was said moved it",
  },
  second_opinion: { upheld: "yes", cleared: "no" },
  narrative: {
    none: "no difference",
    clear: "clearly",
    narrow: "narrowly",
    high: "very sure",
    medium: "fairly sure",
    low: "not sure",
  },
  conflict: { none: "none of these" },
};

/**
 * The name of a field.
 * @param {Field} field
 * @param {object} material
 * @returns {string}
 */
export function label({ name, kind, isRequired, neededWith }, { purpose }) {
  const own = LABELS_OF[purpose];
  const text = (own && Object.hasOwn(own, name) && own[name]) || (Object.hasOwn(LABELS, name) && LABELS[name]);
  const shown = text || speakerPart(name) || capital(plain(name));
  if (neededWith) return `${shown} (${NEEDED[neededWith]})`;
  const isOptional = (kind === "text" || kind === "quote") && !isRequired;
  return isOptional ? `${shown} (optional)` : shown;
}

/**
 * The name of an item that is rated, or of a passage beside its claim.
 * @param {Field} item
 * @returns {string}
 */
export function itemName({ name, about }) {
  if (about) return `Passage ${about.name} and the claim “${about.quote}”`;
  return /^\d+$/.test(name) ? `Turn ${name}` : name;
}

/** `A` → `Speaker A`; a debate by rounds names its sides. */
const speakerName = (label) => (/^[AB]$/.test(label) ? `Speaker ${label}` : label);

/** `A.logic` as words. */
function speakerPart(name) {
  const [, speaker, rest] = /^([AB]|Pro|Con)\.(.+)$/.exec(name) ?? [];
  return speaker && `${speakerName(speaker)}: ${plain(rest)}`;
}

/** What a field means; empty if its name says it. */
export const hint = ({ name, kind }) => (kind === "rows" && Object.hasOwn(HINTS, name) ? HINTS[name] : "");

/**
 * An answer of a choice in words.
 * @param {string | boolean | null} value
 * @param {object} material
 * @returns {string}
 */
export function option(value, { purpose, about, terms }) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  const graded = /^(first|second)(?:_(clear|slight))?$/.exec(value);
  if (purpose === "compare" && graded) {
    const which = capital(turn(about[graded[1] === "first" ? 0 : 1]));
    return graded[2] ? `${which}, ${graded[2]}ly` : which;
  }
  if (purpose === "compare" && value === "draw") return "no difference";
  const own = OPTIONS_OF[purpose];
  if (own && Object.hasOwn(own, value)) return own[value];
  const term = terms.find((each) => each.name === value);
  if (term?.asks) return `${plain(value)}: ${term.asks}`;
  return Object.hasOwn(OPTIONS, value) ? OPTIONS[value] : plain(String(value));
}

/** The page of a person who judges. */
export const ASKED = {
  add: (name) => `Add ${ROWS[name] ?? "an entry"}`,
  none: "None so far.",
  removeShort: "Remove",
  row: (number) => `Entry ${number}`,
  choose: "Choose words",
  chooseOthers: "Choose other words",
  removeWords: "Remove words",
  from: (name) => `from ${turn(name)}`,
  use: "Use these words",
  cancel: "Cancel",
  select: (names) => `Select words in ${names.length === 1 ? turn(names[0]) : "the text"}: with the mouse, with a
    finger, or with Shift and the arrow keys. Then press “Use these words”.`.replace(/\s+/g, " "),
  speechToChooseFrom: (name) => `${capital(turn(name))}: select words with Shift and the arrow keys`,
  tooLong: (most) => `Select fewer words: at most ${most} characters.`,
  selected: (words) => `Selected: “${words}”`,
  noneYet: "No turn to choose from.",
  atLeast: (least) => `at least ${least} characters`,
  ofScale: (low, high) => `${low} to ${high}`,
  motion: "The motion",
  speeches: "What was said",
  speech({ name, speaker, kind }) {
    if (kind === "text") return name;
    if (kind === "passage") return `Passage ${name}`;
    return `${/^\d+$/.test(name) ? `Turn ${name}` : capital(name)}, ${speakerName(speaker)}`;
  },
  words: (count, most) => `${count} of ${most} words`,
  sums: "What this will count",
  part(name) {
    if (name === "pro" || name === "con") return `All ${name.toUpperCase()} arguments`;
    return /^\d+$/.test(name) ? `Turn ${name}` : capital(plain(name));
  },
  counts({ points, most, says }) {
    const figure = points === undefined || points === null ? "no points" : `${points} of ${most}`;
    if (says.length > 0) return `${figure}: ${says.join("; ")}`;
    return points === undefined || points === null ? "not complete yet" : figure;
  },
  premises: "The premises so far",
  send: "Send this answer",
  sendStatement: "Send this statement",
  sendAll: (number) => `Send all ${count(number, "answer")}`,
  sending: "Sending…",
  sent: "Sent. Thank you.",
  mend: (number) => `${count(number, "place")} must be corrected before this can be sent.`,
  kept: "Your answers are kept: you can reload or close this page and go on later.",
  notKept: "Your answers could not be kept on the server. They stay in this page as long as it is open.",
  no: "no",
  left(seconds) {
    const minutes = Math.floor(seconds / 60);
    return `${minutes < 1 ? "Less than a minute" : count(minutes, "minute")} left`;
  },
};
