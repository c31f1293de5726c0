/* The Live page: asked for again every two seconds, unless it is frozen; causes keep their order while somebody is at their list. */
import { isForPage } from '../common/keyboard.js';
import { on } from '../common/on.js';
import { moved } from '../debugger/outcomes/rows.js';
import { partAddress } from './address.js';
import { isDrawing } from './hours.js';

const EVERY_MS = 2000;
let frozenAt = null;
let order = '';
let here = '';

const page = () => document.getElementById('live');
const list = () => document.getElementById('lv-list');
const rows = () => [...document.querySelectorAll('#lv-list tr[data-row]')];
const isAtList = () => list()?.matches(':hover') || list()?.contains(document.activeElement);

function ask() {
  if (frozenAt || isDrawing() || document.hidden || document.querySelector('dialog[open], #live details[open]')) return;
  if (!isAtList()) order = '';
  else if (!order)
    order = rows()
      .map((row) => row.dataset.row)
      .join('-');
  const { url, seen } = page().dataset;
  const address = partAddress(url, location.search, seen, order);
  window.htmx.ajax('GET', address, { source: '#live', target: '#live', swap: 'morph:outerHTML' });
}

function freeze(button) {
  frozenAt = frozenAt ? null : new Date();
  button.setAttribute('aria-pressed', String(!!frozenAt));
  button.querySelector('span').textContent = frozenAt ? 'Go on' : 'Freeze';
  document.getElementById('lv-frozen').textContent = frozenAt ? `frozen at ${frozenAt.toLocaleTimeString()}` : '';
  if (!frozenAt) ask();
}

function mark(row, focus) {
  here = row?.dataset.row ?? '';
  for (const one of rows()) one.classList.toggle('is-here', one === row);
  if (row && focus) {
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }
}

function key(ev) {
  if (ev.defaultPrevented || !isForPage(ev) || document.querySelector('dialog[open]')) return;
  const all = rows();
  const current = all.find((row) => row.dataset.row === here);
  const step = { j: 1, k: -1 }[ev.key.toLowerCase()];
  if (step && all.length) mark(all[moved(all.indexOf(current), step, all.length)], true);
  else if (ev.key === 'Enter' && ev.target === current) current.querySelector('[data-why]')?.click();
  else return;
  ev.preventDefault();
}

document.addEventListener('keydown', key);
on('click', '#lv-freeze', freeze);
on('click', '#lv-sort', () => {
  order = '';
  page().dataset.seen = '';
  document.activeElement?.blur();
  const { url, seen } = page().dataset;
  window.htmx.ajax('GET', partAddress(url, location.search, seen, ''), {
    source: '#live',
    target: '#live',
    swap: 'morph:outerHTML',
  });
});
document.addEventListener('htmx:afterSettle', () => {
  if (here)
    mark(
      rows().find((row) => row.dataset.row === here),
      document.activeElement === document.body,
    );
});
setInterval(ask, EVERY_MS);
