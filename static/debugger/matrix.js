/* Cells of the matrix: pointing or moving with arrows tells the reason in the bar below, Enter or a click keeps it in the address. A focused cell stays
   focused over steps: it is found again by node and plugin. Lists of pods and the extension points move with arrows too: each is one stop of Tab. */
import { arrowed, focusIn, MOVES, nodeOf, pluginOf, startHints } from './cells.js';
import { go, urlFor } from './cursor.js';
import { shown } from './painting.js';

/* The focused cell before an answer is painted: {node, plugin, row, isHead}. */
let held = null;

function keep(cell) {
  const [node, plugin] = [nodeOf(cell), pluginOf(cell)];
  if (node && plugin) go(urlFor({ node, plugin }));
}

function onKey(ev) {
  const move = MOVES[ev.key];
  const list = ev.target.closest('[data-roving]');
  const step = list && move && move[list.dataset.roving === 'x' ? 1 : 0];
  if (step) return rove(ev, list, step);
  const matrix = ev.target.closest('[data-matrix]');
  if (!matrix || ev.target.closest('form')) return undefined;
  const cell = ev.target.closest('td, th');
  if (ev.key === 'Enter' && cell?.matches('td')) {
    ev.preventDefault();
    keep(cell);
    return undefined;
  }
  arrowed(ev);
  return undefined;
}

function rove(ev, list, step) {
  const items = stops(list);
  const next = items[items.indexOf(document.activeElement) + step];
  if (!next) return;
  ev.preventDefault();
  for (const one of items) one.tabIndex = one === next ? 0 : -1;
  next.focus();
}

/* Of the points, which stand in a row, some are hidden at some widths; of a list of pods none is. */
const mayHide = (list) => list.dataset.roving === 'x';

function stops(list) {
  const links = [...list.querySelectorAll('a')];
  return mayHide(list) ? links.filter((one) => one.offsetParent !== null) : links;
}

/** Give each list one stop of Tab. What may be hidden waits for the frame: asking before would lay the panes out twice. */
function settleAll() {
  const lists = [...document.querySelectorAll('[data-roving]')];
  settle(lists.filter((list) => !mayHide(list)));
  shown().then(() => settle(lists.filter(mayHide)));
}

function settle(lists) {
  for (const list of lists) {
    const items = [...list.querySelectorAll('a')];
    const wanted =
      items.find((one) => one === document.activeElement) ??
      items.find((one) => one.matches('[aria-current]')) ??
      items.find((one) => one.matches('.is-cursor')) ??
      items[0];
    const current = wanted && mayHide(list) && !wanted.checkVisibility() ? stops(list)[0] : wanted;
    for (const one of items) {
      const place = one === current ? '0' : '-1';
      if (one.getAttribute('tabindex') !== place) one.setAttribute('tabindex', place);
    }
  }
}

const bodyRows = (matrix) => [...matrix.querySelectorAll('tbody tr[data-node]')];

function hold() {
  const cell = document.activeElement?.closest?.('[data-matrix] tbody td, [data-matrix] tbody th');
  const row = cell?.closest('tr[data-node]');
  held = row && {
    node: row.dataset.node,
    plugin: pluginOf(cell),
    row: bodyRows(cell.closest('[data-matrix]')).indexOf(row),
    isHead: cell.tagName === 'TH',
  };
}

/** Focus the cell of the same node and plugin; of a node that is not there now, the cell in the same row of the page. */
function restore() {
  const matrix = held && document.querySelector('[data-matrix]');
  if (!matrix) return;
  const rows = bodyRows(matrix);
  const row = rows.find((one) => one.dataset.node === held.node) ?? rows[Math.min(held.row, rows.length - 1)];
  const heads = [...matrix.querySelector('table').tHead.rows[1].cells];
  const at = heads.findIndex((head) => head.dataset.plugin === held.plugin);
  if (row) focusIn(row.cells[held.isHead || at < 0 ? 0 : Math.min(at, row.cells.length - 1)]);
}

function jump(ev, link) {
  const target = document.querySelector(link.getAttribute('href'));
  if (!target) return;
  ev.preventDefault();
  target.scrollIntoView({ block: 'start' });
  target.nextElementSibling?.querySelector('a')?.focus({ preventScroll: true });
}

/** Wire the matrix and the lists; they are replaced with every move, so the document listens. */
export function startMatrix() {
  startHints();
  document.addEventListener('click', (ev) => {
    const cell = ev.target.closest('[data-matrix] tbody td');
    const link = ev.target.closest('a[data-jump]');
    if (link) jump(ev, link);
    else if (cell && !ev.target.closest('a')) keep(cell);
  });
  document.addEventListener('keydown', onKey, true);
  document.addEventListener('cursor:answer', hold);
  document.addEventListener('cursor:moved', () => {
    settleAll();
    restore();
  });
  document.addEventListener('htmx:afterSettle', settleAll);
  settleAll();
}
