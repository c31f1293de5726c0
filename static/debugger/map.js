/* The cluster map: one square per node, or one card where they are few. Colours come from the tokens, so that both themes draw from one
   source; the matrix beside it is its text. */
import { go, here, urlFor, format } from './cursor.js';
import { drawCards } from './cards.js';
import { tones, cut, cutName, star, box } from './paint.js';

const VERDICT = ['', 'fits', 'refused, may change', 'unresolvable', 'not looked at', 'candidate for preemption', 'nominated'];
const PAD = 12;
const HEAD = 20;

const bytes = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

class ClusterMap {
  constructor(root) {
    this.root = root;
    this.canvas = root.querySelector('canvas');
    this.tip = root.querySelector('.map-tip');
    this.wait = root.querySelector('.map-wait');
    this.names = { version: '', list: [] };
    this.data = null;
    this.boxes = [];
    this.isStale = false;
    this.isLoading = false;
    this.canvas.addEventListener('pointermove', (ev) => this.hover(ev));
    this.canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
    this.canvas.addEventListener('click', (ev) => this.click(ev));
  }

  get mode() { return new URL(location.href).searchParams.get('map') ?? 'verdict'; }

  get selected() { return new URL(location.href).searchParams.get('node') ?? ''; }

  /** Load the map of the cursor. One request at a time: a fast player's would pile up; the newest cursor is asked for last. */
  async load() {
    this.isStale = true;
    if (this.isLoading) return;
    this.isLoading = true;
    const slow = setTimeout(() => { this.wait.hidden = false; }, 600);
    try {
      while (this.isStale) {
        this.isStale = false;
        await this.fetch();
      }
    } finally {
      this.isLoading = false;
      clearTimeout(slow);
      this.wait.hidden = true;
    }
  }

  async fetch() {
    const { seq, named } = here();
    const answer = await fetch(`${this.root.dataset.url}?${named ? `cycle=${named}${this.point()}` : `seq=${seq}`}`);
    if (!answer.ok) return;
    const data = await answer.json();
    if (data.version !== this.names.version) await this.loadNames(seq);
    for (const name of ['cpu', 'memory', 'verdict', 'score']) data[name] = bytes(data[name]);
    this.data = data;
    this.draw();
    document.dispatchEvent(new CustomEvent('map:ready'));
  }

  point() {
    const point = new URL(location.href).searchParams.get('point');
    return point ? `&point=${point}` : '';
  }

  async loadNames(seq) {
    const answer = await fetch(`${this.root.dataset.url}?names=1&seq=${seq}`);
    if (!answer.ok) return;
    const { version, names } = await answer.json();
    this.names = { version, list: names };
  }

  draw() {
    if (!this.data || this.names.version !== this.data.version) return;
    const rect = this.root.getBoundingClientRect();
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(rect.width * ratio);
    this.canvas.height = Math.round(rect.height * ratio);
    const c = this.canvas.getContext('2d');
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const scene = { c, w: rect.width, h: rect.height, t: tones(), data: this.data, names: this.names.list, mode: this.mode, selected: this.names.list.indexOf(this.selected) };
    c.fillStyle = scene.t['map-bg'];
    c.fillRect(0, 0, scene.w, scene.h);
    this.boxes = this.data.cards ? drawCards(scene) : drawSquares(scene);
    this.label();
  }

  label() {
    const legend = document.getElementById('legend')?.dataset.words;
    const winner = this.names.list[this.data.marks.winner];
    const parts = [`${format(this.names.list.length)} nodes`, legend, winner && `winner ${winner}`];
    this.canvas.setAttribute('aria-label', parts.filter(Boolean).join(': ').replace(': winner', '. Winner'));
  }

  at(ev) {
    const rect = this.canvas.getBoundingClientRect();
    const [x, y] = [ev.clientX - rect.left, ev.clientY - rect.top];
    return this.boxes.find((one) => x >= one.x && x < one.x + one.w && y >= one.y && y < one.y + one.h);
  }

  hover(ev) {
    const found = this.at(ev);
    this.canvas.classList.toggle('is-over', !!found);
    this.tip.hidden = !found;
    if (!found) return;
    const { cpu, memory, verdict } = this.data;
    const i = found.i;
    const name = document.createElement('b');
    name.textContent = this.names.list[i];
    const figures = document.createElement('span');
    const words = this.data.cards?.[i].t ?? VERDICT[verdict[i]];
    figures.textContent = [words, `cpu ${cpu[i]} %`, `memory ${memory[i]} %`].filter(Boolean).join(' · ');
    this.tip.replaceChildren(name, figures);
    const rect = this.root.getBoundingClientRect();
    // Which half decides the side, so that the tip stays inside; classes, since styles are not allowed here.
    this.tip.classList.toggle('is-low', ev.clientY - rect.top < rect.height / 2);
    this.tip.classList.toggle('is-high', ev.clientY - rect.top >= rect.height / 2);
  }

  click(ev) {
    const found = this.at(ev);
    if (found) go(urlFor({ node: this.names.list[found.i], plugin: null, page: null, open: null }));
  }
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

function drawSquares(scene) {
  const { c, w, t, data } = scene;
  const { pitch, cols, gap } = layout(scene);
  const cell = pitch - (pitch > 13 ? 2 : pitch > 6 ? 1.5 : 0.75);
  const boxes = [];
  let y = 6;
  for (const zone of data.zones) {
    zoneHead(c, t, zone, y, w);
    y += HEAD;
    for (let i = zone.start; i < zone.end; i++) {
      const k = i - zone.start;
      const place = { i, x: PAD + (k % cols) * pitch, y: y + Math.floor(k / cols) * pitch, w: pitch, h: pitch };
      boxes[i] = place;
      square(scene, i, place.x, place.y, cell);
    }
    y += Math.ceil((zone.end - zone.start) / cols) * pitch + gap;
  }
  marks(scene, boxes, cell);
  return boxes;
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

function square(scene, i, x, y, cell) {
  const { c, t, data, mode } = scene;
  const share = (mode === 'verdict' ? Math.max(data.cpu[i], data.memory[i]) : data[mode][i]) / 100;
  const height = Math.min(cell, Math.max(share > 0 ? 1 : 0, cell * share));
  if (mode !== 'verdict') {
    c.fillStyle = t['map-track'];
    c.fillRect(x, y, cell, cell);
    c.fillStyle = share > 1 ? t['unsched-s'] : t.heat;
    c.globalAlpha = 0.2 + 0.8 * Math.min(share, 1);
    c.fillRect(x, y + cell - height, cell, height);
    c.globalAlpha = 1;
    return;
  }
  verdictSquare(scene, i, x, y, cell, height);
}

function verdictSquare({ c, t, data }, i, x, y, cell, height) {
  const verdict = data.verdict[i];
  const score = data.score[i] / 255;
  if (verdict === 4) {
    c.strokeStyle = t['map-off'];
    c.lineWidth = 1;
    c.strokeRect(x + 0.5, y + 0.5, cell - 1, cell - 1);
    return;
  }
  if (verdict === 1) {
    c.fillStyle = t['bound-s'];
    c.globalAlpha = 0.1 + 0.14 * score * score;
    c.fillRect(x, y, cell, cell);
    c.globalAlpha = 0.28 + 0.72 * score ** 3;
    c.fillRect(x, y + cell - height, cell, height);
    c.globalAlpha = 1;
    return;
  }
  const looks = { 5: ['victim-b', 'victim-s'], 6: ['nomin-b', 'nomin-s'] }[verdict] ?? ['map-track', 'map-fill'];
  c.fillStyle = t[looks[0]];
  c.fillRect(x, y, cell, cell);
  c.fillStyle = t[looks[1]];
  c.fillRect(x, y + cell - height, cell, height);
  if (verdict !== 3) return;
  c.strokeStyle = t['unres-s'];
  c.lineWidth = cell > 6 ? 1.3 : 0.8;
  c.beginPath();
  c.moveTo(x + 1, y + cell - 1);
  c.lineTo(x + cell - 1, y + 1);
  c.stroke();
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

/** Draw the map and keep it with cursor, theme and size. */
export function startMap() {
  const map = new ClusterMap(document.getElementById('map'));
  document.addEventListener('cursor:moved', (ev) => { if (ev.detail.target !== 'inspector') map.load(); });
  document.addEventListener('look', () => map.draw());
  new ResizeObserver(() => map.draw()).observe(map.root);
  document.fonts.ready.then(() => map.load());
  return map;
}
