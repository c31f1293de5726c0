/* Cells of one size in blocks of columns: which of them lies at a point, and where each lies. Pure. */

/** Return the position of the cell at a point, -1 where there is none. A block {x, top, columns, count, start} holds the positions from
 * `start` on, row by row; a cell {w, h} includes the gap after it. */
export function cellAt({ blocks, cell }, x, y) {
  for (const { x: left, top, columns, count, start } of blocks) {
    const [column, row] = [Math.floor((x - left) / cell.w), Math.floor((y - top) / cell.h)];
    if (column < 0 || row < 0 || column >= columns) continue;
    const at = row * columns + column;
    if (at < count) return start + at;
  }
  return -1;
}

/** Return {x, y} of the cell at a position. */
export function cellBox({ blocks, cell }, position) {
  const { x, top, columns, start } = blocks.find((one) => position < one.start + one.count);
  const at = position - start;
  return { x: x + (at % columns) * cell.w, y: top + Math.floor(at / columns) * cell.h };
}
