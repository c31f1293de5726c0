/* Cells of the matrix: pointing or moving with arrows tells the reason in the bar below, Enter or a click keeps it in the address. Lists of pods move
   with arrows too: each list is one stop of Tab. */
import { go, urlFor } from './cursor.js';

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function column(cell) {
  const table = cell.closest('table');
  const heads = [...table.tHead.rows[1].cells];
  return heads[cell.cellIndex]?.dataset.plugin ?? '';
}

function hint(cell) {
  const bar = document.getElementById('cell-hint');
  if (!bar || !cell.title) return;
  const node = cell.closest('tr').dataset.node ?? '';
  bar.textContent = node ? `${node}: ${cell.title}` : cell.title;
}

function keep(cell) {
  const node = cell.closest('tr')?.dataset.node;
  const plugin = column(cell);
  if (node && plugin) go(urlFor({ node, plugin }));
}

function focusCell(from, [down, right]) {
  const rows = [...from.closest('tbody').rows].filter((row) => row.dataset.node);
  const row = rows[rows.indexOf(from.parentElement) + down];
  const next = row?.cells[Math.min(from.cellIndex + right, row.cells.length - 1)];
  if (!next || from.cellIndex + right < 0) return;
  const target = next.querySelector('a') && next.tagName === 'TH' ? next.querySelector('a') : next;
  if (target === next) next.tabIndex = -1;
  target.focus();
  target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function onKey(ev) {
  const move = MOVES[ev.key];
  const list = ev.target.closest('[data-roving]');
  if (list && move && move[0]) return rove(ev, list, move[0]);
  const matrix = ev.target.closest('[data-matrix]');
  if (!matrix || ev.target.closest('form')) return undefined;
  const cell = ev.target.closest('td, th');
  if (ev.key === 'Enter' && cell?.matches('td')) {
    ev.preventDefault();
    keep(cell);
    return undefined;
  }
  if (!move) return undefined;
  ev.preventDefault();
  ev.stopPropagation();
  const first = matrix.querySelector('tbody tr[data-node]');
  if (cell?.closest('tbody')) focusCell(cell, move);
  else first?.querySelector('a').focus();
  return undefined;
}

function rove(ev, list, step) {
  const items = [...list.querySelectorAll('a')];
  const next = items[items.indexOf(document.activeElement) + step];
  if (!next) return;
  ev.preventDefault();
  for (const one of items) one.tabIndex = one === next ? 0 : -1;
  next.focus();
}

function settle() {
  for (const list of document.querySelectorAll('[data-roving]')) {
    const items = [...list.querySelectorAll('a')];
    const current =
      items.find((one) => one === document.activeElement) ?? items.find((one) => one.matches('.is-cursor')) ?? items[0];
    for (const one of items) one.tabIndex = one === current ? 0 : -1;
  }
}

/** Wire the matrix and the lists; they are replaced with every move, so the document listens. */
export function startMatrix() {
  document.addEventListener('pointerover', (ev) => {
    const cell = ev.target.closest?.('[data-matrix] td[title]');
    if (cell) hint(cell);
  });
  document.addEventListener('focusin', (ev) => {
    if (ev.target.matches?.('[data-matrix] td[title]')) hint(ev.target);
  });
  document.addEventListener('click', (ev) => {
    const cell = ev.target.closest('[data-matrix] tbody td');
    if (cell && !ev.target.closest('a')) keep(cell);
  });
  document.addEventListener('keydown', onKey, true);
  document.addEventListener('cursor:moved', settle);
  document.addEventListener('htmx:afterSettle', settle);
  settle();
}
