/** The foot of the page: the position of the cursor, and the controls that move it. */

import { courseOf } from "../exchange/course.js";
import { curve } from "../parts/curve.js";
import { $, changeDetector, h, setText } from "../parts/dom.js";
import { grouped } from "../words/formatting.js";
import { FOLLOW, TIMELINE } from "../words/words.js";

/** The value of the choice to show everything at once. */
const AT_ONCE = "all";
const ascending = (a, b) => a - b;

/**
 * The timeline over `player`, in the elements of debate.html.
 * @param {Player} player
 * @returns {{show(): void}}
 */
export function timeline(player) {
  const ids = ["#play", "#speed", "#slider", "#ticks", "#where", "#back"];
  const [play, speed, slider, ticks, where, back] = ids.map((id) => $(id));
  const changeButtons = [[$("#change-back"), -1], [$("#change-on"), 1]];
  const isMoved = changeDetector();
  let drawn = "";
  let eventWords = null;
  let fetching = null;
  play.addEventListener("click", () => player.toggle());
  speed.addEventListener("change", () => {
    if (speed.value === AT_ONCE) player.live();
    else player.choose(Number(speed.value));
  });
  slider.addEventListener("input", () => player.go(Number(slider.value)));
  for (const [button, direction] of changeButtons) button.addEventListener("click", () => player.change(direction));

  function show() {
    const { position, head, following, playing, unseen, turnsBehind } = player;
    const isLive = player.newest?.state !== "concluded";
    const words = wordsOf(player.frame);
    slider.max = head;
    slider.value = position;
    slider.disabled = head < 2;
    slider.setAttribute("aria-valuetext", TIMELINE.slider(position, head, words));
    setText(where, TIMELINE.position(grouped(position), grouped(head)));
    where.title = words;
    setText($("#event"), following ? "" : words);
    speed.value = following && player.isShowing ? AT_ONCE : String(player.speed);
    setText(play, playing || (following && isLive) ? "❚❚" : "▶");
    play.setAttribute("aria-label", playLabel(playing, following, isLive));
    play.title = playLabel(playing, following, isLive);
    back.hidden = following;
    const wayBack = TIMELINE.back(isLive && !player.newest?.exhibition, playing ? 0 : unseen);
    setText(back, isLive && turnsBehind > 0 ? FOLLOW.catchUp(turnsBehind) : wayBack);
    const changed = Object.values(player.newest?.turns ?? {}).flatMap((turn) => turn.changed ?? []);
    for (const [button, direction] of changeButtons) {
      button.parentElement.hidden = !changed.length;
      button.disabled = !changed.some((each) => (each - position) * direction > 0);
    }
    drawCourse(position, head);
    drawTicks(head, [...new Set(changed)].sort(ascending));
  }

  /** The curve up to the cursor: what is to come is only dots. */
  function drawCourse(position, head) {
    const { view } = player;
    if (view?.format !== "exchange" || !isMoved(view.lead, view.turns, position, head)) return;
    const { name_at: nameAt } = view.lead;
    $("#course").replaceChildren(curve({ points: courseOf(view), end: head, until: position, at: position, nameAt }));
  }

  /** The sentence of an event; the sentences are fetched when the first one is needed. */
  function wordsOf(frame) {
    if (!frame) return "";
    if (eventWords) return eventWords(frame.event);
    fetching ??= import("../words/events.js").then((words) => {
      ({ eventWords } = words);
      show();
    }, () => undefined); // Without the words the position is shown alone.
    return "";
  }

  function drawTicks(head, changed) {
    const turns = player.turns();
    const marks = player.marks();
    const positions = [turns.map(({ complete }) => complete), marks.map(({ position }) => position), changed];
    const key = `${head}:${positions.map((each) => each.join()).join(":")}`;
    if (key === drawn) return;
    drawn = key;
    ticks.replaceChildren(
      ...turns.map(({ side, complete }) => tick(side, complete, head)),
      ...runs(changed, head).map(([from, to]) => tick("change", from, head, to)),
      ...marks.map(({ position }) => tick("mark-of", position, head)));
  }

  return { show };
}

function playLabel(playing, following, isLive) {
  if (playing) return TIMELINE.pause;
  if (!following) return TIMELINE.play;
  return isLive ? TIMELINE.hold : TIMELINE.playFromStart;
}

/** Positions as `[from, to]`: positions too close to tell apart on the track are one run. */
function runs(positions, head) {
  const found = [];
  for (const position of positions) {
    if (found.length && position - found.at(-1)[1] < head / 300) found.at(-1)[1] = position;
    else found.push([position, position]);
  }
  return found;
}

function tick(kind, position, head, until = position) {
  const element = h(`i.${kind}`);
  const left = percentAt(position, head);
  element.style.left = `${left}%`;
  if (until > position) element.style.width = `calc(${percentAt(until, head) - left}% + 2px)`;
  return element;
}

const percentAt = (position, head) => (head > 1 ? ((position - 1) / (head - 1)) * 100 : 0);
