import { addressAt, cycleAt } from '../../../static/compare/compare.js';
import { equal } from '../assert.js';

export function the_upper_half_is_a_and_the_lower_half_b() {
  equal(cycleAt(0, 0.2, [10, 5]), { side: 'a', cycle: 1 });
  equal(cycleAt(0.45, 0.8, [10, 5]), { side: 'b', cycle: 5 });
}

export function behind_the_last_attempt_of_a_side_there_is_none() {
  equal(cycleAt(0.99, 0.2, [10, 5]), { side: 'a', cycle: 10 });
  equal(cycleAt(1, 0.2, [10, 5]), { side: 'a', cycle: 10 });
  equal(cycleAt(0.6, 0.8, [10, 5]), null);
  equal(cycleAt(0.5, 0.2, [0, 0]), null);
}

export function an_address_gets_the_cycle_of_one_side() {
  equal(addressAt('/c/?a=1&b=2&b_cycle=7&q=x', { side: 'a', cycle: 3 }), '/c/?a=1&b=2&q=x&a_cycle=3');
}
