/** The first page: the form, and the debates. */

import { $ } from "./dom.js";
import { form } from "./form.js";
import { keys } from "./keys.js";
import { list } from "./list.js";

keys({
  "/": () => { $("#search").focus(); $("#search").select(); },
  n: () => $("#motion").focus(),
});
await Promise.all([form(), list()]);
document.body.toggleAttribute("data-ready", true);
