/* The drawing of the strip: bars, slots of idle gaps, tracks of marks, ticks, cursor and head. All places across are percent of the width. */
import { format } from '../cursor.js';
import { merged, told, troubles } from './marks.js';
import { clock, span, stepFor } from './times.js';

const NS = 'http://www.w3.org/2000/svg';
const TOP = 20;
const FLOOR = 56;
const TROUBLE = 63;
const HITS = 75;
const THREADS = 87;
const BOTTOM = 93;
const LABELS = 105;
/* Pixels: marks nearer than that are one; a bar of a short run; the room of a label. */
const APART = 11;
const WIDEST = 18;
const LABEL = 90;
const PATHS = {
  preemption: ['mk', 'M0 -5l5 5h-10zM-5 2h10v2h-10z'],
  failure: ['mk-x', 'M-3 -3l6 6M3 -3l-6 6'],
  error: ['mk', 'M0 -4a4 4 0 100 8 4 4 0 100-8z'],
  hit: ['mk', 'M0 -3.5a3.5 3.5 0 100 7 3.5 3.5 0 100-7z'],
  thread: ['mk-th', 'M-4.5 -4h9v6.5h-5l-2.5 2.5v-2.5h-1.5z'],
  attempt: ['mk-attempt', 'M-3.5 1.5h7l-3.5 -5z'],
};
const MEANINGS = {
  preemption: 'victim',
  failure: 'unsched',
  error: 'error',
  hit: 'error',
  thread: 'second',
  attempt: 'cursor',
};

/** Make an SVG element. */
function node(name, attributes, parent) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent?.append(made);
  return made;
}

const percent = (share) => `${(100 * share).toFixed(3)}%`;
const inView = (share) => share >= -0.001 && share <= 1.001;

export class Strip {
  constructor(svg) {
    this.svg = svg;
    this.bars = [];
    this.width = 1;
    this.widths = new Map();
    // The number of bars before the cursor.
    this.reached = 0;
  }

  /** Draw all but the cursor: `threads` are {cycle, open, threads}, `hits` {cycle, hits}, `attempts` numbers of cycles, `range` two seqs or null. */
  draw(axis, { threads, hits, attempts, range }) {
    this.axis = axis;
    // Asked for once: after each change of the drawing it would be laid out again for the answer.
    this.width = this.svg.clientWidth || 1;
    this.svg.replaceChildren();
    this.overview();
    this.lines();
    for (const slot of axis.slots()) this.slot(slot);
    this.drawBars();
    this.ticks();
    if (range) this.range(range);
    this.marks(troubles(axis.stretches), TROUBLE);
    this.marks(
      threads.map((one) => ({ ...one, kind: 'thread' })),
      THREADS,
    );
    this.hits = node('g', {}, this.svg);
    this.drawHits(hits);
    this.tries = node('g', {}, this.svg);
    this.attempts(attempts);
    this.pointers();
  }

  /** Mark the attempts of a pod, and no other's. */
  attempts(cycles) {
    this.tries.replaceChildren();
    for (const cycle of cycles)
      this.mark({ cycle, kind: 'attempt' }, FLOOR + 1.5, `attempt in cycle ${format(cycle)}`, this.tries);
  }

  /** Mark where queries have hits, and nothing else there. */
  drawHits(hits) {
    this.hits.replaceChildren();
    this.marks(
      hits.map((one) => ({ ...one, kind: 'hit' })),
      HITS,
      this.hits,
    );
  }

  lines() {
    for (const y of [TROUBLE, HITS, THREADS])
      node('line', { class: 'tk-line', x1: 0, x2: '100%', y1: y, y2: y }, this.svg);
    node('line', { class: 'axis', x1: 0, x2: '100%', y1: FLOOR + 0.5, y2: FLOOR + 0.5 }, this.svg);
  }

  /** A line of the whole run, with the window on it. */
  overview() {
    if (!this.axis.isZoomed) return;
    const { low, high, whole } = this.axis;
    node('rect', { class: 'tk-whole', x: 0, width: '100%', y: 0, height: 3, rx: 1.5 }, this.svg);
    const width = percent(Math.max((high - low) / whole, 0.004));
    node('rect', { class: 'tk-window', x: percent(low / whole), width, y: 0, height: 3, rx: 1.5 }, this.svg);
  }

  slot({ from, to, gap }) {
    const text = span(gap.end - gap.begin);
    const place = node('g', {}, this.svg);
    const inset = 0.0015;
    const width = percent(Math.max(to - from - 2 * inset, 0.001));
    node('rect', { class: 'idle', x: percent(from + inset), width, y: TOP, height: BOTTOM - TOP, rx: 3 }, place);
    node('title', {}, place).textContent = `${text} without a scheduling cycle`;
    const label = {
      class: 'idle-text',
      x: percent((from + to) / 2),
      y: (TOP + FLOOR) / 2 + 4,
      'text-anchor': 'middle',
    };
    if ((to - from) * this.width > 5.4 * text.length) node('text', label, place).textContent = text;
  }

  drawBars() {
    const { stretches } = this.axis;
    const sums = stretches.map((one) => one.scheduled + one.skipped + one.unschedulable + one.errors);
    const scale = (FLOOR - TOP) / Math.max(...sums, 1);
    this.bars = stretches.map((stretch) => this.bar(stretch, scale));
    this.reached = this.bars.length;
  }

  /** Cycles with a node stand below, those without one above them. */
  bar(stretch, scale) {
    const whole = this.axis.span(stretch);
    const ok = stretch.scheduled + stretch.skipped;
    const bad = stretch.unschedulable + stretch.errors;
    const okHeight = ok ? Math.max(ok * scale, 1) : 0;
    const badHeight = bad ? Math.max(bad * scale, 1) : 0;
    const made = [];
    for (const piece of this.axis.pieces(whole)) {
      const { x, width } = this.room(piece);
      const add = (look, y, height) => made.push(node('rect', { class: look, x, width, y, height }, this.svg));
      if (okHeight) add('h-bound', FLOOR - okHeight, okHeight);
      if (badHeight) add(stretch.errors ? 'h-error h-fail' : 'h-fail', FLOOR - okHeight - badHeight, badHeight);
    }
    return { from: whole.from, made };
  }

  /** Where a bar stands: in the middle of its piece, no wider than is good to look at. */
  room({ from, to }) {
    const room = Math.max(to - from, 1 / this.width);
    const gap = room * this.width > 4 ? Math.min(room * 0.28, 2.5 / this.width) : 0;
    const wide = Math.min(room - gap, WIDEST / this.width);
    return { x: percent((from + to - wide) / 2), width: percent(wide) };
  }

  ticks() {
    const { axis } = this;
    const most = Math.max(2, Math.floor(this.width / LABEL));
    if (axis.isFolded) {
      const active = axis.stretches.reduce((sum, { at, until }) => sum + until - at, 0);
      const step = stepFor(active, most);
      let last = '';
      let free = -1;
      for (let i = 0; i <= 4 * most; i++) {
        const share = i / (4 * most);
        const text = axis.stretches.length ? clock(axis.timeAt(axis.coordinate(share)), step) : '';
        if (text === last || share < free || axis.slots().some(({ from, to }) => share > from && share < to)) continue;
        this.tick(share, text);
        last = text;
        free = share + 1 / most;
      }
      return;
    }
    const step = stepFor(axis.high - axis.low, most);
    for (let at = Math.ceil(axis.low / step) * step; at <= axis.high; at += step)
      this.tick(axis.share(at), clock(at, step));
  }

  tick(share, text) {
    const x = percent(share);
    node('line', { class: 'axis', x1: x, x2: x, y1: BOTTOM, y2: BOTTOM + 3 }, this.svg);
    const anchor = share < 0.02 ? 'start' : share > 0.96 ? 'end' : 'middle';
    node('text', { x, y: LABELS, 'text-anchor': anchor }, this.svg).textContent = text;
  }

  /** What a list beside the strip is narrowed to. */
  range({ first, last }) {
    const places = [first, last].map((seq) => this.axis.ofSeq(seq, null));
    if (places.includes(null)) return;
    const [from, to] = places.map((place) => this.axis.share(place));
    node(
      'rect',
      { class: 'win', x: percent(from), width: percent(Math.max(to - from, 0.002)), y: TOP, height: BOTTOM - TOP },
      this.svg,
    );
  }

  marks(wanted, y, place = this.svg) {
    const placed = wanted
      .map((mark) => ({ ...mark, at: this.axis.ofCycle(mark.cycle) }))
      .filter(({ at }) => at !== null)
      .map((mark) => ({ ...mark, x: this.axis.share(mark.at) * this.width }));
    for (const mark of merged(placed, APART)) this.mark(mark, y, told(mark), place);
  }

  mark({ cycle, kind }, y, title, place = this.svg) {
    const coordinate = this.axis.ofCycle(cycle);
    if (coordinate === null || !inView(this.axis.share(coordinate))) return;
    const x = percent(this.axis.share(coordinate));
    const [look, d] = PATHS[kind];
    const holder = node('svg', { x, y, overflow: 'visible', class: `tk-mark m-${MEANINGS[kind]}` }, place);
    holder.dataset.cycle = cycle;
    holder.dataset.kind = kind;
    holder.dataset.title = title;
    node('rect', { class: 'tk-hit', x: -6, y: -6, width: 12, height: 12 }, holder);
    node('path', { class: look, d }, holder);
    node('title', {}, holder).textContent = title;
  }

  pointers() {
    this.headLine = node('line', { class: 'head-line', y1: TOP - 4, y2: FLOOR }, this.svg);
    this.headText = node('text', { class: 'head-text', y: 13 }, this.svg);
    this.ghost = node('line', { class: 'ghost', y1: TOP - 4, y2: BOTTOM, hidden: '' }, this.svg);
    this.brushed = node('rect', { class: 'brush', y: TOP, height: BOTTOM - TOP, hidden: '' }, this.svg);
    this.line = node('line', { class: 'cursor-line', y1: TOP - 4, y2: BOTTOM }, this.svg);
    this.flag = node('g', { class: 'cursor-flag' }, this.svg);
    this.cap = node('rect', { class: 'cursor-cap', y: 4, height: 15, rx: 3 }, this.flag);
    this.label = node('text', { class: 'cursor-text', y: 15, 'text-anchor': 'middle' }, this.flag);
  }

  /** Put the cursor at a share (null: not in the window) under a flag with the text; what lies after it is still to come. */
  cursor(share, text) {
    const isIn = share !== null && inView(share);
    for (const part of [this.line, this.flag]) part.toggleAttribute('hidden', !isIn);
    this.dim(share === null ? this.bars.length : this.bars.filter(({ from }) => from < share).length);
    if (!isIn) return;
    this.line.setAttribute('x1', percent(share));
    this.line.setAttribute('x2', percent(share));
    this.label.textContent = text;
    const width = this.flagWidth(text);
    // Near the ends of the strip the flag stays inside and the line leaves its middle.
    const middle = Math.max(width / 2, Math.min(this.width * share, this.width - width / 2));
    this.cap.setAttribute('x', middle - width / 2);
    this.cap.setAttribute('width', width);
    this.label.setAttribute('x', middle);
  }

  /** Paint the bars after the first `count` ones as what is still to come; only those that change are touched. */
  dim(count) {
    const [low, high] = [Math.min(count, this.reached), Math.max(count, this.reached)];
    for (const { made } of this.bars.slice(low, high))
      for (const one of made) one.classList.toggle('h-future', count < high);
    this.reached = count;
  }

  /** Return how wide the flag is; digits are of one width, so that each form of text is measured once. */
  flagWidth(text) {
    const form = text.replace(/\d/g, '0');
    if (!this.widths.has(form)) this.widths.set(form, Math.ceil(this.label.getComputedTextLength()) + 16);
    return this.widths.get(form);
  }

  /** Show where the recording ends so far, or nothing. */
  showHead(share, cursor) {
    const isShown = share !== null && inView(share);
    this.headLine.toggleAttribute('hidden', !isShown);
    this.headText.textContent = '';
    if (!isShown) return;
    this.headLine.setAttribute('x1', percent(share));
    this.headLine.setAttribute('x2', percent(share));
    if (cursor !== null && Math.abs(share - cursor) < 0.12) return;
    this.headText.setAttribute('x', percent(share));
    this.headText.setAttribute('dx', share < 0.06 ? 6 : -6);
    this.headText.setAttribute('text-anchor', share < 0.06 ? 'start' : 'end');
    this.headText.textContent = 'head';
  }

  /** Show the line under the pointer, or none. */
  showGhost(share) {
    this.ghost.toggleAttribute('hidden', share === null);
    if (share === null) return;
    this.ghost.setAttribute('x1', percent(share));
    this.ghost.setAttribute('x2', percent(share));
  }

  /** Show what is being dragged over, between two shares, or nothing. */
  showBrush(one, other = one) {
    this.brushed.toggleAttribute('hidden', one === null);
    if (one === null) return;
    this.brushed.setAttribute('x', percent(Math.min(one, other)));
    this.brushed.setAttribute('width', percent(Math.abs(one - other)));
  }
}
