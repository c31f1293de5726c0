import { flow } from '../../../../static/debugger/map/flow.js';
import { Spots } from '../../../../static/debugger/map/spots.js';
import { equal, ok } from '../../assert.js';

const GROUPS = [
  { start: 0, end: 70 },
  { start: 70, end: 75 },
  { start: 75, end: 76 },
];

function spotsOf(ratio) {
  const headed = GROUPS.map(({ start, end }) => ({ count: end - start, least: 80 }));
  return new Spots({ count: 76, groups: GROUPS }, flow(headed, { width: 420, height: 300, ratio }), ratio);
}

export function every_square_begins_at_a_whole_device_pixel_and_none_lies_on_another() {
  for (const ratio of [1, 1.25, 2]) {
    const spots = spotsOf(ratio);
    const seen = new Set();
    for (let i = 0; i < 76; i++) {
      const { x, y } = spots.box(i);
      ok(Number.isInteger(Math.round(x * ratio * 1e6) / 1e6) && Number.isInteger(Math.round(y * ratio * 1e6) / 1e6));
      seen.add(`${x} ${y}`);
    }
    equal(seen.size, 76);
  }
}

export function the_node_below_a_point_is_found_in_its_square_and_in_the_gap_behind_it() {
  for (const ratio of [1, 1.25, 2]) {
    const spots = spotsOf(ratio);
    for (const place of [0, 1, 69, 70, 74, 75]) {
      const { x, y } = spots.box(place);
      equal(spots.at(x + 0.1, y + 0.1), place);
      equal(spots.at(x + spots.pitch - 0.1, y + spots.pitch - 0.1), place);
    }
    equal(spots.at(1, 1), -1);
  }
}
