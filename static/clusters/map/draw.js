/* The map's picture: squares and tiles pixel by pixel, cards and heads as text over them. A part of the picture may be drawn alone, so
   that a map that is moved draws only what came into sight. */
import { box, cut, ofTones } from '../../common/canvas/paint.js';
import { over, packed, Picture } from '../../common/canvas/picture.js';
import { card, cardWords, tileBox } from './cards.js';
import { bar, corner, dashed, inside, tiles } from './cells.js';
import { amountsOf, FIT, fills, taintsOf } from './data.js';
import { HEAD, SUB } from './layout.js';

const [CARD_WIDTH, CARD_HEIGHT] = [84, 58];
const TILE_SIDE = 16;

const looksOf = ofTones((t) => {
  const ground = over([0, 0, 0], t['map-bg']);
  const flat = (name, share = 1) => packed(over(ground, t[name], share));
  const dim = over(over(ground, t['map-track']), t['unres-s'], 0.1);
  return {
    ground: packed(ground),
    card: flat('s2'),
    edge: flat('line-2'),
    plain: { track: flat('map-track'), used: flat('map-fill'), over: flat('unsched-s'), tile: flat('line-3') },
    lit: flat('bound-b'),
    fits: { track: flat('bound-s', 0.4), used: flat('bound-s'), over: flat('unsched-s'), tile: flat('bound-s') },
    refused: {
      track: packed(dim),
      used: flat('map-fill', 0.55),
      over: flat('unsched-s', 0.7),
      tile: flat('map-fill', 0.7),
    },
    frame: flat('bound-f'),
    stroke: packed(over(dim, t['unres-s'], 0.5)),
    cordon: flat('gated-s'),
    taint: flat('unres-s'),
    added: flat('cursor'),
  };
});

/** Return how nodes are drawn in cells {w, h} of CSS pixels: "card", "tiles" or "cell". */
export function detailOf({ w, h }) {
  if (w >= CARD_WIDTH && h >= CARD_HEIGHT) return 'card';
  return Math.min(w, h) >= TILE_SIDE ? 'tiles' : 'cell';
}

/** Return where a cell lies in device pixels: {x, y, w, h}, without the gap after it. */
export function boxOf({ found, view, ratio }, { x, top, columns, start }, position) {
  const at = position - start;
  const scale = view.zoom * ratio;
  const left = Math.round((x + (at % columns) * found.cell.w) * scale + view.x);
  const upper = Math.round((top + Math.floor(at / columns) * found.cell.h) * scale + view.y);
  const gap = gapOf(found.cell.w * view.zoom, ratio);
  return {
    x: left,
    y: upper,
    w: Math.max(1, Math.round(found.cell.w * scale) - gap),
    h: Math.max(1, Math.round(found.cell.h * scale) - gap),
  };
}

function gapOf(width, ratio) {
  return Math.max(1, Math.round((width > 60 ? 6 : width > 13 ? 2 : 1) * ratio));
}

/** Return the box of the tiles of a cell in device pixels from its corner, for whatever it is drawn as; null without tiles. */
export function tilesIn(scene, place, at) {
  const size = { w: scene.found.cell.w * scene.view.zoom, h: scene.found.cell.h * scene.view.zoom };
  const detail = detailOf(size);
  if (detail === 'cell') return null;
  if (detail === 'card') return tileBox(at, amountsOf(scene.data, place), scene.ratio);
  return inside({ ...at, x: 0, y: 0 }, scene.ratio);
}

/** Draw the part of the map in a box of device pixels. */
export function draw(scene, part) {
  const { c } = scene;
  const picture = new Picture(part.w, part.h);
  const look = looksOf(scene.t);
  picture.clear(look.ground);
  const cards = [];
  const detail = detailOf({ w: scene.found.cell.w * scene.view.zoom, h: scene.found.cell.h * scene.view.zoom });
  eachVisible(scene, part, (place, at) => {
    const local = { ...at, x: at.x - part.x, y: at.y - part.y };
    if (detail === 'card') cards.push([place, at]);
    drawCell(scene, look, picture, place, local, detail);
  });
  c.setTransform(1, 0, 0, 1, 0, 0);
  c.putImageData(picture.image, part.x, part.y);
  c.save();
  c.beginPath();
  c.rect(part.x, part.y, part.w, part.h);
  c.clip();
  heads(scene);
  for (const [place, at] of cards) cardWords(scene, place, at);
  c.restore();
}

/* Call for each node whose cell meets a box, without looking at those of other rows and columns. */
function eachVisible(scene, part, call) {
  const { found, view, ratio, order } = scene;
  const scale = view.zoom * ratio;
  const [w, h] = [found.cell.w * scale, found.cell.h * scale];
  for (const block of found.blocks) {
    const [left, upper] = [block.x * scale + view.x, block.top * scale + view.y];
    const rows = Math.ceil(block.count / block.columns);
    const [firstRow, lastRow] = between(part.y - upper, part.y + part.h - upper, h, rows);
    const [first, last] = between(part.x - left, part.x + part.w - left, w, block.columns);
    for (let row = firstRow; row <= lastRow; row++) {
      for (let column = first; column <= last; column++) {
        const at = row * block.columns + column;
        if (at >= block.count) break;
        const position = block.start + at;
        call(order[position], boxOf(scene, block, position));
      }
    }
  }
}

const between = (low, high, size, count) => [
  Math.max(0, Math.floor(low / size - 0.1)),
  Math.min(count - 1, Math.floor(high / size + 0.1)),
];

function paletteOf(look, fit, place) {
  if (!fit) return look.plain;
  return [look.plain, look.fits, look.refused][fit.states[place]];
}

function drawCell(scene, look, picture, place, at, detail) {
  const { data, fit, resource, ratio } = scene;
  const palette = paletteOf(look, fit, place);
  if (detail === 'card') card(scene, look, palette, picture, place, at);
  else {
    const share = fills(data, resource)[place];
    picture.fill(at.x, at.y, at.w, at.h, palette.track);
    const hasTiles = detail === 'tiles' && tiles(scene, picture, palette, place, inside(at, ratio));
    const height = hasTiles ? Math.max(2, Math.round(at.h * 0.16)) : at.h;
    bar(picture, at, height, share, palette, hasTiles);
  }
  const state = fit?.states[place];
  if (state === FIT.refused && at.w > 3 * ratio) picture.strike(at.x, at.y, at.w, at.h, look.stroke);
  if (state === FIT.fits) {
    const thick = Math.max(1, Math.round((at.w > 9 * ratio ? 2 : 1) * ratio));
    picture.outline(at.x, at.y, at.w, at.h, look.frame, thick);
  }
  if (data.isAdded[place] && at.w > 3) dashed(picture, at, look.added, ratio);
  if (data.isCordoned[place] && at.w > 5) dashed(picture, at, look.cordon, ratio);
  if (taintsOf(data, place) && at.w > 5) corner(picture, at, look.taint, ratio);
}

/* ---------- heads ---------- */

function heads({ c, t, found, view, ratio }) {
  c.setTransform(ratio, 0, 0, ratio, view.x, view.y);
  c.textBaseline = 'middle';
  c.textAlign = 'left';
  const z = view.zoom;
  for (const { name, note, x, y, room } of found.sections) {
    c.font = `600 12px ${t.font}`;
    c.fillStyle = t.t1;
    const title = cut(c, name, room * z * 0.7);
    c.fillText(title, x * z, (y + HEAD / 2 + 1) * z);
    const at = c.measureText(title).width + 7;
    c.font = `400 11px ${t.font}`;
    c.fillStyle = t.t3;
    c.fillText(cut(c, note, Math.max(0, room * z - at)), x * z + at, (y + HEAD / 2 + 1) * z);
  }
  c.font = `400 10px ${t.font}`;
  c.fillStyle = t.t3;
  for (const { name, x, top, columns, hasHead } of found.blocks) {
    if (!hasHead) continue;
    const room = (columns * found.cell.w + 6) * z;
    const words = cut(c, name, room);
    if (words.length > 2 || words === name) c.fillText(words, x * z, (top - SUB / 2 + 1) * z);
  }
}

/** Draw a frame around a cell, on the canvas that lies over the map. */
export function frame(c, { x, y, w, h }, { colour, halo, ratio }) {
  c.setTransform(1, 0, 0, 1, 0, 0);
  const off = 1.5 * ratio;
  box(c, x - off, y - off, w + 2 * off, h + 2 * off, 3 * ratio);
  for (const [stroke, width] of [
    [halo, 4 * ratio],
    [colour, 2 * ratio],
  ]) {
    c.strokeStyle = stroke;
    c.lineWidth = width;
    c.stroke();
  }
}
