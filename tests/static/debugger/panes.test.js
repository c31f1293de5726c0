import { fitting } from '../../../static/debugger/panes.js';
import { equal } from '../assert.js';

export function a_pane_is_never_too_narrow_to_read() {
  equal(fitting(12, 1280, 576), 180);
}

export function a_pane_leaves_room_for_the_map() {
  equal(fitting(5000, 1280, 252), 868);
}

export function a_width_between_is_taken_in_whole_pixels() {
  equal(fitting(300.4, 1280, 576), 300);
}
