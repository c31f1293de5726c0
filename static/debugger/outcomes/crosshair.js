/* One crosshair over both charts: the pointer or the arrow keys move it, a click or Enter opens the debugger there. A drag, or arrows with
   Shift, choose a span of time, and the table then lists the pods that waited in it. */
import { on } from '../../common/on.js';

/* A press that moves by fewer pixels is a click. */
const CLICK = 4;

/** Return the index of the value of ascending `values` that is nearest to `x`. */
export function nearest(values, x) {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low > 0 && x - values[low - 1] <= values[low] - x ? low - 1 : low;
}

/* Indexes of samples: the crosshair's, -1 where there is none, and the one at which a span began, -1 where none is chosen. */
let at = -1;
let from = -1;
let pressed = null;

const percent = (x) => `${(100 * x).toFixed(2)}%`;

/* The samples as they were read last, and the text that they were read from: a pointer that moves reads them often. */
let known = { text: '', samples: null };

function data() {
  const text = document.getElementById('oc-crosshair')?.textContent ?? '';
  if (text !== known.text) known = { text, samples: JSON.parse(text || 'null') };
  return known.samples?.x.length ? known.samples : null;
}

const ends = () => [Math.min(from, at), Math.max(from, at)];

function draw(chart, samples) {
  const line = chart.querySelector('.cx');
  line.removeAttribute('hidden');
  for (const end of ['x1', 'x2']) line.setAttribute(end, percent(samples.x[at]));
  if (from < 0) return;
  const [first, last] = ends();
  const band = chart.querySelector('.br');
  band.removeAttribute('hidden');
  band.setAttribute('x', percent(samples.x[first]));
  band.setAttribute('width', percent(samples.x[last] - samples.x[first]));
}

function say(chart, samples) {
  const [first, last] = ends();
  const words = from < 0 ? samples[chart.dataset.chart][at] : `${samples.labels[first]} to ${samples.labels[last]}`;
  const place = document.querySelector(`[data-said="${chart.dataset.chart}"]`);
  place.dataset.plain ??= place.textContent;
  place.textContent = words;
  chart.setAttribute('aria-valuemax', samples.x.length - 1);
  chart.setAttribute('aria-valuenow', at);
  chart.setAttribute('aria-valuetext', words);
}

function show(index) {
  const samples = data();
  if (!samples) return;
  at = Math.min(Math.max(index, 0), samples.x.length - 1);
  for (const chart of document.querySelectorAll('[data-chart]')) {
    draw(chart, samples);
    say(chart, samples);
  }
}

function hide() {
  [at, from, pressed] = [-1, -1, null];
  for (const line of document.querySelectorAll('[data-chart] .cx')) line.setAttribute('hidden', '');
  for (const place of document.querySelectorAll('[data-said]')) {
    if (place.dataset.plain) place.textContent = place.dataset.plain;
  }
}

function open() {
  const samples = data();
  if (samples && at >= 0) location.assign(`${location.pathname.replace(/outcomes\/$/, '')}?seq=${samples.seq[at]}`);
}

function ask(url) {
  [from, pressed] = [-1, null];
  const how = { source: '#outcomes', target: '#outcomes', swap: 'morph:outerHTML', push: 'true' };
  window.htmx.ajax('GET', url.pathname + url.search, how);
}

/** List the pods that waited in the span. */
function filter() {
  const [first, last] = ends();
  const samples = data();
  const url = new URL(location.href);
  url.searchParams.set('waited', `${samples.at[first]}-${samples.at[last]}`);
  ask(url);
}

/** Drop the span that is being chosen, else the one that the table is filtered by. */
function drop() {
  const url = new URL(location.href);
  url.searchParams.delete('waited');
  if (from >= 0 || url.href !== location.href) ask(url);
}

function key(_, ev) {
  if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
  const last = (data()?.x.length ?? 0) - 1;
  const start = at < 0 ? last : at;
  const moves = {
    ArrowLeft: start - 1,
    ArrowRight: start + 1,
    Home: 0,
    End: last,
    PageUp: start - 20,
    PageDown: start + 20,
  };
  if (ev.key === 'Enter' && from >= 0) filter();
  else if (ev.key === 'Enter') open();
  else if (ev.key === 'Escape') drop();
  else if (ev.key in moves) {
    if (!ev.shiftKey) from = -1;
    else if (from < 0) from = start;
    show(at < 0 && ev.key === 'ArrowLeft' && !ev.shiftKey ? last : moves[ev.key]);
  } else return;
  ev.preventDefault();
}

/** A span that was chosen by keys filters once Shift is let go. */
function released(_, ev) {
  if (ev.key === 'Shift' && from >= 0 && !pressed) filter();
}

function under(chart, ev) {
  const box = chart.getBoundingClientRect();
  return nearest(data().x, Math.min(Math.max((ev.clientX - box.left) / box.width, 0), 1));
}

function press(chart, ev) {
  if (ev.button || !ev.isPrimary || ev.pointerType === 'touch' || !data()) return;
  pressed = { chart, x: ev.clientX, index: under(chart, ev) };
  chart.setPointerCapture(ev.pointerId);
}

function move(ev) {
  const chart = pressed?.chart ?? ev.target.closest?.('[data-chart]');
  if (!chart) {
    if (at >= 0 && !document.activeElement?.closest('[data-chart]')) hide();
    return;
  }
  if (!data()) return;
  if (pressed && Math.abs(ev.clientX - pressed.x) > CLICK) from = pressed.index;
  show(under(chart, ev));
}

function release() {
  if (!pressed) return;
  if (from >= 0) filter();
  else {
    pressed = null;
    open();
  }
}

/** Follow the pointer and the keys over every chart of the page. */
export function startCrosshair() {
  document.addEventListener('pointermove', move);
  on('pointerdown', '[data-chart]', press);
  document.addEventListener('pointerup', release);
  document.addEventListener('pointercancel', hide);
  on('focusin', '[data-chart]', () => {
    if (at < 0) show(Number.MAX_SAFE_INTEGER);
  });
  on('focusout', '[data-chart]', () => pressed || hide());
  on('keydown', '[data-chart]', key);
  on('keyup', '[data-chart]', released);
}
