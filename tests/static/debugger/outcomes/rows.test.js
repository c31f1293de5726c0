import { moved } from '../../../../static/debugger/outcomes/rows.js';
import { equal } from '../../assert.js';

export function a_step_stays_inside_of_the_list() {
  equal([moved(0, 1, 3), moved(2, 1, 3), moved(0, -1, 3)], [1, 2, 0]);
}

export function a_step_from_nowhere_goes_to_the_first_or_the_last_row() {
  equal([moved(-1, 1, 3), moved(-1, -1, 3)], [0, 2]);
}
