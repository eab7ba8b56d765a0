/** The first page: a moment of an exhibition, the exhibitions, the form, and the debates. */

import { api, hasToken } from "../parts/api.js";
import { $ } from "../parts/dom.js";
import { keys } from "../parts/keys.js";
import { role } from "../parts/role.js";
import { LIST } from "../words/home.js";
import { exhibitions } from "./exhibitions.js";
import { form } from "./form.js";
import { list } from "./list.js";
import { stage } from "./stage.js";

function search() {
  $("#search").focus();
  $("#search").select();
}

async function signIn() {
  if (await hasToken()) location.reload();
}

async function signOut() {
  await api.signOut();
  location.reload();
}

keys({ "/": search, n: newDebate });
const isOperator = (await role()) === "operator";
const { keepDays } = document.body.dataset;
if (keepDays) $("#keeps").textContent = LIST.keeps(Number(keepDays));
function newDebate() {
  $("#new").open = true;
  $("#motion").focus();
}

function startYours(event) {
  event.preventDefault();
  $("#start").scrollIntoView({ block: "center" });
  $("#motion").focus({ preventScroll: true });
}

/** A press elsewhere closes the menu. */
function closeMenu({ target }) {
  const menu = $(".menu");
  if (!menu.contains(target)) menu.open = false;
}

/** Fetches the part that judges transcripts, when it is used. */
const supplying = () => import("./supply.js").then(({ supply }) => supply());

/** Fetches the part that imports logs, when it is used. */
const importing = () => import("./import.js").then(({ importer }) => importer());

document.addEventListener("click", closeMenu);
$("#to-start").addEventListener("click", startYours);
$("#sign-in").hidden = isOperator;
$("#sign-in").addEventListener("click", signIn);
$("#sign-out").hidden = !document.body.hasAttribute("data-signed-in");
$("#sign-out").addEventListener("click", signOut);
if (isOperator) {
  $("#import").addEventListener("click", () => importing().then((part) => part.choose()));
  $("#supply").addEventListener("toggle", supplying, { once: true });
  addEventListener("dragenter", () => importing(), { once: true });
}
stage();
await Promise.all([isOperator && form(), list(), exhibitions()]);
document.body.toggleAttribute("data-ready", true);
