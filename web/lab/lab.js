/** The page of a lab run: while the run goes on, it shows how far it is, and it loads itself again at the end. */

const EVERY_MS = 2000;
const RESTING = new Set(["concluded", "halted", "paused"]);
const main = document.getElementById("lab");

function show(selector, text) {
  const found = main.querySelector(selector);
  if (found) found.textContent = text;
}

function progress(run) {
  let answered = 0;
  for (const [name, battery] of Object.entries(run.lab.batteries)) {
    const row = main.querySelector(`tr[data-battery="${CSS.escape(name)}"]`);
    answered += battery.answered;
    if (!row) continue;
    const bar = row.querySelector("progress");
    bar.value = Math.min(battery.answered, battery.trials);
    const [answered, trials] = [battery.answered, battery.trials].map((each) => each.toLocaleString("en"));
    bar.nextElementSibling.textContent = `${answered} / ${trials}`;
    row.lastElementChild.textContent = battery.failed.toLocaleString("en");
  }
  show("[data-done]", answered.toLocaleString("en"));
  const { cost_usd: cost, unpriced_calls: unknown } = run.usage;
  show("[data-spent]", `${unknown ? "at least " : ""}${cost.toFixed(4)} USD`);
}

async function follow() {
  const before = main.dataset.state;
  const response = await fetch(`/api/labs/${main.dataset.id}`);
  if (!response.ok) return;
  const run = await response.json();
  if (run.state !== before) {
    location.reload();
    return;
  }
  progress(run);
}

if (main.dataset.id && main.dataset.state !== "concluded") {
  setInterval(() => follow().catch(() => {}), RESTING.has(main.dataset.state) ? 5 * EVERY_MS : EVERY_MS);
}
document.body.toggleAttribute("data-ready", true);
