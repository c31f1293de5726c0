/* The page of a query: rows by key, a range dragged over the bars. */
import { isForPage } from '../common/keyboard.js';
import { on } from '../common/on.js';

const SLIP = 4;

// ---------------------------------------------------------------- rows

const rows = () => [...document.querySelectorAll('[data-hits] tbody tr')];
const selected = () => rows().findIndex((row) => row.getAttribute('aria-selected') === 'true');

function choose(number) {
  const all = rows();
  if (!all.length) return;
  const at = Math.min(Math.max(number, 0), all.length - 1);
  all.forEach((row, one) => {
    if (one === at) row.setAttribute('aria-selected', 'true');
    else row.removeAttribute('aria-selected');
  });
  all[at].querySelector('[data-hit-link]').focus({ preventScroll: true });
  all[at].scrollIntoView({ block: 'nearest' });
}

/** Select the next row or the one before; after the last one is the next page. */
function step(by) {
  const at = selected();
  const next = at + by;
  if (at >= 0 && next >= rows().length) document.querySelector('.pages [rel="next"]')?.click();
  else if (at >= 0 && next < 0) document.querySelector('.pages [rel="prev"]')?.click();
  else choose(at < 0 ? 0 : next);
}

document.addEventListener('keydown', (ev) => {
  if (!isForPage(ev)) return;
  if (ev.key === 'j' || ev.key === 'n') step(1);
  else if (ev.key === 'k' || ev.key === 'N') step(-1);
  else if (ev.key === 'Enter' && selected() >= 0 && ev.target === document.body)
    rows()[selected()].querySelector('[data-hit-link]').click();
  else return;
  ev.preventDefault();
});

on('click', '[data-hit]', (button) => step(button.dataset.hit === 'next' ? 1 : -1));

// ---------------------------------------------------------------- hits of a run that goes on

/** The next answer takes the place of the one before: the chosen row and what is unfolded stay as they are. */
let held = null;
const folds = () => [...document.querySelectorAll('#search-results details')];
document.addEventListener('htmx:beforeSwap', (ev) => {
  if (ev.detail.target.id !== 'search-results') return;
  held = { row: selected(), open: folds().map((one) => one.open) };
});
document.addEventListener('htmx:afterSwap', (ev) => {
  if (ev.detail.target.id !== 'search-results' || !held) return;
  rows()[held.row]?.setAttribute('aria-selected', 'true');
  folds().forEach((one, at) => {
    if (held.open[at]) one.open = true;
  });
  held = null;
});

// ---------------------------------------------------------------- a range of time

/** Return the time at a share of the axis, whose pieces are [begin, end, left, right]. */
export function timeAt(pieces, share) {
  for (const [begin, end, left, right] of pieces)
    if (share <= right) return Math.round(begin + ((end - begin) * (share - left)) / Math.max(right - left, 1e-9));
  return pieces.at(-1)[1];
}

const bars = () => document.getElementById('search-bars');
let pressed = null;

function shareOf(ev) {
  const box = bars().getBoundingClientRect();
  return Math.min(Math.max((ev.clientX - box.left) / box.width, 0), 1);
}

function paint(from, to) {
  const brush = bars().querySelector('.brush');
  brush.setAttribute('visibility', from === null ? 'hidden' : 'visible');
  if (from === null) return;
  brush.setAttribute('x', `${100 * Math.min(from, to)}%`);
  brush.setAttribute('width', `${100 * Math.abs(to - from)}%`);
}

on('pointerdown', '#search-bars', (_, ev) => {
  if (ev.button) return;
  pressed = { x: ev.clientX, share: shareOf(ev) };
  // The browser would drag the link of a bar along.
  ev.preventDefault();
});
document.addEventListener('pointermove', (ev) => {
  if (pressed && Math.abs(ev.clientX - pressed.x) >= SLIP) paint(pressed.share, shareOf(ev));
});
document.addEventListener('pointerup', (ev) => {
  if (!pressed) return;
  const { x, share } = pressed;
  pressed = null;
  paint(null);
  if (Math.abs(ev.clientX - x) < SLIP) return;
  const pieces = JSON.parse(bars().dataset.axis);
  const [from, to] = [share, shareOf(ev)].sort((one, other) => one - other).map((one) => timeAt(pieces, one));
  const url = new URL(bars().dataset.url, location.href);
  url.searchParams.set('from', from);
  url.searchParams.set('to', Math.max(to, from + 1));
  // The click that ends the drag is not one on a bar.
  window.addEventListener('click', (click) => click.preventDefault(), { capture: true, once: true });
  location.assign(url);
});

document.documentElement.dataset.search = 'ready';
