/** What if: the rules again over the recorded answers, with other numbers or without one rater. */

import { api } from "./api.js";
import { h } from "./dom.js";
import { NAME, SIGN, capital, figure, isMissing, number, plain } from "./words.js";

const GROUPS = [
  ["Penalties", /^(claims\.\w+\.points|conduct\.\w+\.points|gaps\.most)$/], ["Bands", /^bands\./],
  ["Caps", /^(dimensions\.\w+\.chain\.caps|unquoted_share|tie_within)/],
  ["Panel", /^(panel\.(disputed_variance|least_gap|moderate|low|kappa_leaning)|criteria\.dimensions\.\w+\.weight)$/],
];
const END = { winner: "winner", loser: "loser" };

/** The form for debate `id` in `root`: shown when it is opened. */
export function whatif(root, id) {
  const body = h("div.whatif", {});
  const made = h("details.more", {}, h("summary", {}, "What if the rules had been others?"), body);
  root.replaceChildren(made);
  made.addEventListener("toggle", () => made.open && !body.childElementCount && begin().catch((error) => body.replaceChildren(h("p.error", {}, error.message))));

  async function begin() {
    const { events: [{ event: opened }] } = await api.opened(id);
    const leaves = numbersOf(opened.rubric);
    const raters = (opened.panel ?? []).map(({ name }) => name);
    const fields = leaves.map(([path, value]) => [path, value, h("input", { type: "number", step: "any", value, name: path, id: `if-${path}` })]);
    const without = h("select", { name: "without", id: "if-without" }, h("option", { value: "" }, "nobody"), ...raters.map((name) => h("option", { value: name }, name)));
    const result = h("div", { "aria-live": "polite" });
    const form = h("form", { on: { submit } },
      h("p.quiet", {}, "No model is asked and nothing is written: the recorded answers are read again by the rules with your numbers."),
      ...GROUPS.map(([title, pattern]) => [title, fields.filter(([path]) => pattern.test(path))]).filter(([title, mine]) => mine.length && (title === "Panel" ? raters.length : opened.format === "exchange")).map(([title, mine]) =>
        h("fieldset.rules-of", {}, h("legend", {}, title), ...mine.map(([path, , input]) => h("label", { for: input.id }, h("span", {}, labelOf(path)), input)))),
      raters.length > 2 && h("label.field", { for: "if-without" }, h("span", {}, "Leave out the rater"), without),
      h("div.row", {}, h("button.primary", { type: "submit" }, "Run the rules again"), h("button", { type: "reset" }, "Reset")), result);
    body.replaceChildren(form);

    async function submit(event) {
      event.preventDefault();
      const changes = fields.filter(([, value, input]) => input.value !== "" && Number(input.value) !== value);
      const asked = { ...(changes.length && { rubric: patch(opened.rubric, changes) }), ...(without.value && { without_rater: without.value }) };
      if (!Object.keys(asked).length) return result.replaceChildren(h("p.quiet", {}, "Change a number first, or leave a rater out."));
      try {
        result.replaceChildren(...shown(await api.whatif(id, asked)));
      } catch (error) {
        result.replaceChildren(h("p.error", { role: "alert" }, error.message));
      }
      return undefined;
    }
  }
}

/** Every number of a rubric, by its dotted path. */
function numbersOf(rubric, path = "") {
  return Object.entries(rubric).flatMap(([key, value]) => {
    const here = path ? `${path}.${key}` : key;
    if (typeof value === "object" && value !== null) return numbersOf(value, here);
    return typeof value === "number" && GROUPS.some(([, pattern]) => pattern.test(here)) ? [[here, value]] : [];
  });
}

function labelOf(path) {
  const parts = path.split(".").filter((part) => !["claims", "conduct", "bands", "dimensions", "criteria", "points", "panel", "chain"].includes(part));
  if (path.startsWith("bands.")) return `${parts[0]}, ${END[parts[1]]} ${parts[2] === "0" ? "at least" : "at most"}`;
  if (path.includes(".caps.")) return `${parts[0]}, ${["one link", "two links", "three links"][Number(parts.at(-1))]} missing`;
  return plain(parts.join(" "));
}

/** The merge patch that makes these changes; a list is replaced as a whole. */
function patch(rubric, changes) {
  const made = {};
  for (const [path, , input] of changes) {
    const keys = path.split(".");
    let [target, source] = [made, rubric];
    keys.forEach((key, i) => {
      if (i === keys.length - 1) target[key] = Number(input.value);
      else {
        target[key] ??= Array.isArray(source[key]) ? [...source[key]] : {};
        [target, source] = [target[key], source[key]];
      }
    });
  }
  return made;
}

function shown({ note, recorded, would_be: other, turns }) {
  const rows = [["Winner", named(recorded.winner), named(other.winner)], ["Decided by", plain(recorded.by_rule ?? "–"), plain(other.by_rule ?? "–")],
    ...["pro", "con"].flatMap((side) => (recorded.scorecard || other.scorecard ? [[`${SIGN[side]} ${NAME[side]}, mean composite`, value(recorded.scorecard?.[side]), value(other.scorecard?.[side])]] : [])),
    ...(recorded.panel || other.panel ? [["Panel", named(recorded.panel?.winner), named(other.panel?.winner)], ["Alpha", value(recorded.panel?.alpha), value(other.panel?.alpha)]] : []),
    ...Object.entries(turns ?? {}).map(([turn, each]) => [`Turn ${turn}`, value(each.recorded?.composite), value(each.would_be?.composite)])];
  const differs = rows.filter(([, before, after]) => before !== after).length;
  return [
    h("p.says", {}, named(recorded.winner) === named(other.winner) ? `The outcome stays: ${named(other.winner)}.` : `The outcome would be another: ${named(other.winner)}.`),
    h("table.figures", {}, h("thead", {}, h("tr", {}, ...["", "recorded", "would be"].map((text) => (text ? h("th", { scope: "col" }, text) : h("td"))))),
      h("tbody", {}, ...rows.map(([name, before, after]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, before),
        h("td", {}, before === after ? after : h("b.differs", {}, `${after} ≠`)))))),
    h("p.quiet", {}, differs ? note : `Nothing changes. ${note}`),
  ];
}

const named = (winner) => (!winner || isMissing(winner) ? "–" : winner === "neither" ? "nobody" : NAME[winner] ?? capital(winner));
const value = (given) => {
  if (given === undefined || given === null || isMissing(given)) return "–";
  if (typeof given === "number") return number(given);
  return value(given.composite ?? given.value) === "–" ? "–" : figure(given.composite ?? given.value);
};
