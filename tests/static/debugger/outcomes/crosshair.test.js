import { nearest } from '../../../../static/debugger/outcomes/crosshair.js';
import { equal } from '../../assert.js';

export function the_nearest_sample_is_taken_the_earlier_of_equals() {
  const places = [0, 0.25, 0.5, 1];
  equal(
    [-1, 0, 0.2, 0.375, 0.38, 0.76, 2].map((x) => nearest(places, x)),
    [0, 0, 1, 1, 2, 3, 3],
  );
}

export function one_sample_is_always_the_nearest() {
  equal(nearest([0], 0.7), 0);
}
