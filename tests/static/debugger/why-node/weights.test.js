import { bestOf, signed, weightsText } from '../../../../static/debugger/why-node/weights.js';
import { equal } from '../../assert.js';

const kinds = [
  ['b', 1, 90, 0],
  ['a', 2, 80, 20],
  ['c', 1, 80, 10],
];

export function the_best_total_wins_and_equals_are_counted() {
  equal(bestOf(kinds, [1, 0]), { node: 'b', ties: 1, lead: 10 });
  equal(bestOf(kinds, [1, 1]), { node: 'a', ties: 2, lead: 10 });
  equal(bestOf(kinds, [2, 1]), { node: 'a', ties: 3, lead: 10 });
}

export function without_any_weight_all_nodes_are_equal() {
  equal(bestOf(kinds, [0, 0]), { node: 'a', ties: 4, lead: null });
}

export function changes_have_a_sign() {
  equal(
    [5, 0, -1200].map((value) => signed(value, (n) => n.toLocaleString('en'))),
    ['+5', '0', '\u22121,200'],
  );
}

export function weights_that_were_moved_stand_in_the_address() {
  equal(weightsText(['P', 'Q', 'R'], [1, 2, 3], [1, 0, 30]), 'Q:0,R:30');
  equal(weightsText(['P'], [1], [1]), '');
}
