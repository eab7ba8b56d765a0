/** Reads Argdown from a file by @argdown/core of a folder; prints its statements and relations as JSON. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, file] = process.argv.slice(2);
const core = createRequire(join(folder, "package.json"))("@argdown/core");
const reader = new core.ArgdownApplication();
reader.addPlugin(new core.ParserPlugin(), "parse-input");
reader.addPlugin(new core.DataPlugin(), "build-model");
reader.addPlugin(new core.ModelPlugin(), "build-model");
const found = reader.run({ input: readFileSync(file, "utf8"), process: ["parse-input", "build-model"], logLevel: "error" });
const texts = Object.entries(found.statements).map(([name, { members }]) => {
  return [name, members.map(({ text }) => text ?? "").join("").trim()];
});
console.log(JSON.stringify({
  errors: [...found.lexerErrors ?? [], ...found.parserErrors ?? [], ...found.exceptions ?? []].map(String),
  texts: Object.fromEntries(texts),
  relations: found.relations.map(({ relationType, from, to }) => [from.title, relationType, to.title]),
  data: found.statements.motion?.data ?? null,
}));
