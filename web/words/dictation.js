/** Words of dictation in a person's seat. */

const WHY = {
  "not-allowed": "the microphone is not allowed here",
  "audio-capture": "no microphone was found",
  "no-speech": "nothing was heard",
  network: "the service of your browser does not answer",
};

/** The button and what stands next to it. */
export const DICTATION = {
  start: "Dictate",
  stop: "Stop dictating",
  where: "The browser may send the sound to its maker (Google, Microsoft, Apple); this server gets the text only.",
  failed: (error) => `Dictation stopped: ${WHY[error] ?? error}.`,
};
