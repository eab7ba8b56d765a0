/** Taking a debate away: a link to the moment under the cursor, and files of the whole. */

import { $, h, say } from "./dom.js";

/** The menu of debate `id`, and `copy()` for the key. */
export function share(id) {
  const path = `/api/debates/${encodeURIComponent(id)}`;
  const files = [
    ["HTML", `${path}/export.html`, "replays without a server"], ["Markdown", `${path}/export.md`, "to read"],
    ["NDJSON", `${path}/events.ndjson`, "the whole log, to import and verify"], ["JSON", `${path}/export.json`, "the view as it stands"],
  ];
  const frame = h("textarea", { readonly: true, rows: "2", "aria-label": "Code to embed this debate", on: { focus: ({ target }) => target.select() } },
    `<iframe src="${location.origin}/d/${encodeURIComponent(id)}/embed" width="720" height="600" title="A debate on Moot"></iframe>`);
  $("#take").append(h("ul", {}, ...files.map(([name, href, why]) => h("li", {}, h("a", { href, download: "" }, name), h("span.quiet", {}, ` ${why}`)))),
    h("label.field", {}, h("span", {}, "To embed it in a page"), frame));
  const menu = $("#take").closest("details");
  document.addEventListener("click", (event) => menu.open && !menu.contains(event.target) && (menu.open = false));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    $("summary", menu).focus();
  });

  async function copy(address) {
    const link = new URL(address, location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      told(`Link copied: ${address.split("#")[1] ? `event ${address.split("#e")[1]}` : "this debate"}`);
    } catch {
      $("#link-text").value = link;   // without the right to the clipboard
      $("#linking").showModal();
      $("#link-text").select();
    }
  }

  let fading = null;
  function told(text) {
    say($("#toast"), text);
    clearTimeout(fading);
    fading = setTimeout(() => say($("#toast"), ""), 2_500);
  }
  return { copy };
}
