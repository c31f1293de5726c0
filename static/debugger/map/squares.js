/* One square per node, filled by what is requested of the resource. The squares are painted into one picture, whose pixels they are
   aligned to; where they stand is worked out once per size and set of nodes. Heads, frames and labels are drawn over it. */
import { STATE } from './data.js';
import { flow, HEAD, labelPlace } from './flow.js';
import { box, cut, cutName, ofTones, star } from '../../common/canvas/paint.js';
import { over, packed, Picture } from '../../common/canvas/picture.js';
import { Spots } from './spots.js';

const FILLS = {
  [STATE.unknown]: ['map-track', 'map-fill'],
  [STATE.fits]: ['bound-b', 'bound-s'],
  [STATE.refused]: ['map-track', 'map-fill'],
  [STATE.candidate]: ['victim-b', 'victim-s'],
  [STATE.nominated]: ['nomin-b', 'nomin-s'],
};
// In squares of this many pixels a stroke belongs to the picture; in smaller ones it would be noise, and their tint says it.
const SMALL = 11;
const TINY = 4;
const MANY = 30;
const LABEL_WIDTH = 190;
const LABEL_HEIGHT = 18;

// Layouts of the last sizes and sets of nodes: pods of different classes take turns, and each orders the nodes by its own label.
const kept = new Map();
const KEPT = 6;

/** Draw all squares, over the whole canvas; returns where they stand. */
export function drawSquares(scene) {
  const { c, t } = scene;
  const spots = spotsOf(scene);
  const picture = pictureOf(c.canvas);
  picture.clear(looksOf(t).ground);
  fill(scene, spots, picture);
  c.putImageData(picture.image, 0, 0);
  if (spots.pixels > SMALL * scene.ratio) strokes(scene, spots);
  const heads = scene.data.groups.map((group, k) => head(scene, group, spots.groups[k]));
  frames(scene, spots);
  labels(scene, spots, heads);
  return spots;
}

// One picture serves all layouts of a size.
let whole = new Picture(1, 1);

function pictureOf({ width, height }) {
  if (whole.width !== width || whole.height !== height) whole = new Picture(width, height);
  return whole;
}

/* Where groups and squares stand for a size and a set of nodes. */
function spotsOf({ c, t, data, w, h, ratio }) {
  const key = `${c.canvas.width} ${c.canvas.height} ${ratio} ${data.version}`;
  const found =
    kept.get(key) ?? new Spots(data, flow(headed(c, t, data.groups), { width: w, height: h, ratio }), ratio);
  kept.delete(key);
  kept.set(key, found);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  return found;
}

function headed(c, t, groups) {
  return groups.map(({ name, short, start, end }) => {
    c.font = `600 11px ${t.font}`;
    const wide = c.measureText(name).width;
    c.font = `400 11px ${t.font}`;
    return { count: end - start, least: Math.min(wide, LABEL_WIDTH) + c.measureText(short).width + 8 };
  });
}

const looksOf = ofTones((t) => {
  const ground = over([0, 0, 0], t['map-bg']);
  const tint = over(over(ground, t['map-track']), t['unres-s'], 0.1);
  const fills = Object.fromEntries(
    Object.entries(FILLS).map(([state, names]) => [state, names.map((name) => packed(over(ground, t[name])))]),
  );
  return {
    ground: packed(ground),
    fills,
    stroke: packed(over(tint, t['unres-s'], 0.45)),
    tint: packed(tint),
    unseen: packed(over(ground, t['map-off'])),
    equal: packed(over(ground, t['tie-s'])),
  };
});

/* The pixels of the fill by percent requested: what is requested at all shows. */
function heightsOf(pixels) {
  return Int32Array.from({ length: 256 }, (_, share) =>
    Math.min(pixels, Math.max(share > 0 ? 1 : 0, Math.round((pixels * share) / 100))),
  );
}

function fill({ t, data, ratio }, { xs, ys, pixels }, picture) {
  const { fills, stroke, tint, unseen, equal } = looksOf(t);
  const heights = heightsOf(pixels);
  const { states, shares, isEqual } = data;
  const isTiny = pixels <= TINY * ratio;
  for (let i = 0; i < xs.length; i++) {
    const [x, y, state] = [xs[i], ys[i], states[i]];
    if (state === STATE.notLookedAt) picture.outline(x, y, pixels, pixels, unseen);
    else if (state === STATE.unresolvable) {
      picture.fill(x, y, pixels, pixels, tint);
      if (!isTiny && pixels <= SMALL * ratio) picture.strike(x, y, pixels, pixels, stroke);
    } else {
      const [ground, used] = fills[state];
      const high = heights[shares[i]];
      picture.fill(x, y, pixels, pixels - high, ground);
      picture.fill(x, y + pixels - high, pixels, high, used);
    }
  }
  const many = pixels <= SMALL * ratio ? underline : inset;
  const mark = data.equals > MANY ? many : frame;
  for (let i = 0; i < xs.length; i++) if (isEqual[i]) mark(picture, xs[i], ys[i], pixels, ratio, equal);
}

/* Frames of many small squares would hide what fills them, so those have a line below. */
function underline(picture, x, y, pixels, ratio, colour) {
  picture.fill(x, y + pixels, pixels, Math.max(1, Math.floor(ratio)), colour);
}

/* The frame of a node among equals stands around its square, one pixel wide where squares are small. */
function frame(picture, x, y, pixels, ratio, colour) {
  const thick = Math.max(1, Math.round((pixels > 9 * ratio ? 2 : 1) * ratio));
  picture.outline(x - 1, y - 1, pixels + 2, pixels + 2, colour, thick);
}

/* Many frames around would run into each other. */
function inset(picture, x, y, pixels, ratio, colour) {
  picture.outline(x, y, pixels, pixels, colour, Math.round(2 * ratio));
}

/* A stroke through each square of a node that will not do whatever leaves. */
function strokes({ c, t, data }, spots) {
  const { size } = spots;
  c.strokeStyle = t['unres-s'];
  c.lineWidth = 1;
  c.beginPath();
  for (let i = 0; i < data.count; i++) {
    if (data.states[i] !== STATE.unresolvable) continue;
    const { x, y } = spots.box(i);
    c.moveTo(x + 1, y + size - 1);
    c.lineTo(x + size - 1, y + 1);
  }
  c.stroke();
}

/* Draw the head of a group; returns its box. */
function head({ c, t, data }, group, { x, y, width }) {
  c.textBaseline = 'middle';
  c.textAlign = 'left';
  c.font = `600 11px ${t.font}`;
  c.fillStyle = t.t1;
  const name = cut(c, group.name, width * 0.66);
  c.fillText(name, x, y + HEAD / 2 - 1);
  const at = c.measureText(name).width + 6;
  c.font = `400 11px ${t.font}`;
  c.fillStyle = t.t3;
  const room = width - at;
  const isWide = c.measureText(group.note).width <= room || data.groups.length === 1;
  const note = cut(c, isWide ? group.note : group.short, room);
  c.fillText(note, x + at, y + HEAD / 2 - 1);
  return { x, y, w: at + c.measureText(note).width, h: HEAD - 2 };
}

/* ---------- marks: the winner, the selected node, nodes that pods are nominated to ---------- */

function frames({ c, t, data }, spots) {
  const { size } = spots;
  const { winner, selected, nominated } = data.marks;
  const rings = [
    ...nominated.map((mark) => ({ mark, colour: t['nomin-s'], isDashed: true })),
    { mark: winner, colour: t['win-f'], isDashed: false },
    { mark: selected, colour: t.cursor, isDashed: false },
  ].filter(({ mark }) => mark);
  // All halos lie below all rings, so that neighbours do not cut into each other.
  for (const { mark } of rings) ring(c, spots.box(mark.place), size, { colour: t['map-bg'], width: 2, off: 3.5 });
  for (const { mark, colour, isDashed } of rings) {
    ring(c, spots.box(mark.place), size, { colour, width: 2, off: 2, isDashed });
  }
}

function ring(c, at, size, { colour, width, off, isDashed = false }) {
  c.lineWidth = width;
  c.strokeStyle = colour;
  c.setLineDash(isDashed ? [4, 2] : []);
  box(c, at.x - off, at.y - off, size + 2 * off, size + 2 * off, 2.5);
  c.stroke();
  c.setLineDash([]);
}

/* Names of the winner and the selected node, where they cover neither heads nor each other; else the card below says them. */
function labels(scene, spots, heads) {
  const { size } = spots;
  const { c, t, data, w, h } = scene;
  const { winner, selected } = data.marks;
  const told = [selected, winner].filter((mark, k) => mark && (k === 0 || mark.place !== selected?.place));
  const around = (mark) => {
    const { x, y } = spots.box(mark.place);
    return { x: x - 3, y: y - 3, w: size + 6, h: size + 6 };
  };
  const taken = [...heads, ...told.map(around)];
  for (const mark of told) {
    const isWinner = mark.place === winner?.place;
    c.font = `600 11px ${t.font}`;
    const text = cutName(c, mark.name, LABEL_WIDTH);
    const label = { w: c.measureText(text).width + (isWinner ? 24 : 12), h: LABEL_HEIGHT };
    const place = labelPlace(around(mark), label, { w, h }, taken);
    if (place) {
      taken.push(place);
      drawLabel(c, t, place, text, isWinner);
    }
  }
}

function drawLabel(c, t, { x, y, w, h }, text, isWinner) {
  c.fillStyle = t.s1;
  c.strokeStyle = t['line-2'];
  c.lineWidth = 1;
  box(c, x, y, w, h, 4);
  c.fill();
  c.stroke();
  if (isWinner) {
    c.fillStyle = t['win-s'];
    star(c, x + 10, y + h / 2, 4.5);
  }
  c.fillStyle = t.t1;
  c.textBaseline = 'middle';
  c.fillText(text, x + (isWinner ? 18 : 6), y + h / 2 + 0.5);
}
