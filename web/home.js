/** The first page: an exhibition that plays, the form, the debates, and the exhibitions. */

import { $ } from "./dom.js";
import { exhibitions } from "./exhibitions.js";
import { form } from "./form.js";
import { keys } from "./keys.js";
import { list } from "./list.js";
import { stage } from "./stage.js";

function search() {
  $("#search").focus();
  $("#search").select();
}

keys({ "/": search, n: () => $("#motion").focus() });
stage();
await Promise.all([form(), list(), exhibitions()]);
document.body.toggleAttribute("data-ready", true);
