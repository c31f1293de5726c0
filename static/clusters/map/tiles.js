/* Where the tiles of a node's pods stand in a box: side by side in rows, as wide as what each takes of the node. Pure. */

const LEAST_WIDTH = 2;
const GAP = 1;
const [LEAST_HEIGHT, MOST_HEIGHT] = [2, 16];

/** Return how many rows of how many tiles a box holds, or null where it is too small for them: {rows, each, height}. */
export function rowsOf(count, width, height) {
  const each = Math.floor((width + GAP) / (LEAST_WIDTH + GAP));
  if (!count || each < 1) return null;
  const rows = Math.ceil(count / each);
  const high = Math.min(MOST_HEIGHT, Math.floor((height + GAP) / rows) - GAP);
  return high < LEAST_HEIGHT ? null : { rows, each: Math.ceil(count / rows), height: high };
}

/** Call `draw(k, x, y, w, h)` for each of `count` tiles in whole numbers; `weightAt(k)` is the share of the node that it takes. Returns
 * whether there was room. All stay inside of the box; a tile has a width even where its pod requests nothing. */
export function eachTile(count, weightAt, { width, height }, draw) {
  const found = rowsOf(count, width, height);
  if (!found) return false;
  const whole = width * found.rows;
  for (let row = 0; row < found.rows; row++) {
    const first = row * found.each;
    const end = Math.min(count, first + found.each);
    let asked = 0;
    for (let k = first; k < end; k++) asked += Math.max(LEAST_WIDTH, weightAt(k) * whole - GAP);
    const room = width - (end - first - 1) * GAP;
    const spare = room - LEAST_WIDTH * (end - first);
    const above = asked - LEAST_WIDTH * (end - first);
    const scale = above > spare ? spare / above : 1;
    let x = 0;
    for (let k = first; k < end; k++) {
      const own = LEAST_WIDTH + Math.max(0, weightAt(k) * whole - GAP - LEAST_WIDTH) * scale;
      const [left, right] = [Math.round(x), Math.round(x + own)];
      draw(k, left, row * (found.height + GAP), Math.max(1, right - left), found.height);
      x += own + GAP;
    }
  }
  return true;
}
