/* Rows of the table by key: J and K move, Left and Right fold and open, Enter follows the row's link. */
import { isForPage } from '../../common/keyboard.js';
import { on } from '../../common/on.js';

let here = '';

const rows = () => [...document.querySelectorAll('#oc-rows tr[data-row]')];
const current = () => rows().find((row) => row.dataset.row === here);

/** Return the index `step` further on in a list of `length`, kept inside of it; from -1 the first or last one. */
export function moved(index, step, length) {
  if (index < 0) return step > 0 ? 0 : length - 1;
  return Math.min(Math.max(index + step, 0), length - 1);
}

function mark(row, focus) {
  for (const one of rows()) one.classList.toggle('is-here', one === row);
  here = row?.dataset.row ?? '';
  if (row && focus) {
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }
}

function go(step) {
  const all = rows();
  if (all.length) mark(all[moved(all.indexOf(current()), step, all.length)], true);
}

function toggle(wanted) {
  const link = current()?.querySelector('[data-toggle]');
  if (link && (link.getAttribute('aria-expanded') === 'true') !== wanted) link.click();
  else if (!wanted) up();
}

/** Left on a row that is folded, or has nothing to fold, goes to the row that it belongs to. */
function up() {
  const parent = here.split('.')[0];
  const row = rows().find((one) => one.dataset.row === parent);
  if (row && row !== current()) mark(row, true);
}

const KEYS = {
  j: () => go(1),
  k: () => go(-1),
  ArrowDown: () => go(1),
  ArrowUp: () => go(-1),
  ArrowRight: () => toggle(true),
  ArrowLeft: () => toggle(false),
  Enter: () => current()?.querySelector('[data-why]')?.click(),
};

function key(ev) {
  if (ev.defaultPrevented || !isForPage(ev) || ev.target.closest?.('[role="slider"]')) return;
  const name = ev.key.length === 1 ? ev.key.toLowerCase() : ev.key;
  if (!KEYS[name] || document.querySelector('dialog[open]')) return;
  const onRow = ev.target.closest?.('tr[data-row]');
  // Arrows and Enter are the row's where it has the focus; elsewhere they keep what they do.
  if (name.length > 1 && !onRow) return;
  if (name === 'Enter' && ev.target !== onRow) return;
  ev.preventDefault();
  KEYS[name]();
}

/** Listen for keys; the row one is at stays when the table is replaced. */
export function startRows() {
  document.addEventListener('keydown', key);
  on('focusin', 'tr[data-row]', (row) => {
    if (row.dataset.row !== here) mark(row, false);
  });
  document.addEventListener('htmx:afterSettle', () => {
    if (!here) return;
    const held = document.activeElement === document.body || document.activeElement?.closest('tr[data-row]');
    mark(current(), !!held);
  });
}
