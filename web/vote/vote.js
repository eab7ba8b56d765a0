/** The page on which the audience votes, made for phones; `/wall` below it is the view for the wall of a room. */

import { api } from "../parts/api.js";
import { $, h, setText, speak } from "../parts/dom.js";
import { openRound } from "../replay/history.js";
import { POLL, STANCE } from "../words/poll.js";
import { STANCES, phaseOf, resultOf } from "./poll.js";

/** The page asks for the state of the poll at this interval, and sooner when the reader comes back to it. */
const REFRESH_MS = 6_000;

const [, , name, below] = location.pathname.split("/");
const id = decodeURIComponent(name);
const isWall = below === "wall";
let known = null;
let timer = null;
let asked = "";

$("#to-debate").href = `/d/${encodeURIComponent(id)}${location.search}`;

async function refresh() {
  clearTimeout(timer);
  try {
    known = await api.poll(id);
    showTrouble("");
    draw();
  } catch (error) {
    showTrouble(error.message);
  }
  if (!known?.poll.result && !document.hidden) timer = setTimeout(refresh, REFRESH_MS * (0.8 + 0.4 * Math.random()));
}

function showTrouble(text) {
  setText($("#trouble"), text);
  $("#trouble").hidden = !text;
}

async function vote(when, stance) {
  const before = known.mine[when];
  known.mine[when] = stance;
  draw();
  try {
    await api.vote(id, { when, stance });
    showTrouble("");
  } catch (error) {
    if (before) known.mine[when] = before;
    else delete known.mine[when];
    draw();
    await refresh();
    showTrouble(error.message);
  }
}

function draw() {
  const { motion, language, poll, mine } = known;
  speak(language);
  setText($("#motion"), motion);
  $("#motion").lang = language ?? "";
  document.title = `${POLL.vote} · ${motion}`;
  const when = openRound(poll);
  setText($("#phase"), POLL.phase[phaseOf(poll)]);
  showBallot(when);
  setText($("#answer"), sentences(when).filter(Boolean).join(" "));
  $("#result").hidden = !poll.result;
  if (poll.result && !$("#result").childElementCount) {
    const you = mine.before && mine.after && h("p", {}, h("b", {}, POLL.you(mine.before, mine.after)));
    $("#result").append(...resultOf(poll.result, known.conclusion), ...(you ? [you] : []));
  }
}

/** Three buttons while a vote is open. They are made once for each vote, so that they keep the focus. */
function showBallot(when) {
  const root = $("#ballot");
  root.hidden = !when;
  if (!when) return;
  if (asked !== when) {
    asked = when;
    root.replaceChildren(h("h2", {}, POLL.question[when]), ...STANCES.map((stance) => {
      const choose = { click: () => vote(when, stance) };
      return h(`button.stance.${stance}`, { type: "button", "data-stance": stance, on: choose },
        h("b", {}, STANCE[stance]), h("span", {}, POLL.means(stance)));
    }));
  }
  for (const button of root.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(known.mine[when] === button.dataset.stance));
  }
}

/** What the voter needs to know now. */
function sentences(when) {
  const { poll, mine, state, turns } = known;
  const rests = POLL.rests[state];
  if (poll.result) return [];
  if (state === "concluded") return [POLL.ended];
  if (when) {
    const own = mine[when] ? POLL.voted(mine[when]) : POLL.notVoted;
    return [own, poll[when].closes_at && POLL.closesAt(poll[when].closes_at), rests];
  }
  if (poll.after) return [POLL.closed("after"), mine.after && POLL.was("after", mine.after), POLL.wait, rests];
  const was = mine.before && POLL.was("before", mine.before);
  if (poll.before) return [POLL.closed("before"), was, POLL.underWay(...turns), rests];
  return [POLL.notOpen, rests];
}

if (isWall) {
  document.body.classList.add("on-wall");
  import("./wall.js").then(({ wall }) => wall(id), (error) => showTrouble(error.message));
} else {
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
  refresh();
}
