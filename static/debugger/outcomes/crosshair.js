/* One crosshair over both charts: the pointer or the arrow keys move it, a click or Enter opens the debugger there. */
import { on } from '../../common/on.js';

const WIDTH = 0.75;

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

let at = -1;

function data() {
  const place = document.getElementById('oc-crosshair');
  return place ? JSON.parse(place.textContent) : null;
}

function show(index) {
  const samples = data();
  if (!samples?.x.length) return;
  at = Math.min(Math.max(index, 0), samples.x.length - 1);
  const x = `${(100 * WIDTH * samples.x[at]).toFixed(2)}%`;
  for (const chart of document.querySelectorAll('[data-chart]')) {
    const line = chart.querySelector('.cx');
    line.removeAttribute('hidden');
    line.setAttribute('x1', x);
    line.setAttribute('x2', x);
    const said = samples[chart.dataset.chart][at];
    const place = document.querySelector(`[data-said="${chart.dataset.chart}"]`);
    place.dataset.plain ??= place.textContent;
    place.textContent = said;
    chart.setAttribute('aria-valuemax', samples.x.length - 1);
    chart.setAttribute('aria-valuenow', at);
    chart.setAttribute('aria-valuetext', said);
  }
}

function hide() {
  at = -1;
  for (const line of document.querySelectorAll('[data-chart] .cx')) line.setAttribute('hidden', '');
  for (const place of document.querySelectorAll('[data-said]')) {
    if (place.dataset.plain) place.textContent = place.dataset.plain;
  }
}

function open() {
  const samples = data();
  if (samples && at >= 0) location.assign(`${location.pathname.replace(/outcomes\/$/, '')}?seq=${samples.seq[at]}`);
}

function key(_, ev) {
  if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
  const last = (data()?.x.length ?? 0) - 1;
  const from = at < 0 ? last : at;
  const moves = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    Home: 0,
    End: last,
    PageUp: from - 20,
    PageDown: from + 20,
  };
  if (ev.key === 'Enter') open();
  else if (ev.key in moves) show(at < 0 && ev.key === 'ArrowLeft' ? last : moves[ev.key]);
  else return;
  ev.preventDefault();
}

/** Follow the pointer and the keys over every chart of the page. */
export function startCrosshair() {
  document.addEventListener('pointermove', (ev) => {
    const chart = ev.target.closest?.('[data-chart]');
    if (!chart) {
      if (at >= 0 && !document.activeElement?.closest('[data-chart]')) hide();
      return;
    }
    const box = chart.getBoundingClientRect();
    const samples = data();
    if (samples) show(nearest(samples.x, Math.min((ev.clientX - box.left) / (box.width * WIDTH), 1)));
  });
  on('click', '[data-chart]', () => open());
  on('focusin', '[data-chart]', () => {
    if (at < 0) show(Number.MAX_SAFE_INTEGER);
  });
  on('focusout', '[data-chart]', () => hide());
  on('keydown', '[data-chart]', key);
}
