/** The parts of each format and of a panel, fetched when a debate needs them. */

import { $ } from "../parts/dom.js";

async function answers() {
  const part = await import("../panel/answers.js");
  return { record: part.answers($("#transcript")) };
}

const FORMATS = {
  answers,
  consultancy: answers,
  async exchange({ go, id, appeal, audit, wantFrame, hold, play }) {
    const { exchange } = await import("../exchange/exchange.js");
    return exchange(go, id, appeal, audit, wantFrame, hold, play);
  },
  async protocol({ go, wantFrame }) {
    const [{ protocol, standings }, { briefing }] = await Promise.all([
      import("../panel/protocol.js"),
      import("../panel/briefing.js"),
    ]);
    const parts = [standings($("#standings")), briefing($("#briefing"))];
    return {
      record: protocol($("#transcript"), go, wantFrame),
      show(view) {
        for (const part of parts) part.show(view);
      },
    };
  },
  async deliberation() {
    const { artifact } = await import("../panel/artifact.js");
    return { record: artifact($("#transcript")) };
  },
  async calibration() {
    const { calibration } = await import("../panel/calibration.js");
    return { record: calibration($("#transcript")) };
  },
};

/** The panel: a summary in the margin, and all of it where two sides debate. */
async function panelParts({ format }, { go, decide }) {
  const { panel, panelSummary } = await import("../panel/panel.js");
  const summary = panelSummary($("#panel-summary"));
  const whole = ["exchange", "protocol"].includes(format) ? panel($("#panel"), go, decide) : null;
  return {
    show(view, state) {
      summary.show(view);
      whole?.show(view, state);
    },
    place: (event) => whole?.place(event),
  };
}

/** The documents and what was cited of them, fetched for a debate that has documents. */
function evidenceOf(root) {
  let newest = null;
  let part = null;
  async function load() {
    const { evidenceList } = await import("../exchange/evidence.js");
    part = evidenceList(root);
    part.show(newest);
  }
  return {
    show(view) {
      if (!view.evidence && !newest) return;
      if (!newest) load();
      newest = view;
      part?.show(view);
    },
  };
}

/**
 * The parts that a debate needs, in their places.
 * @param {View} view
 * @param {{go: Function, id: string, appeal: Function, decide: Function, audit: Function,
 *   frameAt: Function, wantFrame: Function, hold: Function, play: Function}} acts
 * @returns {Promise<{record: object, show: Function, place(event: object, view: View, share: number): Element | null,
 *   placeInPanel(event: object): Element | null}>}
 */
export async function formats(view, acts) {
  const [own, panel, { lead }] = await Promise.all([
    (FORMATS[view.format] ?? FORMATS.exchange)(acts),
    view.panel?.raters ? panelParts(view, acts) : null,
    import("./lead.js"),
  ]);
  const bar = lead($("#ahead"), acts.go);
  const evidence = evidenceOf($("#evidence"));
  return {
    record: own.record,
    show(now, state) {
      bar.show(now);
      own.show?.(now, state);
      evidence.show(now);
      panel?.show(now, state);
    },
    place: (event, now, share) => panel?.place(event) ?? own.record.place(event, now, share),
    placeInPanel: (event) => panel?.place(event) ?? null,
  };
}
