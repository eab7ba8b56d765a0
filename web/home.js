/** The first page: the form, and the debates. */

import { $ } from "./dom.js";
import { exhibitions } from "./exhibitions.js";
import { form } from "./form.js";
import { keys } from "./keys.js";
import { list } from "./list.js";

keys({
  "/": () => { $("#search").focus(); $("#search").select(); },
  n: () => $("#motion").focus(),
});
await Promise.all([form(), list(), exhibitions()]);
document.body.toggleAttribute("data-ready", true);
