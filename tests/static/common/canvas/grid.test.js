import { cellAt, cellBox } from '../../../../static/common/canvas/grid.js';
import { equal } from '../../assert.js';

const GRID = {
  cell: { w: 10, h: 8 },
  blocks: [
    { x: 0, top: 0, columns: 4, count: 6, start: 0 },
    { x: 60, top: 20, columns: 2, count: 3, start: 6 },
  ],
};

export function a_point_is_on_the_cell_below_it() {
  equal(cellAt(GRID, 15, 5), 1);
  equal(cellAt(GRID, 15, 15), 5);
  equal(cellAt(GRID, 61, 29), 8);
}

export function beside_the_cells_is_none() {
  equal(cellAt(GRID, 25, 15), -1);
  equal(cellAt(GRID, 45, 5), -1);
  equal(cellAt(GRID, -1, 5), -1);
  equal(cellAt(GRID, 71, 29), -1);
}

export function each_cell_lies_where_a_point_in_it_finds_it() {
  for (let position = 0; position < 9; position++) {
    const { x, y } = cellBox(GRID, position);
    equal(cellAt(GRID, x + 9, y + 7), position);
  }
}
