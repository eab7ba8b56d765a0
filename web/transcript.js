/** What is said, turn by turn. */

import { h, heard, say, toEvent } from "./dom.js";
import { blame, notes } from "./ledger.js";
import { failures } from "./parts.js";
import { scoreLine, spans, why } from "./scores.js";
import { pieces } from "./text.js";
import { verdicts } from "./verdicts.js";
import { NAME, SIGN, capital, count, number, outcomeWords, plain, ruleWords } from "./words.js";

/** More are drawn only where they are seen. */
const MANY = 40;
const STRETCH = 10;

/** A transcript of debate `id` in `root`; `go(position)` follows a turn's number. */
export function transcript(root, go, id) {
  const turns = h("div.turns");
  const coda = h("div.coda");
  root.append(turns, coda);
  const shown = new Map();
  const stretches = [];
  const asides = new Map();   // position → what the moderator said there
  const earlier = new WeakMap();   // turn as it stood → its article
  const gaps = new Map();   // turn → words that a later entry rests on: {name, position, span}
  let last = {};
  let now = null;
  const near = new IntersectionObserver((seen) => {   // what changed its score is read then
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      fills.get(target)();
    }
  }, { rootMargin: "100%" });

  function show(view, speech, { head }) {
    now = [view, speech, { head }];
    const running = head && view.state === "open";
    const numbers = Object.keys(view.turns).map(Number).sort((a, b) => a - b);
    stretches.splice(Math.ceil((numbers.at(-1) ?? 0) / STRETCH)).forEach((each) => each.remove());
    for (const [number, { article }] of shown) {
      if (number in view.turns) continue;
      article.remove();
      shown.delete(number);
    }
    const found = passages(view.claims);
    for (const number of numbers) {
      const turn = view.turns[number];
      let entry = shown.get(number);
      const holes = (gaps.get(number) ?? []).filter(({ position }) => position <= view.position);
      const key = `${found.get(number)?.map(([name, { state }]) => name + state)}${holes.length}${running}`;
      if (!entry || entry.turn !== turn || entry.key !== key) {
        const isOpen = entry?.article.querySelector("details.why")?.open;
        const known = earlier.get(turn);
        const article = known?.key === key ? known.article : made(id, number, turn, view, running, go, [...marks(found.get(number) ?? []), ...holes], exposed, light);
        earlier.set(turn, { key, article });
        if (isOpen) unfold(article.querySelector("details.why"));
        if (entry) entry.article.replaceWith(article);
        else (stretches[Math.floor((number - 1) / STRETCH)] ??= h("div.stretch")).append(article);
        if (fills.has(article)) near.observe(article);
        entry = { turn, article, key };
        shown.set(number, entry);
      }
      if (turn.state === "speaking") stream(entry.article, speech?.turn === number && speech.attempt === turn.attempt ? speech : null);
    }
    turns.append(...stretches.filter((each) => !each.isConnected));
    turns.classList.toggle("long", numbers.length > MANY);
    moderated(view.words ?? {});
    if (last.verdicts !== view.verdicts || last.conclusion !== view.conclusion || last.empty !== !numbers.length || last.state !== view.state) {
      coda.replaceChildren(...closing(view, numbers.length === 0));
    }
    last = { verdicts: view.verdicts, conclusion: view.conclusion, empty: !numbers.length, state: view.state };
  }

  /** The moderator's words, after the turns that they followed. */
  function moderated(words) {
    for (const [position, element] of asides) {
      if (position in words) continue;
      element.remove();
      asides.delete(position);
    }
    for (const [position, { text, after_turn: after }] of Object.entries(words)) {
      if (asides.has(position)) continue;
      const element = h("div.chair-word", { "data-position": position }, h("b", {}, "The moderator"), h("p.said", {}, text));
      const before = [...asides.values()].filter((each) => each.dataset.after === String(after)).at(-1) ?? shown.get(after)?.article;
      element.dataset.after = after;
      if (before) before.after(element);
      else turns.prepend(element);
      asides.set(position, element);
    }
  }

  /** Words that a later entry rests on are marked in whichever turn they stand. */
  function exposed(entries) {
    let isNew = false;
    for (const { name, position, evidence } of entries) {
      for (const { turn, span } of evidence) {
        const known = gaps.get(turn) ?? gaps.set(turn, []).get(turn);
        if (!span || known.some((each) => each.name === name)) continue;
        known.push({ name, position, span });
        isNew = true;
      }
    }
    if (isNew) show(...now);
  }

  /** Brings out the words that a reason rests on, in every turn; null lets them go. */
  function light(name) {
    turns.classList.toggle("lighting", name !== null);
    for (const mark of turns.querySelectorAll("mark")) {
      mark.classList.toggle("lit", name !== null && mark.dataset.names.split(" ").includes(name));
    }
  }

  /** Opens what a turn's score rests on; false where there is nothing yet. */
  function open(number) {
    const details = shown.get(number)?.article.querySelector("details.why");
    if (!details) return false;
    unfold(details);
    details.scrollIntoView({ block: "start" });
    details.querySelector("summary").focus({ preventScroll: true });
    return true;
  }

  /** The turn that an event is about, or the newest. */
  function place(event, view) {
    const number = event.turn ?? Math.max(0, ...Object.keys(view.turns).map(Number));
    const article = () => shown.get(number)?.article;
    if (view.turns[number]?.changed?.includes(view.position)) bring().catch(() => undefined);
    return article();

    async function bring() {
      for (let filled = null; filled !== article(); await fills.get(filled)?.()) filled = article(); 
      if (now[0].position === view.position) article().querySelector(".entries")?.scrollIntoView({ block: "nearest" });
    }
  }
  return { show, place, open };
}

const fills = new WeakMap();   // article → what reads its notes

/** Reasons are to be there at once: the event comes later. */
function unfold(details) {
  if (!details) return;
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
}

const passages = (claims) => Map.groupBy(Object.entries(claims), ([, { turn }]) => turn);
const marks = (claims) => claims.map(([name, { span }]) => ({ name: `claim/${name}`, span }));

function made(id, number, turn, view, running, go, others, exposed, light) {
  const seat = view[turn.side];
  const { list, fill } = notes(id, number, turn, view.position, go, exposed);
  const position = turn.judged ?? turn.spoken ?? turn.started;
  const article = h(`article.turn.${turn.side}.${turn.state}`, { "data-turn": number, "aria-labelledby": `turn-${number}` },
    h("h2.who", { id: `turn-${number}` },
      h("b", {}, `${SIGN[turn.side]} ${NAME[turn.side]}`),
      h("a", toEvent(position, go), `Turn ${number}`),
      seat && h("span.as", {}, plain(seat.archetype))),
    h("div.body", {},
      failures(turn, running),
      said(turn, [...others, ...(turn.injections ?? []).map((each, i) => ({ name: `injection/${i}`, span: each.span }))]),
      turn.state === "speaking" && h("p.doing", {}, "is called to speak"),
      turn.clipped && h("p.quiet.clip", {}, `Cut at the limit of ${count(view.max_words, "word")}.`),
      turn.model && seat?.model && turn.model !== seat.model && !seat.model.endsWith(`:${turn.model}`) && h("p.quiet.clip", {}, `Answered by ${turn.model}.`),
      turn.state === "spoken" && h("p.doing", {}, running ? "The judge is reading this turn" : "Not judged yet"),
      ...scoreLine(turn),
      compared(turn),
      list,
      turn.repetition >= 0.2 && h("p.quiet.clip", {}, `${percent(turn.repetition * 100)} % of it had been said before by the same side, word for word.`),
      ...(turn.injections ?? []).slice(0, 1).map((each) => h("p.attempt", {}, h("b", {}, "Tries to instruct the judge: "), h("q", {}, each.quote))),
      why(turn, light, blame(id, number, turn, view.position, go, light))));
  if (fill) fills.set(article, fill);
  return article;
}

const percent = number;

const kinds = (names) => `${names.some((name) => name.startsWith("claim/")) ? ".claimed" : ""}${names.some((name) => name.startsWith("gap/")) ? ".gap" : ""}${names.every((name) => name.startsWith("entry/")) ? ".entry" : ""}`;

function compared(turn) {
  const head = turn.compared;
  if (!head) return null;
  if (head.missing) return h("p.compared.quiet", {}, `No comparison with turn ${head.earlier}: ${head.missing.reason}.`);
  const WORD = { later: "won", earlier: "lost", draw: "drawn" };
  return h("p.compared.quiet", { title: head.reason }, `Against turn ${head.earlier}: `, Object.entries(head.outcomes).map(([name, outcome]) =>
    `${plain(name)} ${WORD[outcome]}${head.flipped.includes(name) ? " (the two orders disagreed)" : ""}`).join(" · "));
}

function said(turn, others) {
  if (turn.state === "speaking") return h("p.said", { "aria-busy": "true" }, "");
  if (!turn.text) return null;
  return h("p.said", {}, ...pieces(turn.text.replaceAll("\t", " "), [...spans(turn), ...others]).map(({ text, names }) =>
    (names.length ? h(`mark${kinds(names)}`, { "data-names": names.join(" ") }, text) : text)));
}

function stream(article, speech) {
  const text = article.querySelector(".said");
  if (text.firstChild) {
    if (text.firstChild.data !== (speech?.text ?? "")) text.firstChild.data = speech?.text ?? "";
  } else {
    text.append(document.createTextNode(speech?.text ?? ""));
  }
  say(article.querySelector(".doing"), speech?.text ? "speaking" : "is called to speak");
}

function closing(view, isEmpty) {
  const parts = [];
  if (isEmpty && view.state === "open") {
    parts.push(h("p.empty", {}, "The debate is open. Pro is about to be called; the words appear here as they are spoken, and a score follows every turn."));
  }
  if (isEmpty && view.state !== "open") parts.push(h("p.empty", {}, "Nothing was said."));
  parts.push(...verdicts(view));
  if (view.conclusion) {
    parts.push(h("p.end", {}, heard(`${capital(outcomeWords(view))}. `), `The debate ended; decided ${ruleWords(view.conclusion.by_rule)}.`));
  }
  return parts;
}
