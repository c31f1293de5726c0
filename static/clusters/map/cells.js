/* The parts that nodes of every size are made of, pixel by pixel. */
import { weightOf } from './data.js';
import { eachTile, rowsOf } from './tiles.js';

/** Return the box of the tiles of a cell without words: {x, y, width, height}. */
export const inside = ({ x, y, w, h }, ratio) => {
  const edge = Math.round(2 * ratio);
  const low = Math.max(2, Math.round(h * 0.16)) + edge;
  return { x: x + edge, y: y + edge, width: w - 2 * edge, height: h - edge - low };
};

/** What is requested fills a cell from below, or a bar from the left; over 100 % has its own colour. */
export function bar(picture, { x, y, w, h }, height, share, { used, over: hot, track }, isAcross) {
  const colour = share > 1 ? hot : used;
  if (isAcross) {
    picture.fill(x, y + h - height, w, height, track);
    picture.fill(x, y + h - height, lengthOf(w, share), height, colour);
  } else {
    const high = lengthOf(h, share);
    picture.fill(x, y + h - high, w, high, colour);
  }
}

const lengthOf = (whole, share) => (share > 0 ? Math.max(1, Math.min(whole, Math.round(whole * share))) : 0);

/** Draw the tiles of a node's pods into a box; returns whether there was room. */
export function tiles({ data, resource, ratio }, picture, { tile }, place, { x, y, width, height }) {
  const first = data.firsts[place];
  const count = data.firsts[place + 1] - first;
  if (!rowsOf(count, width / ratio, height / ratio)) return false;
  const weightAt = (k) => weightOf(data, place, first + k, resource);
  return eachTile(count, weightAt, { width: width / ratio, height: height / ratio }, (_, left, top, w, h) =>
    picture.fill(x + left * ratio, y + top * ratio, w * ratio, h * ratio, tile),
  );
}

/** Draw a dashed frame inside of a box. */
export function dashed(picture, { x, y, w, h }, colour, ratio) {
  const dash = Math.max(2, Math.round(3 * ratio));
  for (let k = 0; k < w; k += 2 * dash) {
    picture.fill(x + k, y, Math.min(dash, w - k), 1, colour);
    picture.fill(x + k, y + h - 1, Math.min(dash, w - k), 1, colour);
  }
  for (let k = 0; k < h; k += 2 * dash) {
    picture.fill(x, y + k, 1, Math.min(dash, h - k), colour);
    picture.fill(x + w - 1, y + k, 1, Math.min(dash, h - k), colour);
  }
}

/** Fill the lower right corner of a box: as large on a card as on a square that has room for it. */
export function corner(picture, { x, y, w, h }, colour, ratio) {
  const side = Math.min(Math.round(9 * ratio), Math.ceil(Math.min(w, h) * 0.45));
  for (let k = 0; k < side; k++) picture.fill(x + w - 1 - k, y + h - side + k, k + 1, 1, colour);
}
