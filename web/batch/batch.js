/** The page of a batch: while the batch goes on, the server's newest page replaces what is shown. */

const EVERY_MS = 2000;
let main = document.getElementById("batch");

async function follow() {
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const newest = document.adoptNode(page.getElementById("batch"));
  if (newest.innerHTML !== main.innerHTML) main.replaceWith(newest);
  else return;
  main = newest;
}

setInterval(() => {
  if (main.dataset.state !== "concluded") follow().catch(() => {});
}, EVERY_MS);
document.body.toggleAttribute("data-ready", true);
