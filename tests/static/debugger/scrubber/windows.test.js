import { between, fitted, panned, zoomed } from '../../../../static/debugger/scrubber/windows.js';
import { equal, near } from '../../assert.js';

export function zooming_keeps_what_lies_under_the_pointer() {
  const window = zoomed({ low: 0, high: 1000 }, 0.5, 250, 1000, 5);
  equal(window, { low: 125, high: 625 });
  near((250 - 125) / 500, 250 / 1000);
}

export function zooming_out_ends_at_the_whole_run() {
  equal(zoomed({ low: 100, high: 900 }, 4, 200, 1000, 5), { low: 0, high: 1000 });
}

export function no_window_is_shorter_than_the_least() {
  equal(zoomed({ low: 500, high: 510 }, 0.1, 505, 1000, 5), { low: 503, high: 508 });
  equal(fitted({ low: 0, high: 0 }, 3, 5), { low: 0, high: 3 });
}

export function panning_stops_at_the_ends() {
  equal(panned({ low: 100, high: 200 }, 0.25, 1000, 5), { low: 125, high: 225 });
  equal(panned({ low: 10, high: 110 }, -0.25, 1000, 5), { low: 0, high: 100 });
  equal(panned({ low: 900, high: 1000 }, 0.25, 1000, 5), { low: 900, high: 1000 });
}

export function a_short_window_moves_by_one_at_least() {
  equal(panned({ low: 1, high: 2 }, 0.25, 9, 1), { low: 2, high: 3 });
}

export function a_range_is_dragged_in_either_direction() {
  equal(between(7.6, 2.2, 100, 1), { low: 2, high: 8 });
  equal(between(2.2, 7.6, 100, 1), { low: 2, high: 8 });
}
