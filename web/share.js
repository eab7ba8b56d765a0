/** Links to the moment at the cursor, and exports of the whole debate. */

import { changed } from "./address.js";
import { $, h, setText } from "./dom.js";
import { SHARE } from "./words_acts.js";

const TOAST_MS = 2_500;

/**
 * The export menu of debate `id`.
 * @param {string} id
 * @returns {{copy(address: string): Promise<void>}} `copy` puts a link into the clipboard.
 */
export function share(id) {
  const path = `/api/debates/${encodeURIComponent(id)}`;
  const page = `${location.origin}/d/${encodeURIComponent(id)}/embed`;
  const code = h("textarea", {
    readonly: true,
    rows: "2",
    "aria-label": SHARE.embedCode,
    on: { focus: ({ target }) => target.select() },
  }, `<iframe src="${page}" width="720" height="600" title="A debate on Moot"></iframe>`);
  const files = SHARE.files.map(([file, name, purpose]) => {
    return h("li", {}, h("a", { href: `${path}/${file}`, download: "" }, name), h("span.quiet", {}, ` ${purpose}`));
  });
  const copyDebate = () => copy(changed({ ...location, hash: "" }, { speed: null, follow: null, view: null }));
  const button = h("button.narrow", { type: "button", on: { click: copyDebate } }, SHARE.copy);
  $("#export").append(button, h("ul", {}, files), h("label.field", {}, h("span", {}, SHARE.embed), code));

  async function copy(address) {
    const link = new URL(address, location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      showToast(SHARE.copied(address.split("#e")[1]));
    } catch {
      // The page may not write to the clipboard.
      $("#link-text").value = link;
      $("#linking").showModal();
      $("#link-text").select();
    }
  }

  let timer = null;
  function showToast(text) {
    setText($("#toast"), text);
    clearTimeout(timer);
    timer = setTimeout(() => setText($("#toast"), ""), TOAST_MS);
  }

  return { copy };
}
