/* Where groups and squares of the map stand, for a width and height. Pure: numbers in, numbers out. Small groups stand beside each other. */

export const PAD = 12;
export const HEAD = 18;
const GAP = 8;
const BETWEEN = 18;
const MOST = 24;
const LEAST = 2;
const SMALL_ROWS = 3;

/* The columns of a small group: three rows of squares, as wide as its head at least. */
function smallColumns({ count, least }, pitch, columns) {
  return Math.min(columns, Math.max(Math.ceil(count / SMALL_ROWS), Math.ceil(least / pitch)));
}

function single(one, columns) {
  return { ...one, shelf: [{ index: one.index, x: 0, columns }], rows: Math.ceil(one.count / columns) };
}

/* Groups in shelves, one below the other: a large group has a shelf of its own, small ones that follow each other share one. */
function shelves(groups, pitch, columns, width) {
  const found = [];
  let open = null;
  groups.forEach((group, index) => {
    const { count } = group;
    if (count > columns) {
      found.push(single({ index, count }, columns));
      open = null;
      return;
    }
    const own = smallColumns(group, pitch, columns);
    const rows = Math.ceil(count / own);
    if (!open || open.x + own * pitch > width) {
      open = { shelf: [], rows: 0, x: 0 };
      found.push(open);
    }
    open.shelf.push({ index, x: open.x, columns: own });
    open.rows = Math.max(open.rows, rows);
    open.x += own * pitch + BETWEEN;
  });
  return found;
}

function heightOf(found, pitch) {
  return found.reduce((sum, { rows }) => sum + HEAD + rows * pitch, 0) + GAP * (found.length - 1);
}

/** Return {pitch, size, groups: [{x, y, width, columns, top}]} for groups [{count, least}], `least` being the width of a head in few
 * words. The squares of a group begin at its x and top, its head stands at y; `pitch` is the width of a square with its gap, a whole
 * number of device pixels. */
export function flow(groups, { width, height, ratio }) {
  const room = width - 2 * PAD;
  let pixels = Math.round(MOST * ratio);
  let [found, pitch] = [[], 1];
  for (; pixels >= LEAST * ratio; pixels -= 1) {
    pitch = pixels / ratio;
    found = shelves(groups, pitch, Math.max(1, Math.floor(room / pitch)), room);
    if (heightOf(found, pitch) <= height - GAP) break;
  }
  const spare = height - GAP - heightOf(found, pitch);
  const gap = GAP + Math.max(0, Math.min(8, spare / Math.max(found.length, 1)));
  return { pitch, size: sizeOf(pitch, ratio), groups: placed(found, pitch, gap, room) };
}

function sizeOf(pitch, ratio) {
  const gap = Math.max(1, Math.round((pitch > 13 ? 2 : 1) * ratio));
  return Math.max(1, Math.round(pitch * ratio) - gap) / ratio;
}

function placed(found, pitch, gap, room) {
  const groups = [];
  let y = 4;
  for (const { shelf, rows } of found) {
    shelf.forEach(({ index, x, columns }, k) => {
      const width = shelf.length > 1 ? (shelf[k + 1]?.x ?? room) - x - (k + 1 < shelf.length ? 8 : 0) : room;
      groups[index] = { x: PAD + x, y, width, columns, top: y + HEAD };
    });
    y += HEAD + rows * pitch + gap;
  }
  return groups;
}

/** Return whether two boxes {x, y, w, h} share a point. */
export function meet(one, other) {
  return one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;
}

/** Return where a label of a size stands beside a square {x, y, w, h} so that it meets none of the boxes in `taken`, or null. */
export function labelPlace(square, label, bounds, taken) {
  const middle = square.y + square.h / 2 - label.h / 2;
  const along = Math.max(2, Math.min(square.x, bounds.w - 2 - label.w));
  const [right, left] = [square.x + square.w + 6, square.x - 6 - label.w];
  const [below, above] = [square.y + square.h + 5, square.y - 5 - label.h];
  const places = [
    [right, middle],
    [left, middle],
    [right, square.y - 1],
    [left, square.y - 1],
    [along, below],
    [along, above],
    [right, below],
    [left, below],
    [along, below + label.h],
    [along, above - label.h],
  ].map(([x, y]) => ({ x, y, w: label.w, h: label.h }));
  const isInside = ({ x, y }) => x >= 2 && y >= 2 && x + label.w <= bounds.w - 2 && y + label.h <= bounds.h - 2;
  return places.find((one) => isInside(one) && !taken.some((other) => meet(one, other))) ?? null;
}
