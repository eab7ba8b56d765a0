/** The foot of the page: where the cursor stands, and the controls that move it. */

import { $, h, say } from "./dom.js";
import { NAME, SIGN, eventWords, plain } from "./words.js";

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
    ticks.replaceChildren(...turns.map(({ number, side, complete }) => tick(side, `${SIGN[side]} ${NAME[side]}, turn ${number}`, complete, head)),
      ...changed.map((position) => tick("change", "A score was changed", position, head)),
      ...others.map(({ name, position }) => tick("mark-of", plain(name.replace(":", " ")), position, head)));
  }

  return { show };
}

function tick(kind, title, position, head) {
  const made = h(`i.${kind}`, { title });
  made.style.left = `${head > 1 ? ((position - 1) / (head - 1)) * 100 : 0}%`;
  return made;
}
