/** The first page: an exhibition that plays, the form, the debates, and the exhibitions. */

import { api, hasToken } from "../parts/api.js";
import { $ } from "../parts/dom.js";
import { keys } from "../parts/keys.js";
import { role } from "../parts/role.js";
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

const isOperator = (await role()) === "operator";
function newDebate() {
  $("#new").open = true;
  $("#motion").focus();
}

/** Fetches the part that judges transcripts, when it is used. */
const supplying = () => import("./supply.js").then(({ supply }) => supply());

/** Fetches the part that imports logs, when it is used. */
const importing = () => import("./import.js").then(({ importer }) => importer());

keys({ "/": search, n: newDebate });
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
await Promise.all([isOperator && form(), list(), exhibitions(isOperator)]);
document.body.toggleAttribute("data-ready", true);
