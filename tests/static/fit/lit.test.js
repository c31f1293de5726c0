import { cellAt, cellsIn, nodesOf } from '../../../static/fit/lit.js';
import { equal } from '../assert.js';

export function each_node_has_a_score_or_a_reason() {
  const told = { nodes: ['a', 'b', 'c'], reasonOf: [-1, 0, -1], totals: [90, -1, -1], reasons: ['too small'] };
  equal(nodesOf(told), [
    { node: 'a', fits: true, score: 90, reason: '' },
    { node: 'b', fits: false, score: null, reason: 'too small' },
    { node: 'c', fits: true, score: null, reason: '' },
  ]);
}

export function cells_are_as_large_as_the_room_allows() {
  equal(cellsIn(7, 160, 150), { step: 16, columns: 10 });
  const many = cellsIn(1500, 368, 150);
  equal(Math.ceil(1500 / many.columns) * many.step <= 150, true);
  equal(cellsIn(50000, 300, 150), { step: 3, columns: 100 });
}

export function a_point_is_on_the_cell_below_it() {
  const cells = { step: 10, columns: 4 };
  equal(cellAt(cells, 6, 15, 5), 1);
  equal(cellAt(cells, 6, 15, 15), 5);
  equal(cellAt(cells, 6, 25, 15), -1);
  equal(cellAt(cells, 6, 45, 5), -1);
  equal(cellAt(cells, 6, -1, 5), -1);
}
