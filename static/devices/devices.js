/* The map of devices: arrows walk over devices, squares of a large cluster say what they are and choose their place. */
import { on } from '../common/on.js';

const CELLS = 'a.dv, a.dv-nic';
const FIELDS = 'input, textarea, select, [contenteditable="true"], dialog';
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function middle(cell) {
  const box = cell.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}

/** Return the nearest cell in a direction: what lies off the way counts three times, so that rows stay rows. */
function next(from, [dx, dy], cells) {
  const [x, y] = middle(from);
  let best = null;
  let least = Infinity;
  for (const cell of cells) {
    if (cell === from) continue;
    const [u, v] = middle(cell);
    const box = cell.getBoundingClientRect();
    const along = (u - x) * dx + (v - y) * dy;
    const aside = dy ? Math.max(0, box.left - x, x - box.right) : Math.max(0, box.top - y, y - box.bottom);
    const cost = along + 3 * aside;
    if (along > 1 && cost < least) [best, least] = [cell, cost];
  }
  return best;
}

document.addEventListener('keydown', (ev) => {
  const step = STEPS[ev.key];
  const map = document.getElementById('device-map');
  if (!step || !map || ev.defaultPrevented || ev.ctrlKey || ev.metaKey || ev.altKey || ev.target.closest(FIELDS))
    return;
  const here = document.activeElement;
  const isFree = here === document.body || here === map || here.id === 'main';
  if (!isFree && !here.matches(CELLS)) return;
  const cells = [...map.querySelectorAll(CELLS)];
  const to = here.matches(CELLS) ? next(here, step, cells) : (map.querySelector('.is-me') ?? cells[0]);
  if (!to) return;
  ev.preventDefault();
  to.focus();
  to.scrollIntoView({ block: 'nearest' });
});

/* ---------- squares ---------- */
let read = { text: '', columns: [] };

function placeAt(squares, ev) {
  if (read.text !== squares.dataset.places) {
    read = { text: squares.dataset.places, columns: JSON.parse(squares.dataset.places) };
  }
  const box = squares.getBoundingClientRect();
  const width = Number(squares.dataset.columns);
  const size = box.width / width;
  const column = Math.floor((ev.clientX - box.left) / size);
  const place = Math.floor((ev.clientY - box.top) / size) * width + column;
  const [names, used, free, total] = read.columns;
  if (column < 0 || column >= width || !names[place]) return null;
  return { name: names[place], used: used[place], free: free[place], total: total[place] };
}

on('pointermove', '.dv-squares', (squares, ev) => {
  const one = placeAt(squares, ev);
  const says = document.getElementById('device-over');
  if (one && says) says.textContent = `${one.name}: ${one.used} of ${one.total} in use, ${one.free} free`;
});

on('click', '.dv-squares', (squares, ev) => {
  const one = placeAt(squares, ev);
  if (!one) return;
  const url = new URL(squares.dataset.url, location.href);
  url.searchParams.set('node', one.name);
  const address = url.pathname + url.search;
  window.htmx
    .ajax('GET', address, { target: '#devices', swap: 'morph:outerHTML show:none' })
    .then(() => history.pushState({ htmx: true }, '', address));
});
