/** The head of a debate's page: motion, who takes part, how far it has come. */

import { $, h, say } from "./dom.js";
import { FORMAT, NAME, ROUND, SIGN, capital, count, isMissing, joined, moment, number, plain } from "./words.js";

const KINDS = { protocol: "Protocol: three rounds", deliberation: "An artifact before a panel", calibration: "Raters before known outcomes" };

/** Where the debate is blind, until it has ended. */
const UNNAMED = "model named at the end";

/** What does not change while the debate goes on. */
export function head(view) {
  document.title = [view.format === "deliberation" && view.artifact ? view.artifact.name : view.motion, FORMAT[view.format], "Moot"].filter(Boolean).join(" · ");
  document.body.dataset.format = view.format;
  const motion = $("#motion");
  say(motion, view.motion);
  motion.classList.toggle("long", view.motion.length > 160);
  say($("#short"), view.motion);
  say($("#kind"), KINDS[view.format] ?? "The motion");
  $("#seats").replaceChildren(...seats(view));
  $("#caveats").replaceChildren(...[...caveats(view)].map(([caveat, roles]) => h("p.caveat", {}, h("b", {}, `Know of ${joined(roles)}: `), caveat)));
  say($("#opened"), [`Opened ${moment(view.opened_at)}`,
    view.format === "exchange" && `${count(view.turns_planned, "turn")} of at most ${count(view.max_words, "word")}`,
    view.format === "protocol" && "opening, cross-examination and closing of each side"].filter(Boolean).join(" · "));
}

function seats(view) {
  const seat = (side) => view[side] && h(`div.seat.${side}`, {},
    h("dt", {}, `${SIGN[side]} ${NAME[side]}`), h("dd", {}, plain(view[side].archetype), h("span.quiet", {}, view[side].model ?? UNNAMED)));
  const raters = Object.values(view.panel?.raters ?? {});
  const models = [...new Set(raters.map(({ seat: { model } }) => model || UNNAMED))];
  return [seat("pro"), seat("con"),
    view.judge && !FORMAT[view.format]?.startsWith("art") && view.format !== "calibration" && h("div.seat", {}, h("dt", {}, "Judge"), h("dd", {}, `rubric ${view.rubric}`, h("span.quiet", {}, view.judge.model ?? UNNAMED))),
    raters.length > 0 && h("div.seat", {}, h("dt", {}, "Panel"), h("dd", {}, count(raters.length, "rater"), h("span.quiet", {}, models.length > 2 ? `${models.length} models` : models.join(", "))))].filter(Boolean);
}

/** What to know of models, each caveat once with the roles that it is true of. */
function caveats(view) {
  const known = new Map();
  const raters = Object.values(view.panel?.raters ?? {}).map(({ seat }) => [`the ${seat.title.toLowerCase()}`, seat]);
  const judge = view.pro ? view.judge : undefined;
  for (const [role, holder] of [["Pro", view.pro], ["Con", view.con], ["the judge", judge], ...raters]) {
    if (holder?.caveat) known.set(holder.caveat, [...(known.get(holder.caveat) ?? []), role]);
  }
  for (const roles of known.values()) {
    const sat = roles.filter((role) => role.endsWith("rater"));
    if (sat.length === raters.length && sat.length > 2) roles.splice(roles.indexOf(sat[0]), sat.length, "every rater");
  }
  for (const { roles, family } of view.families ?? []) {
    known.set(`they are of one family (${family}), and judges favour their own.`, roles.map((role) => NAME[role] ?? role.replace("panel.", "rater ")));
  }
  return known;
}

export function progressWords(view) {
  const { protocol, panel } = view;
  const waits = panel?.raters && !panel.conclusion && view.state !== "concluded";
  if (view.format === "protocol") {
    const at = Object.keys(ROUND).indexOf(protocol.round);
    if (at >= 0 && at < 3) return `Round ${at + 1} of 3: ${ROUND[protocol.round]}`;
    return protocol.round === "judgement" ? "Three rounds: judgement" : waits ? "The panel is at work" : "Three rounds";
  }
  if (view.format === "deliberation") {
    const rounds = Object.keys(panel.opinions ?? {}).map(Number);
    return panel.verdict ? "" : Math.max(0, ...rounds) ? `Deliberation, round ${Math.max(...rounds)}` : "Independent opinions";
  }
  if (view.format === "calibration") {
    const raters = Object.values(panel.raters ?? {});
    const done = raters.reduce((sum, { calibrations }) => sum + Object.keys(calibrations).length, 0);
    return `${done} of ${count(raters.length * Object.keys(view.cases ?? {}).length, "verdict")}`;
  }
  return `Turn ${Math.max(0, ...Object.keys(view.turns).map(Number))} of ${view.turns_planned}`;
}

export function progress(view) {
  say($("#progress"), capital(progressWords(view)));
  const { cost_usd: cost, tokens, unpriced_calls: unpriced } = view.usage;
  say($("#cost"), cost > 0 ? `$${cost.toFixed(cost < 1 ? 3 : 2)}` : count(tokens, "token"));
  $("#cost").title = `${count(view.usage.calls, "model call")}, ${view.usage.failed_calls} failed, ${count(tokens, "token")}${unpriced ? `, ${unpriced} without a known price` : ""}`;
}

/** The figures of both sides, for small screens. */
export function strip(view) {
  const given = view.format === "protocol" ? (side) => view.protocol.assessment?.[`${side}_total`] : (side) => view.scorecard[side].composite;
  const of = (side) => (given(side) === undefined || isMissing(given(side)) ? "–" : number(given(side)));
  $("#strip").hidden = !view.pro || (view.format === "protocol" && !view.protocol.assessment);
  say($("#strip"), `${SIGN.pro} ${of("pro")}  ${SIGN.con} ${of("con")}`);
  $("#strip").setAttribute("aria-label", `${view.format === "protocol" ? "Totals" : "Scorecard"}: Pro ${of("pro")}, Con ${of("con")}`);
}

const PLACES = [["briefing", "Briefing"], ["verdict", "Verdict"], ["case-pro", "Arguments"], ["closings", "Closings"], ["panel", "Panel"], ["deliberation", "Deliberation"], ["text", "Text"]];

/** The places of a long page, as links; `to(id)` brings one into sight. */
export function contents(root, to) {
  const known = PLACES.filter(([id]) => document.getElementById(id) && !document.getElementById(id).hidden);
  root.hidden = known.length < 2;
  const key = known.map(([id]) => id).join();
  if (root.dataset.key === key) return;
  root.dataset.key = key;
  root.replaceChildren(...known.map(([id, text]) => h("a", { href: `#${id}`, on: { click: (event) => { event.preventDefault(); to(id); } } }, text)));
}
