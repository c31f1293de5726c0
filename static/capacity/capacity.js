/* The matrix of pods by groups: arrows go from cell to cell, and select where they go. */
const FIELDS = 'input, textarea, select, [contenteditable="true"], dialog, details[open]';
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function cellAt(table, row, column) {
  return table.tBodies[0].rows[row]?.cells[column]?.querySelector('a');
}

document.addEventListener('keydown', (ev) => {
  const step = STEPS[ev.key];
  const table = document.getElementById('cap-matrix');
  if (!step || !table || ev.defaultPrevented || ev.ctrlKey || ev.metaKey || ev.altKey || ev.shiftKey) return;
  const here = document.activeElement;
  if (here.closest(FIELDS) || (here !== document.body && here.id !== 'main' && !table.contains(here))) return;
  const from = table.contains(here) ? here : table.querySelector('a[aria-current]');
  const cell = from?.closest('td');
  if (!cell) return;
  const [down, along] = step;
  const to = cellAt(table, cell.parentElement.sectionRowIndex + down, cell.cellIndex + along);
  if (!to) return;
  ev.preventDefault();
  to.focus();
  to.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  to.click();
});
