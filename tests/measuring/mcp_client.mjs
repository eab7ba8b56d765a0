// A session of a foreign client: a deliberation and a debate that this script's own answers decide, their verdicts, an
// audit, a search and a resource.  It prints what it saw as one JSON object.
//
//   node mcp_client.mjs FOLDER stdio|http auto|legacy DOCUMENT TARGET…
//
// FOLDER has node_modules with @modelcontextprotocol/client; TARGET is a command with its arguments, or an address.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, transport, version, document, ...target] = process.argv.slice(2);
const packages = createRequire(`${folder}/package.json`);
const from = (name) => import(pathToFileURL(packages.resolve(name)).href);
const { Client, StreamableHTTPClientTransport } = await from("@modelcontextprotocol/client");
const { StdioClientTransport } = await from("@modelcontextprotocol/client/stdio");

const began = performance.now();
const seconds = () => Math.round((performance.now() - began) / 10) / 100;
const headers = process.env.MOOT_TOKEN ? { authorization: `Bearer ${process.env.MOOT_TOKEN}` } : {};
const wire =
  transport === "http"
    ? new StreamableHTTPClientTransport(new URL(target[0]), { requestInit: { headers } })
    : new StdioClientTransport({ command: target[0], args: target.slice(1), env: { ...process.env } });
const client = new Client({ name: "foreign", version: "1" }, { versionNegotiation: { mode: version } });
await client.connect(wire);
const seen = { transport, version: client.getNegotiatedProtocolVersion?.() ?? version, connected_s: seconds(), answers: 0 };

const call = async (name, given, options) => {
  const result = await client.callTool({ name, arguments: given }, options);
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
  return result.structuredContent;
};

// The model of this host: it quotes the first long line of what it reads.
const answerTo = (question) => {
  if (question.kind === "speak") {
    const side = question.turn % 2 ? "A rule in writing binds those who come later" : "A rule in writing outlives its reason";
    return `${side}, because nobody who reads it can ask its author. Therefore it needs a test that fails without it.`;
  }
  const lines = question.messages.map((each) => each.content).join("\n").split("\n");
  const quoted = lines.filter((line) => line.startsWith("| ")).map((line) => line.slice(2).trim());
  const quote = quoted.find((line) => /^[A-Z][^|`*]{60,150}$/.test(line)) ?? "";
  const doubts = question.id.startsWith("deliberate:security_analyst:0/");
  return {
    quote,
    rationale: doubts ? "It does not say who may change it." : "It says what holds, and what tests it.",
    findings: doubts ? ["Nobody is named who decides in a dispute."] : [],
    remediation: doubts ? ["Name who decides."] : [],
    scores: { soundness: 3, completeness: doubts ? 2 : 3, clarity: 3, risk: doubts ? 2 : 3 },
    confidence: 0.8,
    verdict: doubts ? "CONDITIONAL" : "PASS",
  };
};

const host = async (id) => {
  let next = await call("hosted_question", { id });
  while (!["concluded", "halted"].includes(next.state)) {
    const given = next.question ? { question: next.question.id, answer: answerTo(next.question) } : {};
    seen.answers += next.question ? 1 : 0;
    next = await call("hosted_question", { id, wait_s: 10, ...given });
  }
  return call("verdict", { id });
};

const { tools } = await client.listTools();
seen.tools = tools.map((each) => each.name);
seen.untyped = tools.filter((each) => !each.outputSchema).map((each) => each.name);
const text = readFileSync(document, "utf8");
const text_of = { name: document.split("/").at(-1), text, purpose: "a design to build from" };
const { id } = await call("deliberate", { ...text_of, hosted: "foreign" });
seen.opened_s = seconds();
const verdict = await host(id);
seen.verdict = verdict;
seen.misplaced = verdict.quotes.filter((each) => each.start !== null && text.slice(each.start, each.end) !== each.text).length;
seen.judged_s = seconds();

const reports = [];
const motion = "Design rules belong in writing";
const debate = await call("debate", { motion, turns: 2, hosted: "foreign", judge: "baseline:lexical" });
await call("progress", { id: debate.id, wait_s: 5 }, { onprogress: (each) => reports.push(each.progress) });
seen.debate = await host(debate.id);
seen.audit = (await call("audit", { id: debate.id, part: "1" })).audit;
seen.hits = (await call("search", { query: "outlives" })).hits.length;
seen.progress_reports = reports.length;
const read = await client.readResource({ uri: `moot://debates/${debate.id}` });
seen.resource = read.contents[0].text.length;
seen.prompts = (await client.listPrompts()).prompts.map((each) => each.name);
seen.refused = await call("debate", { motion, judge: "openai:gpt-6-luna", hosted: "foreign" }).catch((error) => error.message);
seen.all_s = seconds();
await client.close();
console.log(JSON.stringify(seen));
