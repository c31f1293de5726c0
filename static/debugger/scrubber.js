/* The whole run in one strip: cycles by outcome, marks, cursor and head; dragging, clicking or arrow keys move the cursor. */
import { go, here, urlFor, format } from './cursor.js';
import { clock, moment, stepFor, words } from './scrubber/times.js';

const NS = 'http://www.w3.org/2000/svg';
const TOP = 18;
const FLOOR = 56;
const MARKS = {
  victim: ['mk', 'M0 0l4.5 5h-9zM-4.5 6.5h9v2h-9z'],
  unsched: ['mk-x', 'M-3.5 1l7 7M3.5 1l-7 7'],
  error: ['mk', 'M0 .5a4 4 0 100 8 4 4 0 100-8z'],
  thread: ['mk', 'M-4.5 .5h9v6.5h-5l-2.5 2.5v-2.5h-1.5z'],
};
// Percent of the strip.
const MARK_APART = 1.4;

function node(name, attributes, parent) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent?.append(made);
  return made;
}

/** Return the last cycle's number behind each stretch: {row: number}. */
function numbered(rows) {
  let last = 0;
  return new Map(
    rows.map((row) => {
      last += row[1] + row[2] + row[3] + row[4];
      return [row, last];
    }),
  );
}

class Scrubber {
  constructor(root) {
    this.root = root;
    this.svg = root.querySelector('svg');
    this.button = document.querySelector('[data-axis]');
    this.data = JSON.parse(document.getElementById('density').textContent);
    this.dragging = false;
    this.asked = 0;
    this.threads = new Map();
    this.svg.addEventListener('pointerdown', (ev) => this.down(ev));
    this.svg.addEventListener('pointermove', (ev) => {
      if (this.dragging) this.drag(ev);
    });
    this.svg.addEventListener('pointerup', (ev) => this.up(ev));
    this.svg.addEventListener('pointercancel', () => {
      this.dragging = false;
    });
    this.svg.addEventListener('keydown', (ev) => this.key(ev));
    this.button.addEventListener('click', () => this.load(this.data.axis === 'time' ? 'events' : 'time'));
    this.draw();
  }

  get isTime() {
    return this.data.axis === 'time';
  }

  place(seq, at) {
    return 100 * Math.min((this.isTime ? at : seq) / this.data.end, 1);
  }

  async load(axis = this.data.axis) {
    const turn = ++this.asked;
    const answer = await fetch(`${this.root.dataset.url}?axis=${axis}`);
    if (!answer.ok || turn !== this.asked) return;
    this.data = await answer.json();
    this.draw();
  }

  draw() {
    this.svg.replaceChildren();
    const { rows, width, end } = this.data;
    const most = Math.max(1, ...rows.map((row) => row[1] + row[2] + row[3] + row[4]));
    const least = Math.max((100 * width) / end - 0.08, 0.12);
    // Of an axis of events each stretch takes the room of its events, so that single cycles are bars and not lines.
    this.bars = rows.map((row) =>
      this.isTime
        ? this.bar(row, (100 * row[0] * width) / end, least, most)
        : this.bar(row, (100 * row[5]) / end, Math.max((100 * (row[6] + 1 - row[5])) / end - 0.12, 0.12), most),
    );
    node('line', { class: 'axis', x1: 0, x2: '100%', y1: FLOOR + 0.5, y2: FLOOR + 0.5 }, this.svg);
    this.ticks();
    for (const [seq, kind, cycle] of this.data.marks) this.mark(seq, kind, cycle);
    for (const [cycle, { seq }] of this.spread()) this.mark(seq, 'thread', cycle);
    this.headLine = node('line', { class: 'head-line', y1: 14, y2: 60 }, this.svg);
    this.headText = node('text', { class: 'head-text', dx: -6, y: 12, 'text-anchor': 'end' }, this.svg);
    this.line = node('line', { class: 'cursor-line', y1: 14, y2: 72 }, this.svg);
    this.flag = node('g', {}, this.svg);
    this.cap = node('rect', { class: 'cursor-cap', y: 2, height: 15, rx: 3 }, this.flag);
    this.label = node('text', { class: 'cursor-text', y: 13, 'text-anchor': 'middle' }, this.flag);
    this.button.textContent = this.isTime ? 'by time' : 'by events';
    this.button.setAttribute('aria-label', `Axis: ${this.isTime ? 'virtual time' : 'events'}. Change it.`);
    this.moved();
  }

  bar(row, x, width, most) {
    const [, ok, unsched, failed, skipped] = row;
    const scale = (FLOOR - TOP) / most;
    const failedHeight = unsched + failed ? Math.max((unsched + failed) * scale, 1) : 0;
    const okHeight = ok + skipped ? Math.max((ok + skipped) * scale, 1) : 0;
    const made = [];
    if (okHeight)
      made.push(
        node(
          'rect',
          { class: 'h-bound', x: `${x}%`, width: `${width}%`, y: FLOOR - failedHeight - okHeight, height: okHeight },
          this.svg,
        ),
      );
    if (failedHeight)
      made.push(
        node(
          'rect',
          {
            class: failed ? 'h-fail h-error' : 'h-fail',
            x: `${x}%`,
            width: `${width}%`,
            y: FLOOR - failedHeight,
            height: failedHeight,
          },
          this.svg,
        ),
      );
    return { at: x, made };
  }

  ticks() {
    const { rows, width, end } = this.data;
    const wanted = Math.max(3, Math.floor(this.svg.clientWidth / 110));
    if (this.isTime) {
      const step = stepFor(end, wanted);
      for (let at = 0; at <= end; at += step)
        this.tick((100 * at) / Math.max(end, 1), end < 6e7 ? moment(at) : clock(at, step));
      return;
    }
    const places = [];
    for (let i = 0; i <= wanted; i++) {
      const row = rows.findLast((one) => one[0] * width <= (end * i) / wanted) ?? rows[0];
      if (row) places.push({ x: (100 * i) / wanted, row, text: moment(row[8]) });
    }
    const times = new Set(places.map(({ text }) => text));
    if (times.size > places.length / 2) {
      // A moment at which much happens is told where it begins.
      places.forEach(({ x, text }, i) => this.tick(x, text === places[i - 1]?.text ? '' : text));
      return;
    }
    const cycles = numbered(rows);
    places.forEach(({ x, row }, i) => {
      if (i === 0 || row !== places[i - 1].row) this.tick(x, `cycle ${format(cycles.get(row))}`);
    });
  }

  /** Threads, no more of them than can be told apart. */
  spread() {
    let last = -Infinity;
    return [...this.threads].filter(([, { seq }]) => {
      const x = this.place(seq, this.timeOf(seq));
      if (x - last < MARK_APART) return false;
      last = x;
      return true;
    });
  }

  /** Return the virtual time of the stretch that holds the seq. */
  timeOf(seq) {
    return this.data.rows.findLast((one) => one[5] <= seq)?.[8] ?? 0;
  }

  /** Fetch where there are threads; another room of the server knows. */
  async loadThreads() {
    const url = this.root.dataset.threadsUrl;
    if (!url) return;
    const answer = await fetch(url);
    if (!answer.ok) return;
    const { cycles } = await answer.json();
    this.threads = new Map(cycles.map(([cycle, seq, open, all]) => [cycle, { seq, open, all }]));
    this.draw();
  }

  /** Say on the tab how many threads the cycle has. */
  count() {
    const place = document.querySelector('[data-thread-count]');
    if (!place) return;
    const found = this.threads.get(here().cycle);
    place.hidden = !found;
    place.textContent = found ? format(found.all) : '';
    place.title = found ? `${format(found.open)} open of ${format(found.all)} threads` : '';
  }

  tick(x, text) {
    node('line', { class: 'axis', x1: `${x}%`, x2: `${x}%`, y1: FLOOR + 1, y2: FLOOR + 4 }, this.svg);
    if (!text) return;
    const anchor = x < 2 ? 'start' : x > 97 ? 'end' : 'middle';
    node('text', { x: `${x}%`, y: 81, 'text-anchor': anchor }, this.svg).textContent = text;
  }

  mark(seq, kind, cycle) {
    const [look, path] = MARKS[kind];
    const holder = node(
      'svg',
      {
        x: `${this.place(seq, this.timeOf(seq))}%`,
        y: 61,
        overflow: 'visible',
        class: `m-${kind === 'thread' ? 'second' : kind}`,
      },
      this.svg,
    );
    const drawn = node('path', { class: look, d: path }, holder);
    node('title', {}, drawn).textContent =
      `${{ victim: 'preemption', unsched: 'unschedulable', error: 'error', thread: 'thread' }[kind]} in cycle ${format(cycle)}`;
  }

  /** Put cursor and head where they are now. */
  moved() {
    const { seq, head, cycle, at, live } = here();
    const x = this.place(seq, at);
    this.show(x, cycle ? `cycle ${format(cycle)}` : 'start');
    this.headLine.toggleAttribute('hidden', !live);
    const headX = this.isTime ? this.place(head, this.data.head.at) : this.place(head, 0);
    this.headLine.setAttribute('x1', `${headX}%`);
    this.headLine.setAttribute('x2', `${headX}%`);
    this.headText.setAttribute('x', `${headX}%`);
    const isLeft = headX < 6;
    this.headText.setAttribute('text-anchor', isLeft ? 'start' : 'end');
    this.headText.setAttribute('dx', isLeft ? 50 : -6);
    this.headText.textContent = live && Math.abs(headX - x) > 6 ? 'head' : '';
    this.count();
    this.svg.setAttribute('aria-valuemax', head);
    this.svg.setAttribute('aria-valuenow', seq);
    this.svg.setAttribute(
      'aria-valuetext',
      cycle ? `cycle ${format(cycle)} at ${words(at)}` : `event ${format(seq)} at ${words(at)}`,
    );
  }

  show(x, text) {
    this.line.setAttribute('x1', `${x}%`);
    this.line.setAttribute('x2', `${x}%`);
    this.label.textContent = text;
    const whole = this.svg.getBoundingClientRect().width;
    const width = Math.ceil(this.label.getComputedTextLength()) + 16;
    // Near the ends of the strip the flag stays inside and the line leaves its middle.
    const middle = Math.max(width / 2, Math.min((whole * x) / 100, whole - width / 2));
    this.cap.setAttribute('x', middle - width / 2);
    this.cap.setAttribute('width', width);
    this.label.setAttribute('x', middle);
    for (const { at, made } of this.bars) for (const one of made) one.classList.toggle('h-future', at > x);
  }

  seqAt(ev) {
    const box = this.svg.getBoundingClientRect();
    const share = Math.min(Math.max((ev.clientX - box.left) / box.width, 0), 1);
    if (!this.isTime) return Math.round(share * this.data.end);
    const at = share * this.data.end;
    const row = this.data.rows.findLast((one) => one[8] <= at);
    if (!row) return 0;
    const inside = row[9] > row[8] ? Math.min((at - row[8]) / (row[9] - row[8]), 1) : 1;
    return Math.round(row[5] + inside * (row[6] + 1 - row[5]));
  }

  down(ev) {
    if (ev.button) return;
    this.dragging = true;
    this.svg.setPointerCapture(ev.pointerId);
    document.dispatchEvent(new CustomEvent('cursor:seek'));
    this.drag(ev);
  }

  drag(ev) {
    const seq = this.seqAt(ev);
    const box = this.svg.getBoundingClientRect();
    this.show(100 * Math.min(Math.max((ev.clientX - box.left) / box.width, 0), 1), `seq ${format(seq)}`);
    const byEvent = new URL(location.href).searchParams.get('step') === 'event';
    go(urlFor(byEvent || seq === 0 ? { seq: Math.min(seq, here().head) } : { near: seq }), {
      replace: ev.type === 'pointermove',
    });
  }

  up(ev) {
    this.dragging = false;
    this.svg.releasePointerCapture(ev.pointerId);
  }

  key(ev) {
    const keys = {
      ArrowRight: 'F10',
      ArrowUp: 'F10',
      ArrowLeft: 'Shift+F10',
      ArrowDown: 'Shift+F10',
      Home: 'Home',
      End: 'End',
    };
    const { cycle, ahead, head } = here();
    if (keys[ev.key]) document.querySelector(`[data-key="${keys[ev.key]}"]`).click();
    else if (ev.key === 'PageDown') go(urlFor(cycle > 10 ? { cycle: cycle - 10 } : { seq: 0 }));
    else if (ev.key === 'PageUp')
      go(urlFor(ahead.length ? { cycle: ahead[Math.min(10, ahead.length) - 1][0] } : { seq: head }));
    else return;
    ev.preventDefault();
    ev.stopPropagation();
  }
}

/** Draw the strip and keep it with the cursor; returns it. */
export function startScrubber() {
  const scrubber = new Scrubber(document.getElementById('scrubber'));
  document.addEventListener('cursor:moved', () => {
    if (!scrubber.dragging) scrubber.moved();
  });
  new ResizeObserver(() => scrubber.draw()).observe(scrubber.root);
  scrubber.loadThreads();
  document.body.addEventListener('threads-changed', () => scrubber.loadThreads());
  return scrubber;
}
