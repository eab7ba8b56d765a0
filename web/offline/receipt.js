/**
 * Verifies a receipt in an exported page: envelope, signature, log, and that all that it states follows from the log.
 * The same rules as in deploy/verify.py; docs/events.md and docs/receipt.md give them. No connection is opened.
 */

const STATEMENT = "https://in-toto.io/Statement/v1";
const PREDICATE = "urn:moot:receipt:1";
const PAYLOAD_TYPE = "application/vnd.in-toto+json";
const SIDES = ["pro", "con"];
const CHANGES = ["score_harmonized", "score_capped", "penalty_applied", "penalty_reversed", "logic_gap_adjusted"];
/** By event: the members that a receipt states as they are, and figures with so many decimals. */
const VERDICTS = {
  scorecard_verdict_reached: [
    ["winner", "decided_by", "leaning", "pairs"],
    { margin: 2, noise: 2, certainty: 4, error: 2, pro: 2, con: 2 },
  ],
  narrative_verdict_reached: [["winner", "margin", "confidence", "flipped"], {}],
  assessment_given: [[], { pro_total: 2, con_total: 2 }],
  panel_concluded: [["outcome", "winner", "leaning", "decides"], { gap: 4 }],
  artifact_judged: [["verdict", "independent", "unmoved", "converged"], { agreement: 4, independent_agreement: 4 }],
  decision_recorded: [["by", "decision", "reason"], {}],
};
const WORDS = {
  title: "Verify a receipt of this debate",
  what: "Choose the receipt, the log that came with it, and the key of the server. Nothing is sent anywhere.",
  receipt: "Receipt",
  log: "Log (NDJSON)",
  keys: "Key (JWK or JWKS)",
  refused: (why) => `Refused: ${why}.`,
  verified: ({ head, outcome }, key) =>
    `Verified with the key ${key}: winner ${outcome.winner}, by ${outcome.by_rule}; ${head.position} events.`,
  unable: "This browser cannot verify Ed25519 signatures. moot receipt --check and verify.py can.",
  another: "the receipt is that of another debate than this page",
};

const utf8 = new TextEncoder();
const refuse = (why) => {
  throw new Error(why);
};
const text = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
const joined = (...parts) => new Uint8Array(parts.flatMap((part) => [...part]));
const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const isNumber = (value) => typeof value === "number";
const present = (value, ...names) =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]));

/** JSON in its one form: sorted names, no spaces, whole numbers only. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
    return `{${members.join(",")}}`;
  }
  if (isNumber(value) && !Number.isSafeInteger(value)) refuse("a number is not whole");
  return JSON.stringify(value);
}

function fromBase64(given) {
  const bytes = Uint8Array.from(atob(given), (sign) => sign.charCodeAt(0));
  return btoa(String.fromCharCode(...bytes)) === given ? bytes : refuse("base64 is not canonical");
}

async function thumbprint({ crv, kty, x }) {
  const digest = await sha256(utf8.encode(canonical({ crv, kty, x })));
  return btoa(String.fromCharCode(...digest)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function openEnvelope(raw, keys) {
  const { payload: body, signatures: [{ keyid, sig }] } = JSON.parse(raw);
  const whole = { payload: body, payloadType: PAYLOAD_TYPE, signatures: [{ keyid, sig }] };
  if (canonical(whole) !== raw) refuse("the envelope is not in its canonical form");
  const [payload, signature] = [fromBase64(body), fromBase64(sig)];
  for (const key of keys) {
    if ((await thumbprint(key)) !== keyid) continue;
    const given = await crypto.subtle.importKey("jwk", { crv: key.crv, kty: key.kty, x: key.x }, "Ed25519", false, [
      "verify",
    ]);
    const signed = joined(utf8.encode(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload);
    if (await crypto.subtle.verify("Ed25519", given, signature, signed)) return payload;
  }
  return refuse("no key that you trust has signed the receipt");
}

/** Where a JSON value ends that begins at `at`. */
function endOf(json, at) {
  let depth = 0;
  for (let place = at; place < json.length; place += 1) {
    const sign = json[place];
    if (sign === '"') {
      place += 1;
      while (place < json.length && json[place] !== '"') place += json[place] === "\\" ? 2 : 1;
    } else if ("{[".includes(sign)) depth += 1;
    else if ("}]".includes(sign)) depth -= 1;
    if (depth < 0) return place;
    if (depth === 0 && (place + 1 >= json.length || ",}]".includes(json[place + 1]))) return place + 1;
  }
  return json.length;
}

/** The members of a JSON object, each value as it is written. */
function members(json) {
  const found = new Map();
  let end = 0;
  while (json[end] === (found.size ? "," : "{")) {
    const colon = json.indexOf('":', end) + 1;
    const name = JSON.parse(json.slice(end + 1, colon));
    if (found.has(name)) refuse("a line of the log has a name twice");
    end = endOf(json, colon + 1);
    found.set(name, json.slice(colon + 1, end));
  }
  return json.slice(end) === "}" ? found : refuse("a line of the log is not one JSON object");
}

const unhex = (given, size) =>
  given.length === 2 * size && /^[0-9a-f]+$/.test(given)
    ? Uint8Array.from(given.match(/../g), (pair) => Number.parseInt(pair, 16))
    : refuse("the log has a digest in another form");

/** The lines of a log whose chain holds, the last digest, and the members of the first event as written. */
async function readLog(raw) {
  const written = text(raw).split("\n");
  if (written.pop() !== "") refuse("the log does not end with a whole line");
  const lines = [];
  let digest;
  let opening;
  for (const each of written) {
    const parts = members(each);
    const line = JSON.parse(each);
    if (line.position !== lines.length + 1) refuse("the positions of the log have a gap");
    const payload = utf8.encode(parts.get("event"));
    const inner = Object.hasOwn(line, "salt")
      ? await sha256(joined(unhex(line.salt, 16), payload))
      : unhex(line.payload_digest, 32);
    const { debate, position, id, at, cause, schema } = line;
    digest ??= await sha256(utf8.encode(debate));
    const header = utf8.encode(JSON.stringify([debate, position, id, at, cause, schema]));
    digest = await sha256(joined(digest, header, inner));
    if (hex(digest) !== line.digest) refuse(`the chain of the log breaks at position ${position}`);
    opening ??= members(parts.get("event"));
    lines.push(line);
  }
  return { lines, head: hex(digest), opening };
}

/** A figure as a receipt writes it: rounded half to even, from the exact value of the number. */
function shown(value, decimals = 2) {
  const [whole, part] = Math.abs(value).toFixed(80).split(".");
  const [kept, rest] = [whole + part.slice(0, decimals), part.slice(decimals)];
  const half = "5".padEnd(rest.length, "0");
  const isUp = rest > half || (rest === half && Number(kept.at(-1)) % 2 === 1);
  const digits = String(BigInt(kept) + (isUp ? 1n : 0n)).padStart(decimals + 1, "0");
  return `${value < 0 && /[1-9]/.test(digits) ? "-" : ""}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

const rounded = (value, decimals = 2) => Number(shown(value, decimals));

/** The sum without errors of rounding in between. Source: Shewchuk 1997, as in Python's `math.fsum`. */
function exactSum(values) {
  const partials = [];
  for (let value of values) {
    let kept = 0;
    for (let other of partials) {
      if (Math.abs(value) < Math.abs(other)) [value, other] = [other, value];
      const high = value + other;
      const low = other - (high - value);
      if (low) partials[kept++] = low;
      value = high;
    }
    partials.length = kept;
    partials.push(value);
  }
  return partials.reduceRight((sum, each) => sum + each, 0);
}

const mean = (values) =>
  values.reduce((sum, each) => sum + Math.round(each * 1e6), 0) / (values.length * 1e6);

/** The scores of all turns, from the entries of the log. */
class Scores {
  sides = new Map();
  turns = new Map();
  admitted = new Map();
  components = new Map();

  constructor({ dimensions, base }) {
    this.dimensions = dimensions;
    this.counting = Object.keys(dimensions).filter((name) => dimensions[name].in_composite !== false);
    this.isUnscaled = base === "components";
  }

  take(event) {
    const { type, turn } = event;
    const given = (parts) => Object.fromEntries(Object.entries(parts).map(([name, each]) => [name, each.admitted]));
    const isRead = event.dimensions !== undefined && event.components !== undefined;
    if (type === "turn_started" && !this.sides.has(turn)) this.sides.set(turn, event.side);
    if (type === "turn_scored") {
      this.admitted.set(turn, isRead ? given(event.dimensions) : {});
      this.turns.set(turn, { ...this.admitted.get(turn) });
      this.components.set(turn, isRead ? given(event.components) : {});
      this.#checkSums(turn);
    }
    const [values, admitted] = [this.turns.get(turn), this.admitted.get(turn)];
    if (type === "turn_rescored" && values && isRead) {
      for (const [name, each] of Object.entries(event.dimensions).filter(([name]) => name in values)) {
        values[name] = rounded(values[name] + rounded(each.admitted - admitted[name]));
        admitted[name] = each.admitted;
      }
      Object.assign(this.components.get(turn), given(event.components));
    } else if (type === "score_inferred" && values) {
      Object.assign(values, event.dimensions);
      Object.assign(admitted, event.dimensions);
      Object.assign(this.components.get(turn), event.components);
    }
    const changes = type === "turn_rescored" ? (event.changes ?? []) : CHANGES.includes(type) ? [event] : [];
    for (const { turn: other, dimension, applied } of changes) {
      const changed = this.turns.get(other);
      if (changed && dimension in changed) changed[dimension] = rounded(changed[dimension] + applied);
    }
  }

  #checkSums(turn) {
    for (const [name, points] of this.isUnscaled ? Object.entries(this.turns.get(turn)) : []) {
      if (shown(this.#partsSum(turn, name)) !== shown(points)) refuse(`the points of turn ${turn} do not add up`);
    }
  }

  #parts = (dimension) => Object.keys(this.dimensions[dimension].components);

  #partsSum(turn, dimension) {
    const components = this.components.get(turn);
    return exactSum(this.#parts(dimension).filter((part) => part in components).map((part) => components[part]));
  }

  composite(turn) {
    const values = this.turns.get(turn);
    if (!this.counting.every((name) => name in values)) return undefined;
    return rounded(this.counting.reduce((sum, name) => sum + values[name], 0));
  }

  /** The points of a side; undefined without a judged turn. */
  of(side) {
    const all = [...this.turns.keys()];
    const own = all.filter((turn) => this.sides.get(turn) === side);
    const other = all.filter((turn) => this.sides.get(turn) !== side);
    const whole = (turns) => turns.map((turn) => this.composite(turn)).filter(isNumber);
    if (!whole(own).length) return undefined;
    if (!this.isUnscaled) return rounded(mean(whole(own)));
    const total = [];
    for (const name of this.counting) {
      const judged = own.filter((turn) => name in this.turns.get(turn));
      if (!judged.length) return undefined;
      const given = (turns, part) =>
        turns
          .filter((turn) => name in this.turns.get(turn) && part in this.components.get(turn))
          .map((turn) => this.components.get(turn)[part]);
      const counted = this.#parts(name).filter(
        (part) => given(own, part).length && (given(other, part).length || !whole(other).length),
      );
      const changes = judged.map((turn) => this.turns.get(turn)[name] - this.#partsSum(turn, name));
      total.push(exactSum(counted.map((part) => mean(given(own, part)))) + mean(changes));
    }
    return rounded(exactSum(total));
  }

  stated() {
    const turns = [...this.turns.keys()].sort((one, two) => one - two).map((turn) => {
      const values = Object.entries(this.turns.get(turn)).map(([name, value]) => [name, shown(value)]);
      const composite = this.composite(turn);
      const whole = composite === undefined ? {} : { composite: shown(composite) };
      return { turn, side: this.sides.get(turn), dimensions: Object.fromEntries(values), ...whole };
    });
    const sides = SIDES.map((side) => [side, this.of(side)]).filter(([, points]) => points !== undefined);
    return { turns, ...Object.fromEntries(sides.map(([side, points]) => [side, shown(points)])) };
  }
}

/** The probability that Student's t is at most `t`, by Simpson's rule over the angle of t. */
function student(t, freedom) {
  const area = (end) => {
    const [steps, width] = [2000, end / 2000];
    const height = (step) => Math.cos(step * width) ** (freedom - 1);
    let sum = height(0) + height(steps);
    for (let step = 1; step < steps; step += 1) sum += (step % 2 ? 4 : 2) * height(step);
    return (sum * width) / 3;
  };
  return 0.5 + (0.5 * area(Math.atan(t / Math.sqrt(freedom)))) / area(Math.PI / 2);
}

function checkVerdict(event, scores, opened) {
  const [pro, con] = SIDES.map((side) => scores.of(side));
  for (const [side, points] of [["pro", pro], ["con", con]]) {
    const said = isNumber(event.mean[side]) ? shown(event.mean[side]) : undefined;
    if (said !== (points === undefined ? undefined : shown(points))) refuse(`the points of ${side} do not follow`);
  }
  const isJudged = pro !== undefined && con !== undefined && isNumber(event.margin);
  const allowed = isJudged ? possibleWinners(event, rounded(pro - con), opened) : ["neither"];
  if (!allowed.includes(event.winner)) refuse("the winner by the scores does not follow from their lead");
}

function possibleWinners(event, ahead, { rubric, noise = {}, judge }) {
  if (shown(event.margin) !== shown(Math.abs(ahead))) refuse("the lead does not follow from the points");
  const leader = Math.abs(ahead) <= rubric.tie_within ? "neither" : ahead > 0 ? "pro" : "con";
  if (Object.hasOwn(event, "leaning")) {
    if (event.leaning !== leader) refuse("the leaning does not follow from the points");
    if (Object.hasOwn(event, "certainty")) {
      const rule = { ...rubric.certainty, ...present(noise, ...Object.keys(rubric.certainty)) };
      const bounds = [Math.max(event.error - 0.005, 1e-9), event.error + 0.005].map((error) => {
        const spread = Math.sqrt(error ** 2 + error ** 4 / rule.prior_lead ** 2);
        return student(Math.abs(ahead) / spread, rule.residual_weight + rule.pair_weight * event.pairs);
      });
      const isWithin = Math.min(...bounds) - 6e-5 <= event.certainty && event.certainty <= Math.max(...bounds) + 6e-5;
      if (!isWithin) refuse("the certainty does not follow from the lead and its error");
    }
    return [(event.certainty ?? 0) >= rubric.certainty.name_at ? leader : "neither"];
  }
  const isWithinNoise = event.margin <= (event.noise ?? -1) && rubric.lead_beyond_noise === true;
  if (Object.hasOwn(judge, "baseline") || isWithinNoise) return ["neither"];
  const isOpen = leader === "neither" && Object.keys(rubric.decided_by ?? {}).length > 0;
  return isOpen ? [...SIDES, "neither"] : [leader];
}

/** How many events have which values of `names`, in the order of the values in UTF-8. */
function counted(names, what, events) {
  const found = {};
  for (const event of events) {
    const values = names.map((name) => hex(utf8.encode(event[name]))).join(" ");
    found[values] ??= { ...present(event, ...names), [what]: 0 };
    found[values][what] += 1;
  }
  return Object.keys(found).sort().map((values) => found[values]);
}

function verdictOf(position, event) {
  const [words, figures] = VERDICTS[event.type];
  const from = { ...event.mean, ...event };
  const numbers = Object.entries(figures).filter(([name]) => isNumber(from[name]));
  const written = numbers.map(([name, places]) => [name, shown(from[name], places)]);
  return { position, type: event.type, ...present(event, ...words), ...Object.fromEntries(written) };
}

function costOf(events) {
  const found = { calls: 0, failed: 0, tokens: 0, unpriced: 0 };
  let usd = 0;
  for (const event of events.filter(({ type }) => type === "model_answered" || type === "model_failed")) {
    const hasFailed = event.type === "model_failed";
    const isPriced = isNumber(event.cost_usd);
    if (isPriced) usd = rounded(usd + event.cost_usd, 6);
    found.calls += 1;
    found.failed += hasFailed && !["halted", "interrupted"].includes(event.kind) ? 1 : 0;
    found.unpriced += !isPriced || (hasFailed && event.at_least === true) ? 1 : 0;
    found.tokens += (event.usage.input_tokens ?? 0) + (event.usage.output_tokens ?? 0);
  }
  return { ...found, usd: shown(usd, 6) };
}

function lacks({ position, event }) {
  const begin = { position, ...present(event, "type", "turn") };
  if (event.type === "check_missing") return [{ ...begin, part: event.purpose, reason: event.reason }];
  const absent = event.type === "turn_scored" ? Object.entries(event.absent ?? {}) : [];
  return [
    ...(event.missing ? [{ ...begin, reason: event.missing.reason }] : []),
    ...absent.map(([part, { reason }]) => ({ ...begin, part, reason })),
  ];
}

/** What a receipt of this log must state. */
async function predicateOf({ lines, head, opening }) {
  const events = lines.map(({ event }) => event);
  const [opened] = events;
  const end = lines.findLast(({ event }) => event.type === "debate_concluded");
  if (opened.type !== "debate_opened" || !end) refuse("the log is not one of a debate that has ended");
  const scores = new Scores(opened.rubric);
  for (const event of events) {
    scores.take(event);
    if (event.type === "scorecard_verdict_reached") checkVerdict(event, scores, opened);
  }
  const { winner, by_rule } = end.event;
  const deciding = { scorecard: "scorecard_verdict_reached", panel: "panel_concluded" }[by_rule];
  if (deciding && events.findLast(({ type }) => type === deciding)?.winner !== winner) {
    refuse("the end names another winner than the verdict that decides");
  }
  const digest = async (value) => hex(await sha256(utf8.encode(value)));
  const prompts = {};
  for (const [name, each] of Object.entries(opened.prompts)) prompts[name] = await digest(each.text);
  const spoken = events.filter(({ type }) => type === "turn_spoken").map((event) => ({ by: "model", ...event }));
  return {
    debate: lines[0].debate,
    motion: opened.motion,
    format: opened.format,
    moot: opened.moot,
    opened_at: lines[0].at,
    ended_at: end.at,
    head: { position: lines.length, digest: head },
    outcome: { winner, by_rule },
    verdicts: lines.filter(({ event }) => event.type in VERDICTS).map((line) => verdictOf(line.position, line.event)),
    scores: scores.stated(),
    judge: present(opened.judge, "model", "samples", "baseline"),
    panel: opened.panel.map((each) => present(each, "name", "model")),
    rubric: { ...present(opened.rubric, "name", "version"), sha256: await digest(opening.get("rubric")) },
    prompts,
    speakers: SIDES.map((side) => ({
      side,
      ...present(opened[side], "model", "speaker", "archetype"),
      turns: counted(["by", "model"], "turns", spoken.filter((event) => event.side === side)),
    })),
    answers: counted(["purpose", "model"], "calls", events.filter(({ type }) => type === "model_answered")),
    cost: costOf(events),
    missing: lines.flatMap(lacks),
  };
}

/**
 * The statement of a receipt that holds; an error with the reason otherwise.
 * @param {Uint8Array} receipt
 * @param {Uint8Array} log
 * @param {Uint8Array} keys a JWK or a JWKS
 */
export async function verify(receipt, log, keys) {
  const trusted = JSON.parse(text(keys));
  const raw = text(receipt);
  if (!raw.endsWith("\n")) refuse("the receipt does not end with a whole line");
  const payload = text(await openEnvelope(raw.slice(0, -1), trusted.keys ?? [trusted]));
  const statement = JSON.parse(payload);
  if (statement._type !== STATEMENT || statement.predicateType !== PREDICATE) refuse("it is no receipt of Moot");
  const name = statement.predicate?.debate;
  const subject = [{ name: `${name}.ndjson`, digest: { sha256: hex(await sha256(log)) } }];
  if (canonical(statement.subject) !== canonical(subject)) refuse("the log is not the one of the receipt");
  const predicate = await predicateOf(await readLog(log));
  const whole = { _type: STATEMENT, predicate, predicateType: PREDICATE, subject };
  for (const part of Object.keys(predicate)) {
    const stated = statement.predicate[part];
    if (stated === undefined || canonical(stated) !== canonical(predicate[part])) {
      refuse(`what is stated as ${part} does not follow from the log`);
    }
  }
  return canonical(whole) === payload ? statement : refuse("the statement is not in its canonical form");
}

/** Adds the form to the exported page. */
function addForm({ archive }) {
  const make = (tag, parts = {}, ...inner) => {
    const made = Object.assign(document.createElement(tag), parts);
    made.append(...inner);
    return made;
  };
  const result = make("p", { role: "status" });
  const inputs = ["receipt", "log", "keys"].map((name) => make("input", { type: "file", name }));
  const check = async () => {
    if (inputs.some(({ files }) => !files.length)) return;
    try {
      const files = await Promise.all(inputs.map(({ files }) => files[0].arrayBuffer()));
      const { predicate } = await verify(...files.map((each) => new Uint8Array(each)));
      if (predicate.debate !== archive.id) refuse(WORDS.another);
      const [{ keyid }] = JSON.parse(text(files[0])).signatures;
      result.textContent = WORDS.verified(predicate, keyid);
    } catch (error) {
      result.textContent = error.name === "NotSupportedError" ? WORDS.unable : WORDS.refused(error.message);
    }
  };
  for (const input of inputs) input.addEventListener("change", check);
  const labels = inputs.map((input) => make("p", {}, make("label", {}, `${WORDS[input.name]} `, input)));
  const form = make("details", { id: "receipt" }, make("summary", {}, WORDS.title), make("p", {}, WORDS.what));
  form.append(...labels, result);
  (document.querySelector("main") ?? document.body).append(form);
}

/** @param {object | null} copy the exported debate, if this page is one */
export function offerReceipt(copy) {
  if (copy) addEventListener("DOMContentLoaded", () => addForm(copy));
}
