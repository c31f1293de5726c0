import { changedRows } from '../../../../static/debugger/outcomes/live.js';
import { equal } from '../../assert.js';

export function rows_that_came_went_or_moved_are_counted() {
  equal(changedRows(['a', 'b', 'c'], ['a', 'b', 'c']), 0);
  equal(changedRows(['a', 'b', 'c'], ['a', 'c', 'b']), 2);
  equal(changedRows(['a', 'b'], ['a', 'b', 'c']), 1);
  equal(changedRows(['a', 'b', 'c'], ['a']), 2);
}
