/** The foot of the page: where the cursor stands, and the controls that move it. */

import { $, h, say } from "./dom.js";
import { eventWords } from "./words.js";

/** The timeline over `player`, in the elements of debate.html. */
export function timeline(player) {
  const [play, speed, slider, ticks, where, back] = ["#play", "#speed", "#slider", "#ticks", "#where", "#back"].map((id) => $(id));
  let drawn = "";
  play.addEventListener("click", () => player.toggle());
  speed.addEventListener("change", () => player.setSpeed(Number(speed.value)));
  slider.addEventListener("input", () => player.go(Number(slider.value)));
  back.addEventListener("click", () => player.live());
  const changes = [[$("#change-back"), -1], [$("#change-on"), 1]];
  for (const [button, direction] of changes) button.addEventListener("click", () => player.change(direction));

  function show() {
    const { position, head, following, playing, fresh } = player;
    slider.max = head;
    slider.value = position;
    slider.disabled = head < 2;
    const words = player.frame ? eventWords(player.frame.event) : "";
    slider.setAttribute("aria-valuetext", `event ${position} of ${head}${words && `: ${words}`}`);
    say(where, `event ${position.toLocaleString("en")} of ${head.toLocaleString("en")}`);
    where.title = words;
    say($("#event"), following ? "" : words);
    speed.value = String(player.speed);
    const isLive = player.newest?.state !== "concluded";
    const stops = playing || (following && isLive);
    say(play, stops ? "❚❚" : "▶");
    play.setAttribute("aria-label", playing ? "Pause" : stops ? "Hold here" : following ? "Play from the start" : "Play");
    back.hidden = following;
    say(back, `${isLive ? "Back to live" : "To the end"}${fresh ? ` · ${fresh} new` : ""}`);
    slider.style.setProperty("--done", `${head > 1 ? ((position - 1) / (head - 1)) * 100 : 100}%`);
    const changed = Object.values(player.newest?.turns ?? {}).flatMap((turn) => turn.changed ?? []);
    for (const [button, direction] of changes) {
      button.parentElement.hidden = !changed.length;
      button.disabled = !changed.some((each) => (each - position) * direction > 0);
    }
    marks(head, [...new Set(changed)]);
  }

  function marks(head, changed) {
    const turns = player.turns();
    const others = player.marks();
    const key = `${head}:${turns.map(({ complete }) => complete).join()}:${others.map(({ position }) => position).join()}:${changed.join()}`;
    if (key === drawn) return;
    drawn = key;
    ticks.replaceChildren(...turns.map(({ side, complete }) => tick(side, complete, head)),
      ...joined(changed.sort((a, b) => a - b), head).map(([from, to]) => tick("change", from, head, to)),
      ...others.map(({ position }) => tick("mark-of", position, head)));
  }

  return { show };
}

/** Moments as `[from, to]`: what a track cannot show apart is one. */
function joined(positions, head) {
  const runs = [];
  for (const position of positions) {
    if (runs.length && position - runs.at(-1)[1] < head / 300) runs.at(-1)[1] = position;
    else runs.push([position, position]);
  }
  return runs;
}

function tick(kind, position, head, until = position) {
  const made = h(`i.${kind}`);
  made.style.left = `${share(position, head)}%`;
  if (until > position) made.style.width = `calc(${share(until, head) - share(position, head)}% + 2px)`;
  return made;
}

const share = (position, head) => (head > 1 ? ((position - 1) / (head - 1)) * 100 : 0);
