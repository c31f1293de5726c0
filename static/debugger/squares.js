/* Many nodes: one square each, filled by what is in use. The squares are painted into one picture, whose pixels they are aligned
   to; where they stand is worked out once per size and set of nodes. Zones, rings and labels are drawn over it. */
import { box, cut, cutName, star } from './paint.js';
import { over, packed, Picture } from './picture.js';

const PAD = 12;
const HEAD = 20;
const [FITS, UNRESOLVABLE, UNSEEN] = [1, 3, 4];
const LOOKS = { 5: ['victim-b', 'victim-s'], 6: ['nomin-b', 'nomin-s'] };
const SCORES = 256;
// Strokes through squares of so many pixels belong to the picture; larger squares are fewer, and want a smooth line.
const SMALL = 12;

let kept = { key: '' };
// By the tokens that they were made of.
const looks = new WeakMap();

/** Draw all squares, over the whole canvas; returns their boxes. */
export function drawSquares(scene) {
  const { c, w, t, data } = scene;
  const place = placed(scene);
  place.picture.clear(packed(over([0, 0, 0], t['map-bg'])));
  if (scene.mode === 'verdict') verdicts(scene, place);
  else shares(scene, place);
  c.putImageData(place.picture.image, 0, 0);
  if (scene.mode === 'verdict' && place.size > SMALL) strikes(scene, place);
  data.zones.forEach((zone, k) => zoneHead(c, t, zone, place.tops[k], w));
  marks(scene, place);
  return place.boxes;
}

/* Where zones and squares stand, and the picture, kept until size or nodes change. In the picture a square begins at a pixel. */
function placed(scene) {
  const { c, data, ratio } = scene;
  const key = `${c.canvas.width} ${c.canvas.height} ${ratio} ${data.zones.map((zone) => zone.end)}`;
  if (kept.key === key) return kept;
  const { pitch, cols, gap } = layout(scene);
  const n = data.zones.at(-1)?.end ?? 0;
  const [boxes, tops] = [[], []];
  const [xs, ys] = [new Int32Array(n), new Int32Array(n)];
  const step = Math.round(pitch * ratio);
  let y = 6;
  for (const zone of data.zones) {
    tops.push(y);
    y += HEAD;
    for (let i = zone.start; i < zone.end; i++) {
      const k = i - zone.start;
      xs[i] = Math.round(PAD * ratio) + (k % cols) * step;
      ys[i] = Math.round(y * ratio) + Math.floor(k / cols) * step;
      boxes[i] = { i, x: xs[i] / ratio, y: ys[i] / ratio, w: step / ratio, h: step / ratio };
    }
    y += Math.ceil((zone.end - zone.start) / cols) * pitch + gap;
  }
  const size = Math.max(1, step - Math.max(1, Math.round((pitch > 13 ? 2 : 1) * ratio)));
  const picture = new Picture(c.canvas.width, c.canvas.height);
  kept = { key, tops, boxes, xs, ys, size, cell: size / ratio, picture };
  return kept;
}

function layout({ w, h, data, ratio }) {
  const zones = data.zones;
  const most = Math.max(...zones.map((zone) => zone.end - zone.start), 1);
  const rowsAt = (cols) => zones.reduce((sum, zone) => sum + Math.ceil((zone.end - zone.start) / cols), 0);
  const room = h - 14 - zones.length * (HEAD + 6);
  // whole device pixels, so that all squares are alike
  let pixels = Math.round(24 * ratio);
  let cols = 1;
  for (; pixels > 2.5 * ratio; pixels -= 1) {
    cols = Math.max(1, Math.floor(((w - 2 * PAD + 1) * ratio) / pixels));
    if ((rowsAt(cols) * pixels) / ratio <= room) break;
  }
  const pitch = pixels / ratio;
  return {
    pitch,
    cols: Math.min(cols, most),
    gap: Math.max(6, Math.min(24, (room - rowsAt(cols) * pitch) / zones.length)),
  };
}

/* The pixels of the fill by percent in use: what is in use at all shows. */
function heightsOf(size) {
  return Int32Array.from({ length: 256 }, (_, share) =>
    Math.min(size, Math.max(share > 0 ? 1 : 0, Math.round((size * share) / 100))),
  );
}

function shares({ t, data, mode }, place) {
  const { xs, size } = place;
  const used = data[mode];
  const heights = heightsOf(size);
  const track = over(over([0, 0, 0], t['map-bg']), t['map-track']);
  const whole = packed(track);
  const tops = Array.from({ length: 256 }, (_, share) =>
    packed(over(track, share > 100 ? t['unsched-s'] : t.heat, 0.2 + 0.8 * Math.min(share / 100, 1))),
  );
  for (let i = 0; i < xs.length; i++) square(place, i, heights[used[i]], whole, tops[used[i]]);
}

/* A square whose lower part, so many pixels high, has a colour of its own. */
function square({ xs, ys, size, picture }, i, height, whole, top) {
  picture.fill(xs[i], ys[i], size, size - height, whole);
  picture.fill(xs[i], ys[i] + size - height, size, height, top);
}

/* For each look of a square the colours of the whole and of what is in use: by verdict, and by score where the pod fits. */
function looksOf(t) {
  if (!looks.has(t)) looks.set(t, looksAnew(t));
  return looks.get(t);
}

function looksAnew(t) {
  const ground = over([0, 0, 0], t['map-bg']);
  const fitting = Array.from({ length: SCORES }, (_, k) => {
    const score = k / (SCORES - 1);
    const whole = over(ground, t['bound-s'], 0.1 + 0.14 * score * score);
    return [packed(whole), packed(over(whole, t['bound-s'], 0.28 + 0.72 * score ** 3))];
  });
  const refused = Array.from({ length: 7 }, (_, verdict) => {
    const [whole, top] = LOOKS[verdict] ?? ['map-track', 'map-fill'];
    const below = over(ground, t[whole]);
    return [packed(below), packed(over(below, t[top]))];
  });
  const [unseen, struck] = ['map-off', 'unres-s'].map((name) => packed(over(ground, t[name])));
  return { fitting, refused, unseen, struck };
}

function verdicts({ t, data }, place) {
  const { xs, ys, size, picture } = place;
  const { verdict, score, cpu, memory } = data;
  const heights = heightsOf(size);
  const { fitting, refused, unseen, struck } = looksOf(t);
  for (let i = 0; i < xs.length; i++) {
    if (verdict[i] === UNSEEN) {
      picture.outline(xs[i], ys[i], size, unseen);
      continue;
    }
    const [whole, top] = verdict[i] === FITS ? fitting[score[i]] : refused[verdict[i]];
    square(place, i, heights[Math.max(cpu[i], memory[i])], whole, top);
    if (verdict[i] === UNRESOLVABLE && size <= SMALL) picture.strike(xs[i], ys[i], size, struck);
  }
}

/* A stroke through squares of nodes that will not do whatever leaves. */
function strikes({ c, t, data }, { boxes, cell }) {
  c.strokeStyle = t['unres-s'];
  c.lineWidth = cell > 6 ? 1.3 : 0.8;
  c.beginPath();
  for (let i = 0; i < boxes.length; i++) {
    if (data.verdict[i] !== UNRESOLVABLE) continue;
    const { x, y } = boxes[i];
    c.moveTo(x + 1, y + cell - 1);
    c.lineTo(x + cell - 1, y + 1);
  }
  c.stroke();
}

function zoneHead(c, t, zone, y, w) {
  c.textBaseline = 'middle';
  c.textAlign = 'left';
  c.font = `600 11px ${t.font}`;
  c.fillStyle = t.t1;
  const name = cut(c, zone.name, w / 2);
  c.fillText(name, PAD, y + HEAD / 2 - 1);
  const x = PAD + c.measureText(name).width + 8;
  c.font = `400 11px ${t.font}`;
  c.fillStyle = t.t3;
  c.fillText(cut(c, zone.note, w - x - PAD), x, y + HEAD / 2 - 1);
}

function marks(scene, { boxes, cell, tops }) {
  const { w, t, data, names, selected } = scene;
  const { winner, second, ties, nominated } = data.marks;
  const rings = [
    ...ties.map((i) => [i, t['tie-s'], '']),
    ...nominated.map((i) => [i, t['nomin-s'], '']),
    [second, t['second-s'], '2'],
    [winner, t.cursor, '★'],
    [selected, t.t1, ''],
  ];
  const shown = rings.filter(([i]) => boxes[i]);
  // All halos lie below all rings, so that neighbours do not cut into each other.
  for (const [i, colour] of shown) halo(scene, boxes[i], cell, colour);
  for (const [i, colour] of shown) ring(scene, boxes[i], cell, colour, nominated.includes(i) && i !== winner);
  const told = shown.filter(([i, , glyph]) => glyph || i === selected);
  // What a label is not to cover: the nodes that are told, labels that stand already, and best no zone's name either.
  const taken = told.map(([i]) => ({ x: boxes[i].x - 3, y: boxes[i].y - 3, w: cell + 6, h: cell + 6 }));
  const heads = tops.map((y) => ({ x: 0, y, w, h: HEAD - 3 }));
  for (const [i, , glyph] of told.reverse())
    taken.push(label(scene, boxes[i], cell, names[i], glyph, { taken, heads }));
}

function offset({ t }, cell, colour) {
  return colour === t['tie-s'] && cell < 10 ? 1 : 2;
}

function halo(scene, at, cell, colour) {
  const { c, t } = scene;
  const off = offset(scene, cell, colour);
  c.lineWidth = off === 1 ? 1.5 : 2;
  c.strokeStyle = t['map-bg'];
  box(c, at.x - off - 1.5, at.y - off - 1.5, cell + 2 * off + 3, cell + 2 * off + 3, 3);
  c.stroke();
}

function ring(scene, at, cell, colour, dashed) {
  const { c } = scene;
  const off = offset(scene, cell, colour);
  c.lineWidth = off === 1 ? 1.5 : 2;
  c.strokeStyle = colour;
  c.setLineDash(dashed ? [4, 2] : []);
  box(c, at.x - off, at.y - off, cell + 2 * off, cell + 2 * off, 2.5);
  c.stroke();
  c.setLineDash([]);
}

function meet(one, other) {
  return one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;
}

/* Where a label of this size stands beside a node: right of it where there is room, else left, below or above. */
function placeOf({ w, h }, at, cell, width, height, { taken, heads }) {
  const [middle, along] = [at.y + cell / 2 - height / 2, Math.max(4, Math.min(at.x, w - 4 - width))];
  const places = [
    [at.x + cell + 6, middle],
    [at.x - 6 - width, middle],
    [along, at.y + cell + 5],
    [along, at.y - 5 - height],
  ]
    .map(([x, y]) => ({ x, y: Math.min(Math.max(y, 2), h - height - 3), w: width, h: height }))
    .filter(({ x }, k) => k > 1 || (x >= 4 && x + width <= w - 4));
  const free = places.filter((one) => !taken.some((other) => meet(one, other)));
  return free.find((one) => !heads.some((head) => meet(one, head))) ?? free[0] ?? places[0];
}

/* Draw a node's name beside it; returns the label's box. */
function label(scene, at, cell, name, glyph, others) {
  const { c, t } = scene;
  c.font = `600 11px ${t.font}`;
  c.textBaseline = 'middle';
  const text = cutName(c, name, 190);
  const place = placeOf(scene, at, cell, c.measureText(text).width + (glyph ? 24 : 12), 19, others);
  const { x, y } = place;
  c.fillStyle = t.s1;
  c.strokeStyle = t['line-2'];
  c.lineWidth = 1;
  box(c, x, y, place.w, place.h, 4);
  c.fill();
  c.stroke();
  c.fillStyle = glyph === '★' ? t['win-s'] : t['second-s'];
  if (glyph === '★') star(c, x + 10, y + 9.5, 4.5);
  else if (glyph) {
    c.textAlign = 'center';
    c.fillText(glyph, x + 10, y + 10);
    c.textAlign = 'left';
  }
  c.fillStyle = t.t1;
  c.fillText(text, x + (glyph ? 18 : 6), y + 10);
  return place;
}
