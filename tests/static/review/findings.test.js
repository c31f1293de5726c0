import { nextPlace } from '../../../static/review/findings.js';
import { equal } from '../assert.js';

export function the_walk_goes_around() {
  equal([nextPlace(-1, 1, 3), nextPlace(0, 1, 3), nextPlace(2, 1, 3)], [0, 1, 0]);
  equal([nextPlace(-1, -1, 3), nextPlace(0, -1, 3), nextPlace(1, -1, 3)], [2, 2, 0]);
}
