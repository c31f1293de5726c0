/* The parts of the table of a configuration that need no page: what differs between two texts, where an arrow leads,
   and the objects in the rows of a list. */

/** Return the span of `before` that is another in `after`, and what stands there: {start, end, put}. */
export function changedSpan(before, after) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let same = 0;
  while (same < shorter - start && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  return { start, end: before.length - same, put: after.slice(start, after.length - same) };
}

/** Return the next control in a direction, over places without one; null at the edge. */
export function step(grid, row, column, down, right) {
  let [r, c] = [row + down, column + right];
  while (r >= 0 && r < grid.length && c >= 0 && c < grid[r].length) {
    if (grid[r][c]) return grid[r][c];
    r += down;
    c += right;
  }
  return null;
}

/** Return the objects in the rows of a table of fields; rows whose first field is empty are left out. */
export function rowsOf(table) {
  const rows = [];
  for (const row of table.querySelectorAll('tbody tr')) {
    const fields = [...row.querySelectorAll('[data-column]')];
    if (!fields[0].value.trim()) continue;
    const entry = {};
    for (const field of fields) {
      const value = field.value.trim() || field.dataset.default || '';
      if (value === '') continue;
      entry[field.dataset.column] = field.dataset.number !== undefined && /^\d+$/.test(value) ? Number(value) : value;
    }
    rows.push(entry);
  }
  return rows;
}
