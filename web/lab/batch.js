/** The page of a batch: while the batch goes on, the server's newest page replaces what is shown. */

const EVERY_MS = 2000;
let main = document.getElementById("batch");

function follow() {
  const request = new XMLHttpRequest(); // it gives a document, which a text could not become on this page
  request.responseType = "document";
  request.onload = () => {
    const newest = request.status === 200 && request.response?.getElementById("batch");
    if (!newest || newest.textContent === main.textContent) return;
    main.replaceWith(document.adoptNode(newest));
    main = newest;
  };
  request.open("GET", location.href);
  request.send();
}

setInterval(() => main.dataset.state !== "concluded" && follow(), EVERY_MS);
document.body.toggleAttribute("data-ready", true);
