import { endOf, switchOf } from '../../../static/live/endings.js';
import { equal } from '../assert.js';

export function a_run_that_ends_or_stops_is_said_once() {
  equal(endOf('run 7', 'running', 'finished'), '✓ run 7 finished');
  equal(endOf('run 7', 'cancelling', 'cancelled'), '✗ run 7 cancelled');
  equal(endOf('night', 'queued', 'failed'), '✗ night failed');
  equal(endOf('run 7', 'running', 'stopped'), '‖ run 7 stopped');
  for (const [before, state] of [
    ['finished', 'finished'],
    ['queued', 'running'],
    ['stopped', 'finished'],
    [undefined, 'finished'],
  ])
    equal(endOf('run 7', before, state), '');
}

export function notifications_are_on_only_where_both_reader_and_browser_want_them() {
  const states = (permission) => [true, false].map((wanted) => switchOf(permission, wanted).on);
  equal(states('granted'), [true, false]);
  for (const permission of ['default', 'denied', null]) equal(states(permission), [false, false]);
}

export function the_switch_says_why_it_cannot_be_turned() {
  equal(
    ['granted', 'default', 'denied', null].map((one) => switchOf(one, true).isAble),
    [true, true, false, false],
  );
  equal(/https/.test(switchOf(null, true).text), true);
  equal(/settings/.test(switchOf('denied', true).text), true);
}
