/** Links to the moment at the cursor, and exports of the whole debate. */

import { changed } from "../parts/address.js";
import { api } from "../parts/api.js";
import { $, h, setText } from "../parts/dom.js";
import { SHARE } from "../words/acts.js";
import { NAME, SIGN } from "../words/words.js";

const TOAST_MS = 2_500;
/** Characters of a quote on a card. */
const MAX_QUOTE = 400;

/**
 * The export menu of debate `id`.
 * @param {string} id
 * @param {() => string} linkHere The address of the moment at the cursor.
 * @returns {{copy(address: string): Promise<void>}} `copy` puts a link into the clipboard.
 */
export function share(id, linkHere) {
  const path = `/api/debates/${encodeURIComponent(id)}`;
  const page = `${location.origin}/d/${encodeURIComponent(id)}/embed`;
  const codeBox = (label) => h("textarea", {
    readonly: true,
    rows: "3",
    "aria-label": label,
    on: { focus: ({ target }) => target.select() },
  });
  const code = codeBox(SHARE.embedCode);
  code.value = `<iframe src="${page}" width="720" height="600" title="A debate on Moot"></iframe>`;
  const card = codeBox(SHARE.cardCode);
  const turns = h("select", { "aria-label": SHARE.cardTurn, on: { change: () => showCard("") } });
  const preview = h("a", { target: "_blank" }, SHARE.cardSee);
  const cardField = h("div.field", { hidden: true }, h("span", {}, SHARE.card), turns, card, preview);
  const fileItem = ([file, name, purpose]) => {
    return h("li", {}, h("a", { href: `${path}/${file}`, download: "" }, name), h("span.quiet", {}, ` ${purpose}`));
  };
  const files = h("ul", {}, SHARE.files.map(fileItem));
  const receipt = fileItem(SHARE.receipt);
  api.session().then(({ voice, receipts }) => {
    files.append(...(receipts ? [receipt] : []), ...(voice ? [fileItem(SHARE.audio)] : []));
  }, () => {}); // A file has no server.
  const linkToDebate = () => changed({ ...location, hash: "" }, { speed: null, follow: null, view: null });
  const links = [[linkToDebate, SHARE.copy], [linkHere, SHARE.copyHere]].map(([link, text]) => {
    return h("button", { type: "button", on: { click: () => copy(link()) } }, text);
  });
  const wall = h("a", {
    href: `/d/${encodeURIComponent(id)}/wall${location.search}`,
    target: "_blank",
    rel: "noopener",
  }, SHARE.wall);
  const map = h("p", { hidden: true }, h("a", {
    href: `/d/${encodeURIComponent(id)}/map`,
    target: "_blank",
    rel: "noopener",
  }, SHARE.map));
  const maps = SHARE.maps.map(fileItem);
  files.append(...maps);
  const reports = h("p.reports", { hidden: true }, SHARE.reports, ": ", ["pro", "con"].flatMap((side) => [
    h("a", { href: `${path}/report?side=${side}`, target: "_blank", rel: "noopener" }, `${SIGN[side]} ${NAME[side]}`),
    " ",
  ]));
  const embed = h("label.field", {}, h("span", {}, SHARE.embed), code);
  $("#export").append(h("div.links", {}, links), h("p", {}, wall), map, files, reports, embed, cardField);

  function showCard(quote) {
    const query = quote ? `?${new URLSearchParams({ quote })}` : "";
    preview.href = `/d/${encodeURIComponent(id)}/turns/${turns.value}/card${query}`;
    const source = location.origin + preview.getAttribute("href");
    card.value = `<iframe src="${source}" width="640" height="220" title="A turn of a debate on Moot"></iframe>`;
  }

  /** Offers the turns on the page; words that the reader has selected in one of them are its quote. */
  function offerCards() {
    const spoken = [...document.querySelectorAll("article.turn:not(.speaking)")].map(({ dataset }) => dataset.turn);
    cardField.hidden = !spoken.length;
    if (!spoken.length) return;
    const selection = getSelection();
    const around = selection.anchorNode?.parentElement?.closest(".said");
    const isWithin = around && around.contains(selection.focusNode) && !selection.isCollapsed;
    const chosen = isWithin ? around.closest("article.turn").dataset.turn : turns.value || spoken.at(-1);
    turns.replaceChildren(...spoken.map((number) => h("option", { value: number }, SHARE.cardOf(number))));
    turns.value = spoken.includes(chosen) ? chosen : spoken.at(-1);
    showCard(isWithin ? selection.toString().trim().slice(0, MAX_QUOTE) : "");
  }

  const menu = $("#export").closest("details");
  const offer = () => {
    if (!menu.open) return;
    receipt.hidden = document.body.classList.contains("going-on");
    const { format } = document.body.dataset;
    reports.hidden = !["exchange", "protocol"].includes(format);
    for (const each of [map, ...maps]) each.hidden = reports.hidden && format !== "deliberation";
    offerCards();
  };
  menu.addEventListener("toggle", offer);
  offer();

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
