/** Where a loss of points can be seen: the positions that links to a finding lead to. */

/**
 * The position at which a finding has cost its turn points: the event after it, if that changed the score.
 * @param {number} position Of the finding.
 * @param {{changed?: number[]} | undefined} turn
 * @returns {number}
 */
export function lossAt(position, turn) {
  const changed = turn?.changed ?? [];
  return changed.includes(position + 1) && !changed.includes(position) ? position + 1 : position;
}
