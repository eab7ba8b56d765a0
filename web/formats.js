/** What few debates need, and is fetched when one does: protocols, panels, artifacts, calibrations, briefings. */

import { artifact } from "./artifact.js";
import { briefing } from "./briefing.js";
import { calibration } from "./calibration.js";
import { $ } from "./dom.js";
import { inShort, panel } from "./panel.js";
import { protocol, trace } from "./protocol.js";

const RECORDS = { protocol, deliberation: artifact, calibration };

/** The parts in their places.  `record` shows what was said, where the format has a record of its own. */
export function formats(view, go, id, decide) {
  const record = RECORDS[view.format]?.($("#transcript"), go, id);
  const seated = panel($("#panel"), go, decide);
  const [brief, short, traced] = [briefing($("#briefing")), inShort($("#in-short")), trace($("#trace"))];
  return {
    record,
    show(now, { head }) {
      brief.show(now);
      traced.show(now);
      short.show(now);
      if (now.format !== "calibration" && now.format !== "deliberation") seated.show(now, { head });
    },
    place: (event) => seated.place(event),
  };
}
