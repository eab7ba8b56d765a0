/** The transcript of an exchange, turn by turn. */

import { ledgers } from "../audit/ledger.js";
import { $, eventLink, h, inLanguage, setText } from "../parts/dom.js";
import { aroundMarks, pieces } from "../parts/text.js";
import { failures, pressureWords } from "../parts/widgets.js";
import { newestTurn } from "../replay/history.js";
import { capital, count, number, plain, tenths } from "../words/formatting.js";
import { NAME, ORIGIN, SIGN, TRANSCRIPT, outcomeWords } from "../words/words.js";
import { firstSide, named } from "./labels.js";
import { quoteSpans, scoreLine, whyDetails } from "./scores.js";
import { verdicts } from "./verdicts.js";

/** In a debate with more turns, only the turns near the viewport are laid out. */
const MANY = 40;
const BATCH_SIZE = 10;
/** @type {typeof import("./questions.js").questionsAbout | null} Fetched once a turn is judged live. */
let counted = null;

async function countQuestions() {
  counted ??= (await import("./questions.js")).questionsAbout;
}

/** The share of repeated words from which a turn says so. */
const REPETITION = 0.2;

/** Article → the changes of its score, as a list that fetches what it lacks. */
const changesOf = new WeakMap();
/** Premises → by turn, those that it withdrew openly. */
const withdrawals = new WeakMap();
/** Moves of the lead → by turn, those for which it exposed a flaw. */
const exposures = new WeakMap();
/** Articles whose changes have been asked for. */
const asked = new WeakSet();
/** Where each verdict stands, by the type of its event. */
const VERDICT_PLACES = {
  __proto__: null,
  scorecard_verdict_reached: ".verdict.scorecard",
  narrative_verdict_reached: ".verdict.narrative",
  conflict_resolved: ".verdict.conflict",
  convergence_assessed: ".verdict.convergence",
  debate_concluded: ".end",
};
/** A change that comes while the reader watches stands out for this long. */
const FRESH_MS = 8_000;
/** A view that has moved by more events is another place, and no step. */
const FAR = 20;

/**
 * The transcript of debate `id` in `root`.
 * @param {HTMLElement} root
 * @param {(position: number) => void} go
 * @param {string} id
 * @param {(position: number) => object | undefined} wantFrame A frame; one that the page does not hold is fetched.
 * @param {(change: () => void) => void} hold Changes the page; the words that are read stay where they are.
 * @returns {{show: Function, place(event: object, view: View): Element | undefined, open(number: number): boolean,
 *   flash(event: object, position: number): Element | undefined}}
 *   `open` shows the reasons for a turn's score; false if there are none yet.
 */
export function transcript(root, go, id, wantFrame, hold) {
  const turns = h("div.turns");
  const ending = h("div.ending");
  root.append(turns, ending);
  turns.addEventListener("click", ({ target }) => seeOther(target.closest("mark[data-to]")));
  const shown = new Map();
  const batches = [];
  /** Position → the moderator's message there. */
  const messages = new Map();
  /** Turn, as it stood → its article. */
  const articles = new WeakMap();
  /** Turn → the evidence of later entries in it: {name, position, span}. */
  const evidenceIn = new Map();
  let last = {};
  let now = null;
  /** Whether the reader watches the debate go on: the view has moved on by some events. */
  let isStep = false;
  /** Changes of scores that have just come: position → turn. */
  const fresh = new Map();
  /** Positions of changes that have come while their turn was in view: they stay folded until it has left the view. */
  const arriving = new Set();
  const leaving = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) unfold(target);
    }
  });
  // The changes of a score are fetched when the turn comes near the viewport.
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      changesOf.get(target).fill();
    }
  }, { rootMargin: "100%" });
  const ledger = ledgers(id, go, highlight, (entries, showRows) => hold(() => {
    markEvidence(entries);
    showRows();
    light([...fresh.keys()]);
  }));

  function show(view, speech, { head }) {
    const passed = view.position - (now?.[0].position ?? 0);
    isStep = head && passed > 0 && passed < FAR;
    now = [view, speech, { head }];
    const isRunning = head && view.state === "open";
    const numbers = Object.keys(view.turns).map(Number).sort((a, b) => a - b);
    removeAfter(view, numbers.at(-1) ?? 0);
    const claims = Map.groupBy(Object.entries(view.claims), ([, { turn }]) => turn);
    const cited = Map.groupBy(Object.values(view.evidence?.citations ?? {}), ({ turn }) => turn);
    for (const turn of numbers) showTurn(turn, view, speech, isRunning, claims.get(turn) ?? [], cited.get(turn) ?? []);
    turns.append(...batches.filter((each) => !each.isConnected));
    turns.classList.toggle("long", numbers.length > MANY);
    showMessages(view.words ?? {}, Boolean(view.transcript));
    const { verdicts: reached, conclusion, state } = view;
    const isEmpty = numbers.length === 0;
    const isSame = last.reached === reached && last.conclusion === conclusion;
    if (!isSame || last.isEmpty !== isEmpty || last.state !== state) ending.replaceChildren(...closing(view, isEmpty));
    last = { reached, conclusion, isEmpty, state };
    if (fresh.size) showFresh();
  }

  /** Removes the turns that this view does not have. */
  function removeAfter(view, newest) {
    for (const batch of batches.splice(Math.ceil(newest / BATCH_SIZE))) batch.remove();
    for (const [number_, { article }] of shown) {
      if (number_ in view.turns) continue;
      article.remove();
      shown.delete(number_);
    }
  }

  function showTurn(number_, view, speech, isRunning, claims, cited) {
    const turn = view.turns[number_];
    const evidence = (evidenceIn.get(number_) ?? []).filter(({ position }) => position <= view.position);
    const key = [
      claims.map(([name, { state }]) => name + state),
      evidence.length,
      cited.length,
      isRunning,
      withdrawnIn(number_, view.premises).length,
      String(turn.directive) in view.directives,
      exposedBy(number_, view),
    ].join(" ");
    let entry = shown.get(number_);
    if (entry && entry.turn !== turn && isStep && isInWindow(entry.article)) {
      for (const each of turn.changed ?? []) if (!entry.turn.changed?.includes(each)) arriving.add(each);
    }
    if (!entry || entry.turn !== turn || entry.key !== key) {
      const known = articles.get(turn);
      const arrivals = (turn.changed ?? []).filter((position) => arriving.has(position));
      const marks = [...claims.map(([name, { span }]) => ({ name: `claim/${name}`, span })), ...evidence];
      const article = known?.key === key ? known.article : turnArticle(number_, view, isRunning, marks, cited);
      articles.set(turn, { key, article });
      changesOf.get(article)?.show();
      if (entry?.article.querySelector("details.why")?.open) openDetails(article.querySelector("details.why"));
      const opened = entry && entry.article !== article && $(".cite[aria-expanded=true]", entry.article);
      if (opened) $(`.cite[data-citations="${opened.dataset.citations}"]`, article)?.click();
      if (entry) leaving.unobserve(entry.article);
      if (arrivals.length) leaving.observe(article);
      if (entry) entry.article.replaceWith(article);
      else batchOf(number_).append(article);
      if (changesOf.has(article)) observer.observe(article);
      entry = { turn, article, key };
      shown.set(number_, entry);
    }
    if (turn.state === "spoken" && isRunning) {
      const doing = entry.article.querySelector(".doing");
      countQuestions().then(() => setText(doing, TRANSCRIPT.judging(counted(number_, view, wantFrame))));
    }
    if (turn.state !== "speaking") return;
    const isSpeech = speech?.turn === number_ && speech.attempt === turn.attempt;
    showSpeech(entry.article, isSpeech ? speech.text : "");
  }

  /** Shows the changes of a turn that has left the view. */
  function unfold(article) {
    leaving.unobserve(article);
    const { turn } = shown.get(Number(article.dataset.turn)) ?? {};
    for (const position of turn?.changed ?? []) arriving.delete(position);
    hold(() => changesOf.get(article)?.again());
  }

  function batchOf(number_) {
    const index = Math.floor((number_ - 1) / BATCH_SIZE);
    batches[index] ??= h("div.turn-batch");
    return batches[index];
  }

  /** Shows the moderator's messages, each after the turn that it followed. */
  function showMessages(words, isSupplied) {
    for (const [position, element] of messages) {
      if (position in words) continue;
      element.remove();
      messages.delete(position);
    }
    for (const [position, { text, by, after_turn: after }] of Object.entries(words)) {
      if (messages.has(position)) continue;
      const title = h("b", {}, isSupplied && by !== "moderator" ? by : TRANSCRIPT.moderator);
      const element = h("div.message", { "data-position": position }, title, h("p.said", {}, text));
      const same = [...messages.values()].filter((each) => each.dataset.after === String(after));
      const before = same.at(-1) ?? shown.get(after)?.article;
      element.dataset.after = after;
      if (before) before.after(element);
      else turns.prepend(element);
      messages.set(position, element);
    }
  }

  /** Marks the evidence of later entries in the turns where it stands. */
  function markEvidence(entries) {
    let isNew = false;
    for (const { name, position, evidence } of entries) {
      const [fails, exposes] = name.startsWith("gap/") ? evidence.map(({ turn }) => turn) : [];
      for (const [i, { turn, span }] of evidence.entries()) {
        const known = evidenceIn.get(turn) ?? [];
        evidenceIn.set(turn, known);
        if (!span || known.some((each) => each.name === name)) continue;
        known.push({ name, position, span, role: ROLES[i], to: fails === exposes ? undefined : [exposes, fails][i] });
        isNew = true;
      }
    }
    if (isNew) show(...now);
  }

  /** Goes from the words of a flaw to those that expose it, and back. */
  function seeOther(mark) {
    const name = mark?.dataset.names.split(" ").find((each) => each.startsWith("gap/"));
    const other = name && $(`[data-turn="${mark.dataset.to}"] mark[data-names~="${name}"]`, turns);
    if (!other) return;
    other.tabIndex = -1;
    other.focus({ preventScroll: true });
    other.scrollIntoView({ block: "center" });
  }

  /** Highlights the words on which a reason rests, in every turn; null ends it. */
  function highlight(name) {
    turns.classList.toggle("lighting", name !== null);
    for (const mark of turns.querySelectorAll("mark[data-names]")) {
      mark.classList.toggle("lit", name !== null && mark.dataset.names.split(" ").includes(name));
    }
  }

  /** Opens the passages of a citation below its speech, or closes them. */
  async function toggleCitation({ currentTarget: button }) {
    const article = button.closest("article");
    const isOpen = button.getAttribute("aria-expanded") === "true";
    for (const each of article.querySelectorAll(".cite")) each.setAttribute("aria-expanded", String(each === button));
    $(".passages", article)?.remove();
    if (isOpen) {
      button.setAttribute("aria-expanded", "false");
      return;
    }
    const { citedPassages } = await import("./evidence.js");
    if (button.getAttribute("aria-expanded") !== "true" || $(".passages", article)) return;
    const close = () => {
      button.setAttribute("aria-expanded", "false");
      $(".passages", article)?.remove();
      button.focus();
    };
    const passages = citedPassages(button.dataset.citations.split(" "), now[0], close);
    $(".said", article).after(passages);
    if (article.isConnected) passages.scrollIntoView({ block: "nearest" });
  }

  function turnArticle(number_, view, isRunning, marks, cited) {
    const turn = view.turns[number_];
    const name = (text) => named(text, firstSide(view));
    const changes = ledger.changes(number_, turn, view.position, name, arriving);
    const injections = turn.injections ?? [];
    const spans = [...marks, ...injections.map(({ span }, i) => ({ name: `injection/${i}`, span }))];
    const shaped = shapedBy(turn, view, go);
    const exposed = exposedBy(number_, view);
    const why = whyDetails(turn, highlight, ledger.entries(number_, turn, view.position, name), {
      name,
      begins: [scoreLine(turn), comparison(turn.compared), comparison(turn.closing), shaped],
      sections: async () => comparisonReasons(turn, await ledger.comparisons(number_, turn)),
    });
    const article = h(`article.turn.${turn.side}.${turn.state}`, {
      "data-turn": number_,
      "aria-labelledby": `turn-${number_}`,
    },
    h("div.gutter", {}, speaker(number_, turn, view, go), given(turn)),
    h("div.body", {},
      failures(turn, isRunning),
      !why && shaped,
      spokenText(turn, spans, cited, toggleCitation),
      notes(turn, view, isRunning),
      !why && scoreLine(turn),
      withdrawnIn(number_, view.premises).map((each) => concession(each, name, go)),
      turn.unchecked && h("p.unchecked", {}, uncheckedWords(turn.unchecked)),
      changes?.list,
      turn.repetition >= REPETITION && h("p.quiet.clip", {}, TRANSCRIPT.repetition(number(turn.repetition * 100))),
      injections.length > 0
        && h("p.attempt", {}, h("b", {}, TRANSCRIPT.injection), h("q", {}, injections[0].quote)),
      h("div.fold", {}, changes?.folded, why, exposed.length > 0 && h("span", {}, TRANSCRIPT.exposed(exposed)))));
    if (changes) changesOf.set(article, changes);
    return article;
  }

  function open(number_) {
    const details = shown.get(number_)?.article.querySelector("details.why");
    if (!details) return false;
    openDetails(details);
    details.scrollIntoView({ block: "start" });
    details.querySelector("summary").focus({ preventScroll: true });
    return true;
  }

  /**
   * The verdict or the turn that an event is about, or the newest turn; of a change of its score the entry, once it
   * has been fetched.
   */
  function place(event, view) {
    const verdict = event.type in VERDICT_PLACES && $(VERDICT_PLACES[event.type], ending);
    if (verdict) return verdict;
    const number_ = event.turn ?? newestTurn(view);
    const article = shown.get(number_)?.article;
    if (!view.turns[number_]?.changed?.includes(view.position)) return article;
    const entry = entryOf(view.position);
    if (!entry) fetchOnce(article); // `place` is called again when the list is filled
    light([view.position, ...fresh.keys()]);
    return entry?.closest("details:not([open])") ?? entry ?? article;
  }

  const entryOf = (position) => $(`.entries [data-position="${position}"]`, turns);

  /** Lets changes of scores, and the words on which they rest, stand out. */
  function light(positions) {
    const names = positions.flatMap((position) => [`gap/${position}`, `entry/${position}`]);
    for (const mark of turns.querySelectorAll("mark[data-names]")) {
      mark.classList.toggle("flash", mark.dataset.names.split(" ").some((name) => names.includes(name)));
    }
    for (const entry of turns.querySelectorAll(".entries [data-position]")) {
      entry.toggleAttribute("data-fresh", positions.includes(Number(entry.dataset.position)));
    }
  }

  /**
   * Shows for a while which change of a score has just come.
   * @returns {Element | undefined} Its entry, or its turn until the entry has been fetched.
   */
  function flash({ turn }, position) {
    fresh.set(position, turn);
    setTimeout(() => {
      fresh.delete(position);
      light([...fresh.keys()]);
    }, FRESH_MS);
    showFresh();
    return entryOf(position) ?? shown.get(turn)?.article;
  }

  function showFresh() {
    for (const turn of fresh.values()) fetchOnce(shown.get(turn)?.article);
    light([...fresh.keys()]);
  }

  return { show, place, open, flash };
}

/** Whether a part of an element stands in the window. */
function isInWindow(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

/** Fetches the changes of a score, if they have not been asked for. */
function fetchOnce(article) {
  if (!changesOf.has(article) || asked.has(article)) return;
  asked.add(article);
  changesOf.get(article).fill();
}

/** Opens details at once: the browser dispatches `toggle` only later. */
function openDetails(details) {
  if (!details) return;
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
}

function speaker(number_, turn, view, go) {
  const seat = view[turn.side];
  const position = turn.judged ?? turn.spoken ?? turn.started;
  return h("h2.who", { id: `turn-${number_}` },
    h("b", {}, `${SIGN[turn.side]} ${NAME[turn.side]}`),
    h("a", eventLink(position, go), `Turn ${number_}`),
    seat && h("span.as", {}, turn.speaker ?? seat.speaker ?? plain(seat.archetype),
      turn.origin && h("span.origin", { title: turn.origin.text }, ` · ${ORIGIN[turn.origin.kind]}`)));
}

/** The earlier turns in which a turn exposed a flaw. */
function exposedBy(number_, { lead: { moves } }) {
  let found = exposures.get(moves);
  if (!found) {
    found = Map.groupBy(Object.values(moves).filter(({ by, turn }) => turn < by), ({ by }) => by);
    exposures.set(moves, found);
  }
  return [...new Set(found.get(number_)?.map(({ turn }) => turn))];
}

/** The score of a turn, and what it was at first. */
function given({ composite, composite_admitted: first, composite_maximum: most }) {
  if (typeof composite !== "number") return null;
  return h("p.given", {},
    h("b", {}, tenths(composite), most && h("small", {}, `/${most}`)),
    first !== undefined && h("span.was", {}, TRANSCRIPT.was(tenths(first))));
}

function notes(turn, view, isRunning) {
  const planned = view[turn.side]?.model;
  const most = view[turn.side]?.max_words ?? view.max_words;
  const isOther = turn.model && planned && turn.model !== planned && !planned.endsWith(`:${turn.model}`);
  return [
    turn.state === "speaking" && h("p.doing", {}, writer(turn, view) ?? TRANSCRIPT.waiting),
    turn.clipped && h("p.quiet.clip", {}, TRANSCRIPT.clipped(count(most, "word"))),
    isOther && h("p.quiet.clip", {}, TRANSCRIPT.answeredBy(turn.model)),
    turn.state === "spoken" && h("p.doing", {}, isRunning ? TRANSCRIPT.judging(null) : TRANSCRIPT.notJudged),
  ];
}

/** That a person writes the turn; null if a model speaks. */
function writer({ side }, view) {
  const seat = view.people?.[side];
  if (!seat || seat.state === "handed_over") return null;
  const name = view[side]?.speaker ?? NAME[side];
  const hasTaken = !["free", "invited"].includes(seat.state);
  return hasTaken ? TRANSCRIPT.writing(name) : TRANSCRIPT.absent(name);
}

/** The pressure and the directive under which a turn was spoken; a directive is in the view once it may be read. */
function shapedBy({ pressure, directive }, view, go) {
  const issued = view.directives[directive];
  if (!pressure && !issued) return null;
  return h("p.shaped", {},
    pressure && h("span", {}, TRANSCRIPT.pressure(pressure.turn), pressureWords(pressure)),
    issued && h("span", {}, h("a", eventLink(directive, go), TRANSCRIPT.directive), ": ", issued.text));
}

function withdrawnIn(number_, premises) {
  let found = withdrawals.get(premises);
  if (!found) {
    const all = Object.entries(premises).flatMap(([name, { text, changes }]) => {
      return changes.filter(({ what }) => what === "withdrawn").map((each) => ({ ...each, name, text }));
    });
    found = Map.groupBy(all, ({ turn }) => turn);
    withdrawals.set(premises, found);
  }
  return found.get(number_) ?? [];
}

function concession({ name: premise, position, text }, name, go) {
  return h("p.concession", {}, h("a", eventLink(position, go), TRANSCRIPT.concession(premise)), ": ", name(text));
}

function uncheckedWords(unchecked) {
  return TRANSCRIPT.unchecked(Object.entries(unchecked).map(([what, { reason }]) => `${what} (${reason})`));
}

function comparison(found) {
  if (!found) return null;
  const { earlier, missing, outcomes, degrees = {}, flipped } = found;
  if (missing) return h("p.compared.quiet", {}, TRANSCRIPT.noComparison(earlier, missing.reason));
  const results = Object.entries(outcomes).map(([name, outcome]) => {
    const degree = TRANSCRIPT.degree[degrees[name]] ?? "";
    return `${plain(name)} ${TRANSCRIPT.result[outcome]}${degree}${flipped.includes(name) ? TRANSCRIPT.flipped : ""}`;
  });
  return h("p.compared.quiet", {}, TRANSCRIPT.against(earlier), results.join(" · "));
}

/** What the judge said of a turn and an earlier one, in each order. */
function comparisonReasons({ compared, closing }, reasons) {
  const known = reasons.filter(({ earlier }) => [compared, closing].some((found) => found?.earlier === earlier));
  return known.map(({ earlier, readings }) => h("section.compared-why", {},
    h("h3", {}, TRANSCRIPT.compared(earlier)),
    readings.map(({ order, text }) => {
      return h("p", {}, order.length > 0 && h("span.quiet", {}, TRANSCRIPT.order(order)), inLanguage(text));
    })));
}

/** What the two quotes of a flaw do, in the order of its evidence. */
const ROLES = ["fails", "exposes"];
const ARROWS = { fails: "→", exposes: "←" };

/** Of several findings about one mark, the first of these is shown. */
const GRAVEST = ["unknown_passage", "misquoted", "misread", "verified", "paraphrased"];

function spokenText(turn, spans, cited, toggleCitation) {
  if (turn.state === "speaking") return h("p.said", { "aria-busy": "true" }, "");
  if (!turn.text) return null;
  const inside = cited.filter(({ passage }) => passage);
  const marks = inside.map(({ citation, span }) => ({ name: `cite/${citation}`, span }));
  const around = aroundMarks([...quoteSpans(turn), ...spans], marks);
  const parts = pieces(turn.text.replaceAll("\t", " "), [...around, ...marks]);
  return h("p.said", {}, parts.map(({ text, names }, i) => {
    const citations = names.filter((name) => name.startsWith("cite/"));
    const others = names.filter((name) => !name.startsWith("cite/"));
    const found = cited.filter(({ citation }) => citations.includes(`cite/${citation}`));
    const child = found.length ? citeButton(text, found, toggleCitation) : text;
    if (!others.length) return child;
    const flaws = spans.filter(({ name, role }) => role && others.includes(name));
    const ends = flaws.find(({ name, to }) => to && !parts[i + 1]?.names.includes(name));
    const { role, to } = ends ?? {};
    return h(`mark${markClasses(others, flaws)}`, {
      "data-names": others.join(" "),
      "data-to": flaws.find((each) => each.to)?.to,
      "data-arrow": ends && `${ARROWS[role]}${to}`,
    }, child);
  }));
}

/** The mark of a citation as a button, which opens its passage. */
function citeButton(text, found, toggleCitation) {
  const finding = GRAVEST.find((each) => found.some((one) => one.finding === each)) ?? "";
  return h(`button.cite.${finding}`, {
    type: "button",
    "aria-expanded": "false",
    "aria-label": `${text}: ${TRANSCRIPT.cited[finding] ?? finding}`,
    "data-citations": found.map(({ citation }) => citation).join(" "),
    on: { click: toggleCitation },
  }, text);
}

function markClasses(names, flaws) {
  const isAny = (kind) => names.some((name) => name.startsWith(kind));
  const isEntry = names.every((name) => name.startsWith("entry/"));
  const fails = isAny("claim/") || flaws.some(({ role }) => role === "fails");
  const role = fails ? ".fails" : flaws.length ? ".exposes" : "";
  return `${role}${isAny("claim/") ? ".claimed" : ""}${isAny("gap/") ? ".gap" : ""}${isEntry ? ".entry" : ""}`;
}

/** Updates the text that is being spoken; the text node stays, so that a selection holds. */
function showSpeech(article, text) {
  const element = article.querySelector(".said");
  if (!element.firstChild) element.append(document.createTextNode(text));
  else if (element.firstChild.data !== text) element.firstChild.data = text;
  if (text) setText(article.querySelector(".doing"), TRANSCRIPT.speaking);
}

function closing(view, isEmpty) {
  const parts = [];
  if (isEmpty) parts.push(h("p.empty", {}, view.state === "open" ? TRANSCRIPT.open : TRANSCRIPT.empty));
  parts.push(...verdicts(view));
  if (view.conclusion) {
    parts.push(h("p.end", {}, view.outcome?.text ?? `${capital(outcomeWords(view))}.`));
  }
  return parts;
}
