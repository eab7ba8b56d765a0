import assert from "node:assert/strict";
import { test } from "node:test";

import { changed, read, write } from "../../web/parts/address.js";
import { decimalsOf, number } from "../../web/words/formatting.js";

test("the address holds cursor, speed and following", () => {
  assert.deepEqual(
    { cursor: 42, speed: 4, follow: false, play: false, view: "debate", turn: null },
    read({ hash: "#e42", search: "?speed=4&follow=0" }),
  );
  assert.deepEqual(
    { cursor: null, speed: 1, follow: true, play: true, view: "debate", turn: null },
    read({ hash: "#e0", search: "?play" }),
  );
  assert.deepEqual(
    { cursor: null, speed: 1, follow: true, play: false, view: "audit", turn: 3 },
    read({ hash: "", search: "?view=audit&turn=3" }),
  );
});

test("an address that was written reads back the same, and other parameters are kept", () => {
  const player = { following: false, position: 7, speed: 2 };
  const written = write({ pathname: "/d/x", search: "?view=audit&follow=0&play" }, player);

  assert.equal("/d/x?view=audit&speed=2#e7", written);
  assert.equal("/d/x", write({ pathname: "/d/x", search: "?speed=2" }, { following: true, position: 9, speed: 1 }));
});

test("members change one by one, and empty ones are removed", () => {
  const here = { pathname: "/d/x", search: "?view=audit&turn=3&speed=2", hash: "#e7" };

  assert.equal("/d/x?turn=5&speed=2#e7", changed(here, { view: null, turn: 5 }));
  assert.equal("/d/x?view=audit&speed=2&q=jury#e7", changed(here, { turn: "", q: "jury" }));
});

test("numbers are shown as they are", () => {
  assert.deepEqual(["70.7", "28", "17.33"], [70.7, 28.0, 17.33].map((value) => number(value)));
  assert.equal(2, decimalsOf([28, 17.33, { missing: { reason: "" } }]));
  assert.equal("28.00", number(28, 2));
});
