/* Many nodes: one square each, filled by what is in use. Squares of one look are drawn in a row, so that thousands of them do not
   change colours thousands of times; where they stand is worked out once per size and set of nodes. */
import { box, cut, cutName, star } from './paint.js';

const PAD = 12;
const HEAD = 20;
const [FITS, UNRESOLVABLE, UNSEEN] = [1, 3, 4];
const LOOKS = { 5: ['victim-b', 'victim-s'], 6: ['nomin-b', 'nomin-s'] };

let kept = { key: '' };

/** Draw all squares; returns their boxes. */
export function drawSquares(scene) {
  const { c, w, t, data } = scene;
  const place = placed(scene);
  data.zones.forEach((zone, k) => zoneHead(c, t, zone, place.tops[k], w));
  if (scene.mode === 'verdict') verdicts(scene, place);
  else shares(scene, place);
  marks(scene, place.boxes, place.cell);
  return place.boxes;
}

/* Where zones and squares stand, kept until size or nodes change. */
function placed(scene) {
  const { w, h, data } = scene;
  const key = `${w} ${h} ${data.zones.map((zone) => zone.end)}`;
  if (kept.key === key) return kept;
  const { pitch, cols, gap } = layout(scene);
  const [boxes, tops] = [[], []];
  let y = 6;
  for (const zone of data.zones) {
    tops.push(y);
    y += HEAD;
    for (let i = zone.start; i < zone.end; i++) {
      const k = i - zone.start;
      boxes[i] = { i, x: PAD + (k % cols) * pitch, y: y + Math.floor(k / cols) * pitch, w: pitch, h: pitch };
    }
    y += Math.ceil((zone.end - zone.start) / cols) * pitch + gap;
  }
  kept = { key, tops, boxes, cell: pitch - (pitch > 13 ? 2 : pitch > 6 ? 1.5 : 0.75) };
  return kept;
}

function layout({ w, h, data }) {
  const zones = data.zones;
  const most = Math.max(...zones.map((zone) => zone.end - zone.start), 1);
  const rowsAt = (cols) => zones.reduce((sum, zone) => sum + Math.ceil((zone.end - zone.start) / cols), 0);
  const room = h - 14 - zones.length * (HEAD + 6);
  let pitch = 24;
  let cols = 1;
  for (; pitch > 2.5; pitch -= 0.25) {
    cols = Math.max(1, Math.floor((w - 2 * PAD + 1) / pitch));
    if (rowsAt(cols) * pitch <= room) break;
  }
  return { pitch, cols: Math.min(cols, most), gap: Math.max(6, Math.min(24, (room - rowsAt(cols) * pitch) / zones.length)) };
}

/* Positions of nodes by look: for each number of `looks` (below `count`) that occurs, call `draw` with it and their boxes. */
function byLook(looks, count, boxes, draw) {
  const ends = new Uint32Array(count + 1);
  for (let i = 0; i < looks.length; i++) ends[looks[i] + 1] += 1;
  for (let look = 0; look < count; look++) ends[look + 1] += ends[look];
  const next = ends.slice(0, count);
  const order = new Uint32Array(looks.length);
  for (let i = 0; i < looks.length; i++) order[next[looks[i]]++] = i;
  for (let look = 0; look < count; look++) {
    if (ends[look] < ends[look + 1]) draw(look, Array.from(order.subarray(ends[look], ends[look + 1]), (i) => boxes[i]));
  }
}

/* The height of the fill by percent in use: what is in use at all shows. */
function heightsOf(cell) {
  return Float64Array.from({ length: 256 }, (_, share) => Math.min(cell, Math.max(share > 0 ? 1 : 0, (cell * share) / 100)));
}

function wholes(c, list, cell) {
  for (const { x, y } of list) c.fillRect(x, y, cell, cell);
}

function fills(c, list, cell, heights, used) {
  for (const { i, x, y } of list) {
    const height = heights[used[i]];
    if (height) c.fillRect(x, y + cell - height, cell, height);
  }
}

function shares({ c, t, data, mode }, { boxes, cell }) {
  const used = data[mode];
  const heights = heightsOf(cell);
  c.fillStyle = t['map-track'];
  wholes(c, boxes, cell);
  byLook(used, 256, boxes, (share, list) => {
    c.fillStyle = share > 100 ? t['unsched-s'] : t.heat;
    c.globalAlpha = 0.2 + 0.8 * Math.min(share / 100, 1);
    fills(c, list, cell, heights, used);
  });
  c.globalAlpha = 1;
}

function verdicts(scene, { boxes, cell }) {
  const { verdict, score, cpu, memory } = scene.data;
  const looks = Uint16Array.from(verdict, (one, i) => (one === FITS ? 256 + score[i] : one));
  const used = Uint8Array.from(cpu, (one, i) => Math.max(one, memory[i]));
  const heights = heightsOf(cell);
  byLook(looks, 512, boxes, (look, list) => {
    if (look >= 256) fitting(scene, list, cell, heights, used, (look - 256) / 255);
    else if (look === UNSEEN) unseen(scene, list, cell);
    else refused(scene, list, cell, heights, used, look);
  });
}

function fitting({ c, t }, list, cell, heights, used, score) {
  c.fillStyle = t['bound-s'];
  c.globalAlpha = 0.1 + 0.14 * score * score;
  wholes(c, list, cell);
  c.globalAlpha = 0.28 + 0.72 * score ** 3;
  fills(c, list, cell, heights, used);
  c.globalAlpha = 1;
}

function unseen({ c, t }, list, cell) {
  c.strokeStyle = t['map-off'];
  c.lineWidth = 1;
  for (const { x, y } of list) c.strokeRect(x + 0.5, y + 0.5, cell - 1, cell - 1);
}

function refused({ c, t }, list, cell, heights, used, verdict) {
  const looks = LOOKS[verdict] ?? ['map-track', 'map-fill'];
  c.fillStyle = t[looks[0]];
  wholes(c, list, cell);
  c.fillStyle = t[looks[1]];
  fills(c, list, cell, heights, used);
  if (verdict !== UNRESOLVABLE) return;
  c.strokeStyle = t['unres-s'];
  c.lineWidth = cell > 6 ? 1.3 : 0.8;
  c.beginPath();
  for (const { x, y } of list) {
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

function marks(scene, boxes, cell) {
  const { t, data, names, selected } = scene;
  const { winner, second, ties, nominated } = data.marks;
  const rings = [
    ...ties.map((i) => [i, t['tie-s'], '']),
    ...nominated.map((i) => [i, t['nomin-s'], '']),
    [second, t['second-s'], '2'],
    [winner, t.cursor, '★'],
    [selected, t.t1, ''],
  ];
  const labels = [];
  for (const [i, colour, glyph] of rings) {
    if (!boxes[i]) continue;
    ring(scene, boxes[i], cell, colour, nominated.includes(i) && i !== winner);
    if (glyph || i === selected) labels.push([boxes[i], names[i], glyph]);
  }
  for (const one of labels) label(scene, cell, ...one);
}

function ring({ c, t }, at, cell, colour, dashed) {
  const off = colour === t['tie-s'] && cell < 10 ? 1 : 2;
  c.lineWidth = off === 1 ? 1.5 : 2;
  c.strokeStyle = t['map-bg'];
  box(c, at.x - off - 1.5, at.y - off - 1.5, cell + 2 * off + 3, cell + 2 * off + 3, 3);
  c.stroke();
  c.strokeStyle = colour;
  c.setLineDash(dashed ? [4, 2] : []);
  box(c, at.x - off, at.y - off, cell + 2 * off, cell + 2 * off, 2.5);
  c.stroke();
  c.setLineDash([]);
}

function label({ c, t, w, h }, cell, at, name, glyph) {
  c.font = `600 11px ${t.font}`;
  c.textBaseline = 'middle';
  const text = cutName(c, name, 190);
  const width = c.measureText(text).width + (glyph ? 24 : 12);
  let x = at.x + cell + 6;
  let y = at.y + cell / 2 - 9.5;
  if (x + width > w - 4) { x = Math.max(4, Math.min(at.x + cell - width, w - 4 - width)); y = at.y + cell + 5; }
  y = Math.min(Math.max(y, 2), h - 22);
  c.fillStyle = t.s1;
  c.strokeStyle = t['line-2'];
  c.lineWidth = 1;
  box(c, x, y, width, 19, 4);
  c.fill();
  c.stroke();
  c.fillStyle = glyph === '★' ? t['win-s'] : t['second-s'];
  if (glyph === '★') star(c, x + 10, y + 9.5, 4.5);
  else if (glyph) { c.textAlign = 'center'; c.fillText(glyph, x + 10, y + 10); c.textAlign = 'left'; }
  c.fillStyle = t.t1;
  c.fillText(text, x + (glyph ? 18 : 6), y + 10);
}
