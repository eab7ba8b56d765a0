/** The page about the judge, which the server makes: closes the contents on a small screen, and links to lab runs. */

import { $, h } from "../parts/dom.js";
import { moment } from "../words/formatting.js";

/** Below this width, the table of contents starts closed. */
const WIDE = 980;

/** Links to the newest lab runs that the reader may see. */
async function showRuns() {
  const response = await fetch("/api/debates?format=lab&limit=3");
  if (!response.ok) return;
  const { debates } = await response.json();
  const links = debates.map(({ id, motion, opened_at: at }) => {
    return h("a", { href: `/lab/${encodeURIComponent(id)}` }, `${motion} (${moment(at)})`);
  });
  const listed = links.flatMap((link, i) => (i ? [", ", link] : [link]));
  if (links.length) $("#lab").append("The newest runs: ", ...listed, ".");
}

if (innerWidth <= WIDE) for (const part of document.querySelectorAll("#toc details")) part.open = false;
await showRuns().catch(() => undefined); // The page is complete without them.
document.body.toggleAttribute("data-ready", true);
