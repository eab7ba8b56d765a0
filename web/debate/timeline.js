/** The foot of the page: the position of the cursor, and the controls that move it. */

import { $, h, setText } from "../parts/dom.js";
import { grouped } from "../words/formatting.js";
import { FOLLOW, TIMELINE } from "../words/words.js";

/** The value of the choice to show everything at once. */
const AT_ONCE = "all";

/**
 * The timeline over `player`, in the elements of debate.html.
 * @param {Player} player
 * @returns {{show(): void}}
 */
export function timeline(player) {
  const ids = ["#play", "#speed", "#slider", "#ticks", "#where", "#back"];
  const [play, speed, slider, ticks, where, back] = ids.map((id) => $(id));
  const changeButtons = [[$("#change-back"), -1], [$("#change-on"), 1]];
  let drawn = "";
  /** Positions whose sentences have been asked for. */
  const asked = new Set();
  play.addEventListener("click", () => player.toggle());
  speed.addEventListener("change", () => {
    if (speed.value === AT_ONCE) player.live();
    else player.choose(Number(speed.value));
  });
  slider.addEventListener("input", () => player.go(Number(slider.value)));
  for (const [button, direction] of changeButtons) button.addEventListener("click", () => player.change(direction));

  function show() {
    const { position, head, end, following, playing, unseen, turnsBehind } = player;
    const isCut = end < head;
    const isLive = player.newest?.state !== "concluded";
    const words = following ? "" : wordsOf(player.frame);
    slider.max = end;
    slider.value = position;
    slider.disabled = end < 2;
    slider.setAttribute("aria-valuetext", TIMELINE.slider(position, isCut ? 0 : head, words));
    setText(where, TIMELINE.position(grouped(position), isCut ? "" : grouped(head)));
    where.title = words;
    setText($("#event"), words);
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
      button.disabled = !(isCut && direction > 0) && !changed.some((each) => (each - position) * direction > 0);
    }
    drawTicks(end);
  }

  /** The sentence of an event, which is fetched if its frame came live. */
  function wordsOf(frame) {
    if (frame && !frame.said && !asked.has(frame.position)) {
      asked.add(frame.position);
      player.fetchSaid(frame.position).then(show, () => undefined); // Without the words the position is shown alone.
    }
    return frame?.said?.words ?? "";
  }

  /** The events worth seeing in a protocol and a panel. */
  function drawTicks(end) {
    const positions = player.marks().map(({ position }) => position).filter((position) => position <= end);
    const key = `${end}:${positions.join()}`;
    if (key === drawn) return;
    drawn = key;
    ticks.replaceChildren(...positions.map((position) => tick("mark-of", position, end)));
  }

  return { show };
}

function playLabel(playing, following, isLive) {
  if (playing) return TIMELINE.pause;
  if (!following) return TIMELINE.play;
  return isLive ? TIMELINE.hold : TIMELINE.playFromStart;
}

function tick(kind, position, head) {
  const element = h(`i.${kind}`);
  element.style.left = `${percentAt(position, head)}%`;
  return element;
}

const percentAt = (position, head) => (head > 1 ? ((position - 1) / (head - 1)) * 100 : 0);
