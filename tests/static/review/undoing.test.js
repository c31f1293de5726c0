import { undoneBy } from '../../../static/review/undoing.js';
import { equal } from '../assert.js';

export function resolving_is_undone_by_opening_again_and_the_other_way_round() {
  equal(undoneBy('/w/team/threads/7/resolve'), {
    said: 'Thread resolved',
    address: '/w/team/threads/7/reopen',
    stays: 'resolved',
  });
  equal(undoneBy('/w/team/threads/7/reopen'), {
    said: 'Thread open again',
    address: '/w/team/threads/7/resolve',
    stays: 'open',
  });
}

export function other_forms_are_not_undone() {
  equal(undoneBy('/w/team/threads/7/reply'), null);
  equal(undoneBy('/w/team/reviews/3/reopen'), null);
}
