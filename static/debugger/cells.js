/* Cells of a matrix, wherever one is shown: which plugin and node they are of, and moving among them with arrows. */
import { on } from '../common/on.js';

export const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/* The head above a cell; a cell that spans columns is of no plugin. */
const headOf = (cell) =>
  cell.colSpan === 1 ? cell.closest('table')?.tHead?.rows[1]?.cells[cell.cellIndex] : undefined;

/** Return the name of the plugin of the cell's column, "" where it has none. */
export const pluginOf = (cell) => headOf(cell)?.dataset.plugin ?? '';

/** Return the name of the node of the cell's row, "" where it has none. */
export const nodeOf = (cell) => cell.closest('tr')?.dataset.node ?? '';

/** Return {kind, plugin, node} of a verdict or a score as threads name it, null for a cell without one. */
export function thingOf(cell) {
  const [node, plugin, head] = [nodeOf(cell), pluginOf(cell), headOf(cell)];
  if (!node || !plugin || cell.tagName !== 'TD' || head.classList.contains('ahead')) return null;
  return { kind: head.classList.contains('sc') ? 'score' : 'verdict', plugin, node };
}

/** Focus a cell; a row's head is its link. */
export function focusIn(cell) {
  const target = cell.tagName === 'TH' ? (cell.querySelector('a') ?? cell) : cell;
  if (target === cell) cell.tabIndex = -1;
  target.focus();
  target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** Do what an arrow key asks in a matrix: the next cell, or from outside of the rows the first one; return whether it did. */
export function arrowed(ev) {
  const matrix = ev.target.closest?.('[data-matrix]');
  const move = MOVES[ev.key];
  if (!matrix || !move || ev.ctrlKey || ev.metaKey || ev.altKey || ev.target.closest('form')) return false;
  ev.preventDefault();
  ev.stopPropagation();
  const cell = ev.target.closest('td, th');
  if (cell?.closest('tbody')) next(cell, move);
  else matrix.querySelector('tbody tr[data-node] a')?.focus();
  return true;
}

function next(from, [down, right]) {
  const rows = [...from.closest('tbody').rows].filter((row) => row.dataset.node);
  const row = rows[rows.indexOf(from.parentElement) + down];
  const cell = row?.cells[Math.min(from.cellIndex + right, row.cells.length - 1)];
  if (cell && from.cellIndex + right >= 0) focusIn(cell);
}

function hint(cell) {
  const bar = document.getElementById('cell-hint');
  if (!bar || !cell.title) return;
  const node = nodeOf(cell);
  bar.textContent = node ? `${node}: ${cell.title}` : cell.title;
}

/** Have the bar below the matrix say the reason of the cell that somebody points at or moves to. */
export function startHints() {
  on('pointerover', '[data-matrix] td[title]', hint);
  document.addEventListener('focusin', (ev) => {
    if (ev.target.matches?.('[data-matrix] td[title]')) hint(ev.target);
  });
}
