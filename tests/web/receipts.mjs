/** Reads lines of JSON with receipt, log and keys in base64; writes for each whether the page's verifier takes them. */
import { createInterface } from "node:readline";

import { verify } from "../../web/offline/receipt.js";

for await (const line of createInterface({ input: process.stdin })) {
  const files = JSON.parse(line).map((each) => new Uint8Array(Buffer.from(each, "base64")));
  try {
    await verify(...files);
    console.log("verified");
  } catch (error) {
    console.log(error.message);
  }
}
