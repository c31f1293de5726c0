import { both, free, roomIn } from '../../../static/common/toast_place.js';
import { equal } from '../assert.js';

const box = (left, right) => ({ left, right });
const bar = (top, bottom, ...stretches) => ({ top, bottom, stretches });

export function free_is_what_no_box_takes_with_room_to_the_boxes() {
  equal(free(0, 1000, [box(600, 700), box(0, 100)]), [
    [108, 592],
    [708, 1000],
  ]);
  equal(free(0, 100, [box(0, 100)]), []);
}

export function both_are_the_stretches_that_two_bars_share() {
  equal(both([[100, 500]], [[300, 900]]), [[300, 500]]);
}

export function toasts_stand_in_both_bars_or_one_of_them_or_in_none() {
  const [upper, lower] = [bar(0, 44, [100, 500]), bar(44, 82, [150, 900])];
  equal(roomIn([upper, lower], 2), { left: 150, right: 500, top: 0, bottom: 82 });
  const full = bar(44, 82);
  equal(roomIn([upper, full], 1), { left: 100, right: 500, top: 0, bottom: 44 });
  equal(roomIn([upper, full], 2), null);
  equal(roomIn([full], 1), null);
}
