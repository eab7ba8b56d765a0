/** Reading aloud: the browser's own voices, one for each side, in step with the replay. */

import { points } from "../parts/text.js";

/** Where a browser has one voice for a language, the second side speaks lower. */
const PITCH = { pro: 1.05, con: 0.8 };

/**
 * @param {string} language
 * @returns {SpeechSynthesisVoice[]} The voices for a language, those of this machine first.
 */
export function voicesFor(language) {
  const all = globalThis.speechSynthesis?.getVoices() ?? [];
  const [wanted] = language.toLowerCase().split("-");
  const found = all.filter(({ lang }) => lang.toLowerCase().split(/[-_]/)[0] === wanted);
  return found.sort((a, b) => Number(b.localService) - Number(a.localService));
}

/** Reads one speech at a time. */
export class Voice {
  #language;
  #event = null;
  #sentences = [];
  #next = 0;
  #isSpeaking = false;

  /** @param {string} language The language of the debate. */
  constructor(language) {
    this.#language = language;
  }

  /** Begins with a speech, or goes on with it. */
  say(event, speed) {
    if (event !== this.#event) {
      this.stop();
      this.#event = event;
      this.#sentences = sentencesOf(event.text, this.#language);
      this.#next = 0;
    }
    if (!speechSynthesis.speaking && !speechSynthesis.pending) this.#isSpeaking = false; // A browser may forget `end`.
    if (!this.#isSpeaking && this.#next < this.#sentences.length) this.#speak(speed);
  }

  /** Whether a speech has been read to its end. */
  isDone(event) {
    return event === this.#event && !this.#isSpeaking && this.#next >= this.#sentences.length;
  }

  /** The length of what has been read of a speech, with the sentence that is being read. */
  read(event) {
    return event === this.#event ? points(this.#sentences.slice(0, this.#next).join("")) : 0;
  }

  /** Falls silent. The sentence begins again when the speech goes on. */
  stop() {
    if (!this.#isSpeaking) return;
    this.#isSpeaking = false;
    this.#next -= 1;
    speechSynthesis.cancel();
  }

  #speak(speed) {
    const { side } = this.#event;
    const voices = voicesFor(this.#language);
    const utterance = new SpeechSynthesisUtterance(this.#sentences[this.#next]);
    utterance.lang = this.#language;
    utterance.voice = voices[side === "con" ? Math.min(1, voices.length - 1) : 0] ?? null;
    utterance.pitch = voices.length > 1 ? 1 : PITCH[side];
    utterance.rate = Math.min(speed, 4);
    const event = this.#event;
    utterance.onend = utterance.onerror = () => {
      if (event === this.#event) this.#isSpeaking = false;
    };
    this.#next += 1;
    this.#isSpeaking = true;
    speechSynthesis.speak(utterance);
  }
}

function sentencesOf(text, language) {
  const segmenter = new Intl.Segmenter(language, { granularity: "sentence" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
