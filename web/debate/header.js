/** The head of a debate's page: the motion, the participants, the progress, and links to the parts of the page. */

import { compareHref } from "../parts/address.js";
import { $, h, onClick, setText } from "../parts/dom.js";
import { newestTurn } from "../replay/history.js";
import { capital, count, holder, isMissing, joined, number, plain } from "../words/formatting.js";
import { FORMAT, HEADER, NAME, ROUND, SIGN, UNNAMED, roundsOf } from "../words/words.js";

/** A motion with more characters is set in smaller type. */
const LONG_MOTION = 160;

/**
 * Shows what does not change while the debate goes on.
 * @param {View} view
 */
export function head(view) {
  const title = view.format === "deliberation" && view.artifact ? view.artifact.name : view.motion;
  document.title = [view.title || title, FORMAT[view.format], "Moot"].filter(Boolean).join(" · ");
  document.body.dataset.format = view.format;
  const motion = $("#motion");
  motion.lang = view.language ?? "en";
  setText(motion, view.motion);
  motion.classList.toggle("long", view.motion.length > LONG_MOTION);
  const whole = $("#whole-motion");
  whole.hidden = view.motion.length <= LONG_MOTION;
  setText(whole, whole.hidden ? "" : view.motion);
  setText($("#short"), view.motion);
  setText($("#kind"), kindWords(view));
  setText($("#opened"), HEADER.opened(view));
  $("#seats").replaceChildren(...seats(view));
  $("#sides").replaceChildren(...["pro", "con"].filter((side) => view[side]).map((side) => {
    const name = h(`b.${side}`, {}, `${SIGN[side]} ${NAME[side]}`);
    const { model, speaker, archetype } = view[side];
    const who = speaker ?? (plain(archetype) || model || UNNAMED);
    return h("span", { title: model ?? speaker ?? UNNAMED }, name, ` ${who}`);
  }));
  const said = [...sources(view)];
  $("#sources").hidden = said.length === 0;
  $("#sources").replaceChildren(...said);
  const notes = [...caveats(view)];
  $("#caveats").replaceChildren(...notes.map(([caveat, roles]) => {
    return h("p.caveat", {}, h("b", {}, HEADER.about(joined(roles))), ": ", caveat);
  }));
  setText($("#about-name"), HEADER.aboutName(notes.length + document.querySelectorAll("#copy-note.caveat").length));
  $("#about").classList.toggle("noted", notes.length > 0);
}

/** Whether the turns are those of another debate in Moot. */
const isJudgedAgain = ({ transcript }) => transcript?.kind === "moot";

function kindWords(view) {
  if (isJudgedAgain(view)) return HEADER.judgedAgain;
  return (view.transcript ? HEADER.judgedTranscript : HEADER.kind[view.format]) ?? HEADER.kind.exchange;
}

/** Where the words come from, if not all of them were spoken in this debate. */
function* sources({ id, transcript, origin }) {
  if (transcript) {
    const { source, licence, digest } = transcript;
    const title = HEADER.digest(digest);
    const what = isJudgedAgain({ transcript }) ? HEADER.turnsOf : HEADER.supplied;
    yield h("span", { title }, h("b", {}, what), ` ${HEADER.source(source, licence)}`);
  }
  if (!origin) return;
  if (transcript) yield " · ";
  const href = `/d/${encodeURIComponent(origin.debate)}#e${origin.position}`;
  yield h("span", { title: HEADER.digest(origin.digest) }, HEADER.origin[origin.kind], " ",
    h("a", { href }, HEADER.originAt(origin.position)));
  if (origin.kind !== "rejudge" || document.body.matches(".copy")) return;
  yield " · ";
  yield h("a", { href: compareHref(origin.debate, id) }, HEADER.compare);
}

/** On paper the notes on the models are open. */
export function printing() {
  const about = $("#about");
  let wasOpen = about.open;
  addEventListener("beforeprint", () => {
    wasOpen = about.open;
    about.open = true;
  });
  addEventListener("afterprint", () => {
    about.open = wasOpen;
  });
}

/** Menus close when the reader clicks elsewhere or presses Escape. */
export function menus() {
  for (const menu of document.querySelectorAll("details.drop")) {
    document.addEventListener("click", ({ target }) => {
      if (menu.open && !menu.contains(target)) menu.open = false;
    });
    menu.addEventListener("toggle", () => {
      if (menu.open) return;
      for (const part of menu.querySelectorAll("details[open]")) part.open = false;
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      $("summary", menu).focus();
    });
  }
}

function seats(view) {
  const raters = Object.values(view.panel?.raters ?? {});
  const models = [...new Set(raters.map(({ seat: { model } }) => holder(model) || UNNAMED))];
  const shown = [];
  for (const side of ["pro", "con"]) {
    if (!view[side]) continue;
    const { speaker, archetype, model } = view[side];
    const place = isJudgedAgain(view) ? HEADER.inDebate : HEADER.inTranscript;
    const from = view.transcript && !model ? place : model;
    shown.push(seat(side, `${SIGN[side]} ${NAME[side]}`, speaker ?? plain(archetype), from));
  }
  if (view.judge && !["deliberation", "calibration"].includes(view.format)) {
    const rubric = HEADER.rubric(view.rubric_name ?? view.rubric);
    const asked = view.judge.effort === "brief" ? `${rubric}, ${HEADER.brief}` : rubric;
    shown.push(seat("judge", HEADER.judge, asked, holder(view.judge.model)));
  }
  if (raters.length > 0) {
    const named = models.length > 2 ? count(models.length, "model") : models.join(", ");
    shown.push(seat("panel", HEADER.panel, count(raters.length, "rater"), named));
  }
  return shown;
}

function seat(role, title, what, model) {
  return h(`div.seat.${role}`, {}, h("dt", {}, title), h("dd", {}, what, h("span.quiet", {}, model ?? UNNAMED)));
}

/** A role in the log: a side, a judge, a rater, or the model that takes over from a person. */
function roleName(role) {
  const [seat, part] = role.split(".");
  return part === "takeover" ? HEADER.takeover(NAME[seat]) : NAME[role] ?? role.replace("panel.", "rater ");
}

/** The caveats of the models and documents, each with the roles or names to which it applies. */
function caveats(view) {
  const found = new Map();
  const raters = Object.values(view.panel?.raters ?? {}).map(({ seat: rater }) => [HEADER.rater(rater.title), rater]);
  const judge = view.pro ? view.judge : undefined;
  for (const [role, holder] of [["Pro", view.pro], ["Con", view.con], [HEADER.theJudge, judge], ...raters]) {
    if (holder?.caveat) found.set(holder.caveat, [...(found.get(holder.caveat) ?? []), role]);
  }
  for (const roles of found.values()) {
    const rating = roles.filter((role) => role.endsWith("rater"));
    const isEveryRater = rating.length === raters.length && rating.length > 2;
    if (isEveryRater) roles.splice(roles.indexOf(rating[0]), rating.length, HEADER.everyRater);
  }
  for (const { name, language } of Object.values(view.evidence?.documents ?? {})) {
    if (language) found.set(HEADER.foreign(language), [...(found.get(HEADER.foreign(language)) ?? []), name]);
  }
  for (const { roles, family } of view.families ?? []) {
    found.set(HEADER.family(family), roles.map(roleName));
  }
  return found;
}

/**
 * How far the debate has come.
 * @param {View} view
 * @returns {string}
 */
export function progressWords(view) {
  const { protocol, panel } = view;
  if (view.format === "protocol") {
    const rounds = roundsOf(view);
    const all = rounds.length - 1;
    const round = rounds.indexOf(protocol.round);
    if (round === all) return `${HEADER.rounds(all)}: ${ROUND.judgement}`;
    if (round >= 0) return HEADER.round(round + 1, all, ROUND[protocol.round]);
    const isPanelWorking = panel?.raters && !panel.conclusion && view.state !== "concluded";
    return isPanelWorking ? HEADER.panelWorking : HEADER.rounds(all);
  }
  if (view.format === "deliberation") {
    const round = Math.max(0, ...Object.keys(panel.opinions ?? {}).map(Number));
    if (panel.verdict) return "";
    return round ? HEADER.deliberation(round) : HEADER.independent;
  }
  if (view.format === "calibration") {
    const raters = Object.values(panel.raters ?? {});
    const done = raters.reduce((sum, { calibrations }) => sum + Object.keys(calibrations).length, 0);
    return `${done} of ${count(raters.length * Object.keys(view.cases ?? {}).length, "verdict")}`;
  }
  if (!view.turns_planned) return "";
  return `Turn ${newestTurn(view)} of ${view.turns_planned}`;
}

/**
 * Shows the progress and the cost.
 * @param {View} view
 */
export function progress(view) {
  setText($("#mark"), view.mark?.text ?? "");
  setText($("#progress"), capital(progressWords(view)));
  const { cost_usd: cost, tokens, unpriced_calls: unknown } = view.usage;
  const isScripted = [view.pro, view.con, view.judge].every((seat) => !seat?.model || /^scripted:/.test(seat.model));
  $("#cost").hidden = isScripted; // Its tokens are counted by words, and nobody pays for them.
  const sum = cost > 0 ? `$${cost.toFixed(cost < 1 ? 3 : 2)}` : count(tokens, "token");
  setText($("#cost"), HEADER.sum(sum, unknown));
  $("#cost").title = HEADER.usage(view.usage);
}

/**
 * Shows the figures of both sides on the tab for the score, which only small screens have.
 * @param {View} view
 */
export function scoreSummary(view) {
  const isProtocol = view.format === "protocol";
  const total = (side) => {
    const value = isProtocol ? view.protocol.assessment?.[`${side}_total`] : view.scorecard[side].composite;
    return value === undefined || isMissing(value) ? "–" : number(value, 1);
  };
  const figures = $("#score-summary");
  figures.hidden = !view.pro || (isProtocol && !view.protocol.assessment);
  setText(figures, `${SIGN.pro} ${total("pro")}  ${SIGN.con} ${total("con")}`);
  const label = figures.hidden ? HEADER.score : HEADER.scoreOf(total("pro"), total("con"));
  figures.parentElement.setAttribute("aria-label", label);
}

/**
 * Shows links to the parts of a long page.
 * @param {HTMLElement} root
 * @param {(id: string) => void} showPlace
 */
export function contents(root, showPlace) {
  const places = HEADER.places.filter(([id]) => {
    const place = document.getElementById(id);
    return place && !place.hidden;
  });
  root.hidden = places.length < 2;
  const key = places.map(([id]) => id).join();
  if (root.dataset.key === key) return;
  root.dataset.key = key;
  const link = (id, text) => h("a", { href: `#${id}`, on: onClick(() => showPlace(id)) }, text);
  root.replaceChildren(...places.map(([id, text]) => link(id, text)));
}
