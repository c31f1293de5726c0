/* What the panel's JSON says of each node, and where its cells stand; touches neither the page nor the address. */

/** Return {node, fits, score, reason} of every node: the score is null where none was given, the reason "" where it fits. */
export function nodesOf({ nodes, reasonOf, totals, reasons }) {
  return nodes.map((node, i) => ({
    node,
    fits: reasonOf[i] < 0,
    score: totals[i] < 0 ? null : totals[i],
    reason: reasonOf[i] < 0 ? '' : reasons[reasonOf[i]],
  }));
}

/** Return {pod, nodes, untried} as the map is lit with it; `untried` says why no node was tried. */
export const litOf = (told) => ({ pod: told.pod, nodes: nodesOf(told), untried: told.untried ?? '' });

/** Return a grid (common/canvas/grid.js) of one block, with square cells in CSS pixels as large as shows all in so much room. */
export function cellsIn(count, width, height) {
  for (let step = 16; ; step -= 1) {
    const columns = Math.max(1, Math.floor(width / step));
    if (step > 3 && Math.ceil(count / columns) * step > height) continue;
    return { cell: { w: step, h: step }, blocks: [{ x: 0, top: 0, columns, count, start: 0 }] };
  }
}
