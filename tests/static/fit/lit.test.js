import { cellsIn, nodesOf } from '../../../static/fit/lit.js';
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
  const gridOf = (count, step, columns) => ({
    cell: { w: step, h: step },
    blocks: [{ x: 0, top: 0, columns, count, start: 0 }],
  });
  equal(cellsIn(7, 160, 150), gridOf(7, 16, 10));
  const { cell, blocks } = cellsIn(1500, 368, 150);
  equal(Math.ceil(1500 / blocks[0].columns) * cell.h <= 150, true);
  equal(cellsIn(50000, 300, 150), gridOf(50000, 3, 100));
}
