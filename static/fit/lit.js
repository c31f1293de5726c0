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

/** Return the size of square cells in CSS pixels, and how many stand in a line, so that all are seen in so much room. */
export function cellsIn(count, width, height) {
  for (let step = 16; step > 3; step -= 1) {
    const columns = Math.max(1, Math.floor(width / step));
    if (Math.ceil(count / columns) * step <= height) return { step, columns };
  }
  return { step: 3, columns: Math.max(1, Math.floor(width / 3)) };
}

/** Return the number of the cell below a point, -1 where there is none. */
export function cellAt({ step, columns }, count, x, y) {
  const column = Math.floor(x / step);
  if (x < 0 || y < 0 || column >= columns) return -1;
  const found = Math.floor(y / step) * columns + column;
  return found < count ? found : -1;
}
