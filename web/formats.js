/** What a debate of each format shows, and its panel: fetched when a debate needs it. */

import { $ } from "./dom.js";

const FORMATS = {
  async exchange({ go, id, appeal }) {
    const { exchange } = await import("./exchange.js");
    return exchange(go, id, appeal);
  },
  async protocol({ go }) {
    const [{ protocol, trace }, { briefing }] = await Promise.all([import("./protocol.js"), import("./briefing.js")]);
    const [traced, brief] = [trace($("#trace")), briefing($("#briefing"))];
    return {
      record: protocol($("#transcript"), go),
      show(view) {
        brief.show(view);
        traced.show(view);
      },
    };
  },
  async deliberation({ go, id }) {
    const { artifact } = await import("./artifact.js");
    return { record: artifact($("#transcript"), go, id) };
  },
  async calibration({ go, id }) {
    const { calibration } = await import("./calibration.js");
    return { record: calibration($("#transcript"), go, id) };
  },
};

/** The raters, where nobody debates in short. */
async function seats({ format }, { go, decide }) {
  const { inShort, panel } = await import("./panel.js");
  const short = inShort($("#in-short"));
  const whole = ["exchange", "protocol"].includes(format) ? panel($("#panel"), go, decide) : null;
  return {
    show(view, state) {
      short.show(view);
      whole?.show(view, state);
    },
    place: (event) => whole?.place(event),
  };
}

/** The parts in their places: `{record, show(view, {head, at}), place(event, view)}`.  `acts`: go, id, appeal, decide. */
export async function formats(view, acts) {
  const [own, seated] = await Promise.all([
    (FORMATS[view.format] ?? FORMATS.exchange)(acts), view.panel?.raters ? seats(view, acts) : null,
  ]);
  return {
    record: own.record,
    show(now, state) {
      own.show?.(now, state);
      seated?.show(now, state);
    },
    place: (event, now) => seated?.place(event) ?? own.record.place(event, now),
  };
}
