/** Dictation in a person's seat, by the speech recognition of the browser. The page says first where the sound goes. */

import { h, language, setText } from "../parts/dom.js";
import { DICTATION } from "../words/dictation.js";

const Recognition = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;

/**
 * Puts the button at the end of a box's form. What is said is written at the cursor.
 * @param {HTMLTextAreaElement} box
 */
export function dictation(box) {
  const button = h("button", { type: "button", on: { click: toggle } }, DICTATION.start);
  const heard = h("p.quiet", { "aria-live": "polite" });
  const { form } = box;
  let recognition = null;
  form.append(h("p.dictation", {}, button, h("span.quiet", {}, DICTATION.where)), heard);
  new MutationObserver(() => form.hidden && abort()).observe(form, { attributeFilter: ["hidden"] });
  form.addEventListener("submit", abort);
  addEventListener("pagehide", abort);

  /** The language of the debate, as this reader speaks it. */
  function spokenLanguage() {
    const tag = language || "en";
    return navigator.languages.find((each) => each.split("-")[0] === tag) ?? tag;
  }

  function toggle() {
    if (recognition) stop();
    else start();
  }

  function start() {
    const own = new Recognition();
    recognition = Object.assign(own, { lang: spokenLanguage(), continuous: true, interimResults: true });
    own.onresult = ({ resultIndex, results }) => {
      const newest = Array.from(results).slice(resultIndex);
      for (const result of newest) if (result.isFinal) write(result[0].transcript.trim());
      setText(heard, newest.filter(({ isFinal }) => !isFinal).map(([{ transcript }]) => transcript).join(""));
    };
    own.onerror = ({ error }) => error !== "aborted" && setText(heard, DICTATION.failed(error));
    own.onend = () => own === recognition && ended();
    setText(heard, "");
    setText(button, DICTATION.stop);
    own.start();
  }

  function stop() {
    recognition?.stop(); // The last words still come.
    ended();
  }

  function abort() {
    recognition?.abort();
    ended();
  }

  function ended() {
    recognition = null;
    setText(button, DICTATION.start);
  }

  function write(words) {
    const { selectionStart: at, value } = box;
    const space = at && !/\s/.test(value[at - 1]) ? " " : "";
    box.setRangeText(space + words, at, box.selectionEnd, "end");
    box.dispatchEvent(new Event("input"));
  }
}
