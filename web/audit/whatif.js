/** What if: the rules again over the recorded answers, with other numbers or without one rater. */

import { api } from "../parts/api.js";
import { h } from "../parts/dom.js";
import { table } from "../parts/widgets.js";
import { WHATIF } from "../words/audit.js";
import { capital, figure, isMissing, number, plain } from "../words/formatting.js";
import { NAME, SIGN, sidesNamed } from "../words/words.js";

/** The numbers of a rubric that can be changed, by the title of their group. */
const GROUPS = [
  [WHATIF.penalties, /^(claims\.\w+\.points|conduct\.\w+\.points|gaps\.most)$/],
  [WHATIF.bands, /^bands\./],
  [WHATIF.certainty, /^(ring|docking|certainty)\.|^rescore_above$/],
  [WHATIF.caps, /^(dimensions\.\w+\.chain\.caps|unquoted_share|tie_within)/],
  [
    WHATIF.panel,
    /^(panel\.(disputed_variance|least_gap|moderate|low|kappa_leaning)|criteria\.dimensions\.\w+\.weight)$/,
  ],
];
/** Parts of a path that a label leaves out. */
const IMPLIED = [
  "claims", "conduct", "bands", "dimensions", "criteria", "points", "panel", "chain", "ring", "docking", "certainty",
];

/**
 * Fetches the rubric of debate `id` and shows the form in `root`.
 * @param {HTMLElement} root
 * @param {string} id
 * @returns {Promise<void>}
 */
export async function whatif(root, id) {
  try {
    const { events: [{ event: opened }] } = await api.opened(id);
    root.replaceChildren(ruleForm(id, opened));
  } catch (error) {
    root.replaceChildren(h("p.error", {}, error.message));
  }
}

function ruleForm(id, opened) {
  const raters = (opened.panel ?? []).map(({ name }) => name);
  const fields = numbersOf(opened.rubric).map(([path, value]) => {
    return { path, value, input: h("input", { type: "number", step: "any", value, name: path, id: `if-${path}` }) };
  });
  const without = h("select", { name: "without", id: "if-without" },
    h("option", { value: "" }, WHATIF.noRater),
    raters.map((name) => h("option", { value: name }, name)));
  const result = h("div", { "aria-live": "polite" });

  async function submit(event) {
    event.preventDefault();
    const changes = fields.filter(({ value, input }) => input.value !== "" && Number(input.value) !== value);
    const request = {};
    if (changes.length) request.rubric = rubricPatch(opened.rubric, changes);
    if (without.value) request.without_rater = without.value;
    if (!Object.keys(request).length) {
      result.replaceChildren(h("p.quiet", {}, WHATIF.noChange));
      return;
    }
    try {
      result.replaceChildren(...resultOf(await api.whatif(id, request)));
    } catch (error) {
      result.replaceChildren(h("p.error", { role: "alert" }, error.message));
    }
  }

  const groups = GROUPS.filter(([title]) => (title === WHATIF.panel ? raters.length : opened.format === "exchange"));
  return h("form", { on: { submit } },
    h("p.quiet", {}, WHATIF.note),
    groups.map(([title, pattern]) => fieldset(title, fields.filter(({ path }) => pattern.test(path)))),
    raters.length > 2 && h("label.field", { for: "if-without" }, h("span", {}, WHATIF.leaveOut), without),
    h("div.row", {},
      h("button.primary", { type: "submit" }, WHATIF.submit),
      h("button", { type: "reset" }, WHATIF.reset)),
    result);
}

function fieldset(title, fields) {
  if (!fields.length) return null;
  const labels = fields.map(({ path, input }) => h("label", { for: input.id }, h("span", {}, labelOf(path)), input));
  return h("fieldset.rules-of", {}, h("legend", {}, title), labels);
}

/** The numbers of a rubric that can be changed, each as `[dotted path, value]`. */
function numbersOf(rubric, path = "") {
  return Object.entries(rubric).flatMap(([key, value]) => {
    const here = path ? `${path}.${key}` : key;
    if (typeof value === "object" && value !== null) return numbersOf(value, here);
    const isTaken = typeof value === "number" && (here !== "tie_within" || !rubric.certainty);
    return isTaken && GROUPS.some(([, pattern]) => pattern.test(here)) ? [[here, value]] : [];
  });
}

function labelOf(path) {
  const parts = path.split(".").filter((part) => !IMPLIED.includes(part));
  if (path.startsWith("bands.")) return WHATIF.bandLabel(parts[0], parts[1], parts[2] === "0");
  if (path.includes(".caps.")) return WHATIF.capLabel(parts[0], Number(parts.at(-1)));
  return plain(parts.join(" "));
}

/** The merge patch that makes these changes. A merge patch replaces a list as a whole. */
function rubricPatch(rubric, changes) {
  const patch = {};
  for (const { path, input } of changes) {
    const keys = path.split(".");
    let target = patch;
    let source = rubric;
    for (const key of keys.slice(0, -1)) {
      target[key] ??= Array.isArray(source[key]) ? [...source[key]] : {};
      target = target[key];
      source = source[key];
    }
    target[keys.at(-1)] = Number(input.value);
  }
  return patch;
}

function resultOf({ note, recorded, would_be: other, would_be_text: says, turns, because, unused = [] }) {
  const rows = comparedRows(recorded, other, turns);
  const isChanged = rows.some(([, before, after]) => before !== after);
  const cells = rows.map(([name, was, is]) => h("tr", {},
    h("th", { scope: "row" }, name),
    h("td", {}, was),
    h("td", {}, was === is ? is : h("b.differs", {}, `${is} ≠`))));
  return [
    says && h("p.says", {}, WHATIF.says(says)),
    because && h("p.quiet.because", {}, `${sidesNamed(because)}.`),
    table("", ["", ...WHATIF.columns], cells),
    unused.length > 0 && h("p.quiet", {}, WHATIF.unused(unused)),
    h("p.quiet", {}, isChanged ? note : `${WHATIF.nothingChanges} ${note}`),
  ].filter(Boolean);
}

function comparedRows(recorded, other, turns) {
  const rows = [
    [WHATIF.winner, winnerName(recorded.winner), winnerName(other.winner)],
    [WHATIF.decidedBy, plain(recorded.by_rule ?? "–"), plain(other.by_rule ?? "–")],
  ];
  if (recorded.scorecard || other.scorecard) {
    for (const side of ["pro", "con"]) {
      const label = `${SIGN[side]} ${NAME[side]}, ${WHATIF.meanComposite}`;
      rows.push([label, valueWords(recorded.scorecard?.[side]), valueWords(other.scorecard?.[side])]);
    }
  }
  if (recorded.panel || other.panel) {
    rows.push([WHATIF.panel, winnerName(recorded.panel?.winner), winnerName(other.panel?.winner)]);
    rows.push([WHATIF.alpha, valueWords(recorded.panel?.alpha), valueWords(other.panel?.alpha)]);
  }
  for (const [turn, each] of Object.entries(turns ?? {})) {
    rows.push([`Turn ${turn}`, valueWords(each.recorded), valueWords(each.would_be)]);
  }
  return rows;
}

function winnerName(winner) {
  if (!winner || isMissing(winner)) return "–";
  return winner === "neither" ? WHATIF.noWinner : NAME[winner] ?? capital(winner);
}

function valueWords(value) {
  if (value === undefined || value === null || isMissing(value)) return "–";
  if (typeof value === "number") return number(value);
  const inner = value.composite ?? value.value;
  if (valueWords(inner) === "–") return "–";
  return value.composite_maximum ? WHATIF.outOf(figure(inner), value.composite_maximum) : figure(inner);
}
