/* The strip of a run: it shows where the cursor is, goes where one clicks, and zooms, pans and folds. */
import { threadMarks } from '../../common/thread-marks.js';
import { go, here, stage, urlFor, format } from '../cursor.js';
import { Axis } from './axis.js';
import { startHits } from './hits.js';
import { Preview } from './preview.js';
import { Strip } from './strip.js';
import { words } from './times.js';
import { between, panned, zoomed } from './windows.js';
import { on } from '../../common/on.js';

/* Pixels: what moved less is a click. */
const SLIP = 4;
const ZOOM = 0.5;
const PAN = 0.25;
const LEAST = { folded: 5, time: 1000 };
const HELP = 'Click to go, drag to zoom';
const RANGE_HELP = 'Click to go, drag to choose a range';

class Scrubber {
  constructor(root) {
    this.root = root;
    this.svg = root.querySelector('svg');
    this.strip = new Strip(this.svg);
    this.preview = new Preview(document.getElementById('scrub-preview'), root.dataset.previewUrl);
    this.threads = [];
    this.hits = [];
    this.range = null;
    this.window = null;
    this.asked = 0;
    this.pressed = null;
    this.take(JSON.parse(document.getElementById('density').textContent));
    this.listen();
  }

  get isDragging() {
    return this.pressed !== null;
  }

  get least() {
    return LEAST[this.axis.isFolded ? 'folded' : 'time'];
  }

  listen() {
    const { svg } = this;
    svg.addEventListener('pointerdown', (ev) => this.down(ev));
    svg.addEventListener('pointermove', (ev) => this.move(ev));
    svg.addEventListener('pointerup', (ev) => this.up(ev));
    svg.addEventListener('pointercancel', () => this.release());
    svg.addEventListener('pointerleave', () => this.leave());
    svg.addEventListener('wheel', (ev) => this.wheel(ev), { passive: false });
    svg.addEventListener('keydown', (ev) => this.key(ev));
    on('click', '[data-scrub]', (button) => this.button(button.dataset.scrub));
  }

  // ---------------------------------------------------------------- data

  take(density) {
    this.axis = new Axis(density);
    this.draw();
    // All that is drawn along the same axis.
    document.dispatchEvent(new CustomEvent('scrubber:axis'));
  }

  /** Fetch what the window shows now: of the whole run where none was chosen. */
  async load(axis = this.axis.isFolded ? 'folded' : 'time') {
    const turn = ++this.asked;
    const query = new URLSearchParams({ axis, ...this.window });
    const answer = await fetch(`${this.root.dataset.url}?${query}`).catch(() => null);
    if (!answer?.ok || turn !== this.asked) return;
    const density = await answer.json();
    if (turn === this.asked) this.take(density);
  }

  draw() {
    this.strip.draw(this.axis, {
      threads: this.threads,
      hits: this.hits,
      attempts: this.attempts(),
      range: this.range,
    });
    for (const one of document.querySelectorAll('[data-scrub="fold"]'))
      one.setAttribute('aria-pressed', String(this.axis.isFolded));
    document.getElementById('scrub-empty').hidden = this.axis.stretches.length > 0;
    const table = document.getElementById('scrub-table');
    const first = this.axis.cycleAt(this.axis.low);
    table.href = `${this.root.dataset.cyclesUrl}${first > 1 ? `?after=${first - 1}` : ''}`;
    this.moved();
  }

  /** Show the events from `first` to `last` as chosen, or none. */
  setRange(range) {
    this.range = range;
    this.draw();
  }

  /** Mark these places on the track of hits: {cycle, hits}. */
  setHits(hits) {
    this.hits = hits;
    this.strip.drawHits(hits);
  }

  /** Fetch where there are threads; another room of the server knows. */
  async loadThreads(question) {
    const url = this.root.dataset.threadsUrl;
    if (!url) return;
    const answer = await threadMarks(url, question);
    if (!answer) return;
    this.threads = answer.cycles.map(({ cycle, open, threads }) => ({ cycle, open, threads }));
    this.draw();
  }

  // ---------------------------------------------------------------- where the cursor is

  /** Return the cycles of the selected pod, which are marked from now on. */
  attempts() {
    this.marked = document.getElementById('clock').dataset.attempts;
    return this.marked ? this.marked.split(' ').map(Number) : [];
  }

  /** Put cursor and head where they are now. */
  moved() {
    const { seq, head, cycle, named, at, live } = here();
    if (document.getElementById('clock').dataset.attempts !== this.marked) this.strip.attempts(this.attempts());
    const place = this.axis.ofSeq(seq, at);
    const share = place === null ? null : this.axis.share(place, true);
    // As the chip of the cursor below names it.
    this.strip.cursor(share, named ? `cycle ${format(named)}` : `seq ${format(seq)}`);
    const end = this.axis.high >= this.axis.whole ? 1 : null;
    this.strip.showHead(live ? end : null, share);
    this.count();
    this.svg.setAttribute('aria-valuemax', head);
    this.svg.setAttribute('aria-valuenow', seq);
    this.svg.setAttribute(
      'aria-valuetext',
      cycle ? `cycle ${format(cycle)} at ${words(at)}` : `event ${format(seq)} at ${words(at)}`,
    );
  }

  /** Say on the tab how many threads the inspector's cycle has. */
  count() {
    const place = document.querySelector('[data-thread-count]');
    if (!place) return;
    const found = this.threads.find(({ cycle }) => cycle === (here().shown || here().cycle));
    place.hidden = !found;
    place.textContent = found ? format(found.threads) : '';
    place.title = found ? `${format(found.open)} open of ${format(found.threads)} threads` : '';
  }

  // ---------------------------------------------------------------- pointer

  shareOf(ev) {
    const box = this.svg.getBoundingClientRect();
    return Math.min(Math.max((ev.clientX - box.left) / box.width, 0), 1);
  }

  down(ev) {
    if (ev.button) return;
    const isFlag = ev.target.closest('.cursor-flag') !== null;
    this.pressed = {
      x: ev.clientX,
      share: this.shareOf(ev),
      isFlag,
      mark: ev.target.closest('.tk-mark')?.dataset.cycle,
    };
    this.svg.setPointerCapture(ev.pointerId);
    if (isFlag) document.dispatchEvent(new CustomEvent('cursor:seek'));
  }

  move(ev) {
    const share = this.shareOf(ev);
    if (!this.pressed) {
      this.hover(ev, share);
      return;
    }
    this.preview.hide();
    this.strip.showGhost(null);
    if (this.pressed.isFlag) this.seek(share);
    else if (Math.abs(ev.clientX - this.pressed.x) >= SLIP) this.strip.showBrush(this.pressed.share, share);
  }

  up(ev) {
    const { pressed } = this;
    this.release();
    if (this.svg.hasPointerCapture(ev.pointerId)) this.svg.releasePointerCapture(ev.pointerId);
    if (!pressed || pressed.isFlag) return;
    const share = this.shareOf(ev);
    if (Math.abs(ev.clientX - pressed.x) >= SLIP) this.brush(pressed.share, share);
    else this.click(share, pressed.mark);
  }

  release() {
    this.pressed = null;
    this.strip.showBrush(null);
  }

  leave() {
    if (this.pressed) return;
    this.preview.hide();
    this.strip.showGhost(null);
  }

  hover(ev, share) {
    const coordinate = this.axis.coordinate(share);
    const mark = ev.target.closest('.tk-mark');
    const cycle = mark ? Number(mark.dataset.cycle) : this.axis.cycleAt(coordinate);
    const x = share * this.strip.width;
    const help = this.isRanging ? RANGE_HELP : HELP;
    this.strip.showGhost(share);
    const at = this.axis.timeAt(coordinate);
    this.preview.show({ x, width: this.strip.width, cycle, at, mark: mark?.dataset.title, help });
  }

  /** Drag the cursor along, a step at a time. */
  seek(share) {
    const coordinate = this.axis.coordinate(share);
    const cycle = this.axis.cycleAt(coordinate);
    this.strip.cursor(share, cycle ? `cycle ${format(cycle)}` : 'start');
    go(this.urlAt(coordinate), { replace: true });
  }

  click(share, mark) {
    document.dispatchEvent(new CustomEvent('cursor:seek'));
    go(mark ? urlFor({ cycle: mark }) : this.urlAt(this.axis.coordinate(share)));
  }

  urlAt(coordinate) {
    const cycle = this.axis.cycleAt(coordinate);
    if (this.isRanging || new URL(urlFor({}), location.href).searchParams.get('step') === 'event')
      return urlFor({ seq: Math.min(this.axis.seqAt(coordinate), here().head) });
    return urlFor(cycle ? { cycle } : { seq: 0 });
  }

  /** What is dragged over is the next window, or a range where a list beside the strip takes it. */
  brush(one, other) {
    const places = [one, other].map((share) => this.axis.coordinate(share)).sort((a, b) => a - b);
    const [first, last] = places.map((place) => this.axis.seqAt(place));
    const taken = new CustomEvent('scrubber:range', { cancelable: true, detail: { first, last } });
    if (document.dispatchEvent(taken)) this.show(between(...places, this.axis.whole, this.least));
  }

  wheel(ev) {
    ev.preventDefault();
    const across = ev.shiftKey ? ev.deltaY : ev.deltaX;
    if (Math.abs(across) > Math.abs(ev.shiftKey ? 0 : ev.deltaY)) this.pan(Math.sign(across) * PAN);
    else this.zoom(ev.deltaY > 0 ? 1 / ZOOM : ZOOM, this.axis.coordinate(this.shareOf(ev)));
  }

  // ---------------------------------------------------------------- window

  show(window) {
    const isWhole = window.low <= 0 && window.high >= this.axis.whole;
    this.window = isWhole ? null : window;
    this.preview.hide();
    this.load();
  }

  get shown() {
    return this.window ?? this.axis.window;
  }

  /** Zoom around a coordinate, or around the cursor where it is in the window. */
  zoom(factor, around = this.middle()) {
    this.show(zoomed(this.shown, factor, around, this.axis.whole, this.least));
  }

  middle() {
    const { seq, at } = here();
    const { low, high } = this.shown;
    const place = this.axis.ofSeq(seq, at);
    return place !== null && place >= low && place <= high ? place : (low + high) / 2;
  }

  pan(part) {
    this.show(panned(this.shown, part, this.axis.whole, this.least));
  }

  fold() {
    const axis = this.axis.isFolded ? 'time' : 'folded';
    // The server draws the next page by it, so that a reload shows the same.
    document.cookie = `scrubber_axis=${axis}; path=/; max-age=31536000; samesite=lax`;
    this.window = null;
    this.load(axis);
  }

  button(name) {
    if (name === 'in') this.zoom(ZOOM);
    else if (name === 'out') this.zoom(1 / ZOOM);
    else if (name === 'back') this.pan(-PAN);
    else if (name === 'on') this.pan(PAN);
    else if (name === 'fit') this.show({ low: 0, high: this.axis.whole });
    else if (name === 'fold') this.fold();
  }

  // ---------------------------------------------------------------- keys

  key(ev) {
    const keys = {
      ArrowRight: 'F10',
      ArrowUp: 'F10',
      ArrowLeft: 'Shift+F10',
      ArrowDown: 'Shift+F10',
      Home: 'Home',
      End: 'End',
    };
    const { cycle, cycles, head } = here();
    if (keys[ev.key]) document.querySelector(`[data-key="${keys[ev.key]}"]`).click();
    else if (ev.key === 'PageDown') go(urlFor(cycle > 10 ? { cycle: cycle - 10 } : { seq: 0 }));
    else if (ev.key === 'PageUp') go(urlFor(cycle < cycles ? { cycle: Math.min(cycle + 10, cycles) } : { seq: head }));
    else return;
    ev.preventDefault();
    ev.stopPropagation();
  }
}

/** Draw the strip and keep it with the cursor; with `ranging` a range that is dragged is for others (scrubber:range). Returns it. */
export function startScrubber({ ranging = false } = {}) {
  const scrubber = new Scrubber(document.getElementById('scrubber'));
  scrubber.isRanging = ranging;
  document.addEventListener('cursor:moved', () => {
    if (!scrubber.isDragging) scrubber.moved();
  });
  new ResizeObserver(() => scrubber.draw()).observe(scrubber.root);
  scrubber.loadThreads({ isFirst: true });
  startHits(scrubber);
  document.body.addEventListener('threads-changed', () => scrubber.loadThreads());
  document.addEventListener('feed:changes', ({ detail: { topics } }) => {
    if (topics === null || topics.includes(`run:${stage().dataset.run}`)) scrubber.loadThreads();
  });
  return scrubber;
}
