import { leftOf } from '../../../static/debugger/readings.js';
import { equal } from '../assert.js';

export function what_is_left_of_a_group_is_what_the_lit_set_does_not_have() {
  equal(leftOf(['A'], 0, 'A'), 0);
  equal(leftOf(['A', 'B', 'C'], 0, 'BC'), 1);
  equal(leftOf(['B'], 2, 'B'), 2);
  equal(leftOf(['A', 'B'], 0, ''), 2);
}
