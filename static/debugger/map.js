/* The cluster map: one square per node, or one card where they are few. Colours come from the tokens, so that both themes draw from one
   source; the matrix beside it is its text. */
import { go, here, urlFor, format } from './cursor.js';
import { drawCards } from './cards.js';
import { tones } from './paint.js';
import { drawSquares } from './squares.js';

const VERDICT = [
  '',
  'fits',
  'refused, may change',
  'unresolvable',
  'not looked at',
  'candidate for preemption',
  'nominated',
];

function bytes(text) {
  const raw = atob(text);
  const found = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) found[i] = raw.charCodeAt(i);
  return found;
}

class ClusterMap {
  constructor(root) {
    this.root = root;
    this.canvas = root.querySelector('canvas');
    this.tip = root.querySelector('.map-tip');
    this.empty = root.querySelector('.map-empty');
    this.names = { version: '', list: [] };
    this.data = null;
    this.tones = null;
    this.boxes = [];
    this.fresh = null;
    this.canvas.addEventListener('pointermove', (ev) => this.hover(ev));
    this.canvas.addEventListener('pointerleave', () => {
      this.tip.hidden = true;
    });
    this.canvas.addEventListener('click', (ev) => this.click(ev));
  }

  get mode() {
    return new URL(urlFor({}), location.href).searchParams.get('map') ?? 'verdict';
  }

  /** What an answer of the server says of the map, null where the sizes of the inputs are still being read. */
  static dataIn(root) {
    const script = root.querySelector('#map-data');
    return script && JSON.parse(script.textContent);
  }

  /** Have the names of the nodes that an answer speaks of before it is painted. */
  async prepare(root) {
    const data = ClusterMap.dataIn(root);
    if (data && data.version !== this.names.version) this.fresh = await this.fetchNames(data.seq);
  }

  /** Show what the page's data say. */
  show() {
    const data = ClusterMap.dataIn(document);
    if (!data) return;
    if (this.fresh?.version === data.version) this.names = this.fresh;
    for (const name of ['cpu', 'memory', 'verdict', 'score']) data[name] = bytes(data[name]);
    this.data = data;
    this.draw();
  }

  /** Begin: where the sizes are still being read, this waits for them. */
  async start() {
    const data = ClusterMap.dataIn(document);
    this.fresh = await this.fetchNames(data?.seq ?? here().seq);
    if (data) this.show();
    else document.dispatchEvent(new CustomEvent('map:ready'));
  }

  async fetchNames(seq) {
    const answer = await fetch(`${this.root.dataset.url}?seq=${seq}`);
    if (!answer.ok) return null;
    const { version, names } = await answer.json();
    return { version, list: names };
  }

  draw() {
    if (!this.data || this.names.version !== this.data.version) return;
    this.empty.hidden = this.names.list.length > 0;
    const rect = this.root.getBoundingClientRect();
    const ratio = devicePixelRatio || 1;
    this.size(Math.round(rect.width * ratio), Math.round(rect.height * ratio));
    this.tones ??= tones();
    const c = this.canvas.getContext('2d');
    c.save();
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const scene = {
      c,
      ratio,
      w: rect.width,
      h: rect.height,
      t: this.tones,
      data: this.data,
      names: this.names.list,
      mode: this.mode,
      selected: this.names.list.indexOf(this.data.node),
    };
    c.fillStyle = scene.t['map-bg'];
    c.fillRect(0, 0, scene.w, scene.h);
    this.boxes = this.data.cards ? drawCards(scene) : drawSquares(scene);
    c.restore();
    const { seq, cycle, pod, node } = this.data;
    Object.assign(this.root.dataset, { seq, shown: cycle, pod, node });
    this.label();
  }

  /* Setting a size, even the same one, throws the picture's memory away. */
  size(width, height) {
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
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

/** Draw the map and keep it with cursor, theme and size. */
export function startMap() {
  const map = new ClusterMap(document.getElementById('map'));
  document.addEventListener('cursor:moved', (ev) => {
    if (ev.detail.target !== 'inspector') map.show();
  });
  document.addEventListener('cursor:answer', (ev) => ev.detail.wait.push(map.prepare(ev.detail.body)));
  document.addEventListener('look', () => {
    map.tones = null;
    map.draw();
  });
  new ResizeObserver(() => map.draw()).observe(map.root);
  document.fonts.ready.then(() => map.start());
  return map;
}
