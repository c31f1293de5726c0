import { chosenRow, keyOf } from '../../../static/review/things.js';
import { equal } from '../assert.js';

export function things_of_a_run_have_one_key_each() {
  equal(keyOf({ kind: 'move', seq: 12, pod: 'a/b' }), keyOf({ kind: 'move', seq: '12' }));
  equal(keyOf({ kind: 'victim', cycle: 3, pod: 'a/b', uid: '' }), keyOf({ kind: 'victim', cycle: '3', pod: 'a/b' }));
  equal(
    keyOf({ kind: 'score', cycle: 3, plugin: 'Fit', node: 'n' }) ===
      keyOf({ kind: 'verdict', cycle: 3, plugin: 'Fit', node: 'n' }),
    false,
  );
  equal(keyOf({ cycle: 4 }), 'cycle 4');
}

export function the_row_with_the_focus_is_chosen_before_that_of_the_cursor() {
  const focused = { closest: () => 'focused' };
  equal(chosenRow({ activeElement: focused, querySelector: () => 'cursor' }), 'focused');
  equal(chosenRow({ activeElement: { closest: () => null }, querySelector: () => 'cursor' }), 'cursor');
}
