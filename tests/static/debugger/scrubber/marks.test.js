import { merged, told, troubles } from '../../../../static/debugger/scrubber/marks.js';
import { equal } from '../../assert.js';

const quiet = { preemption: null, failure: null, error: null, preemptions: 0, unschedulable: 0, errors: 0 };
const mark = (x, cycle, changes = {}) => ({
  x,
  cycle,
  kind: 'failure',
  preemptions: 0,
  failures: 1,
  errors: 0,
  ...changes,
});

export function stretches_without_trouble_have_no_mark() {
  equal(troubles([quiet]), []);
}

export function a_preemption_wins_over_failures_of_its_stretch() {
  const found = troubles([{ ...quiet, preemption: 7, failure: 5, preemptions: 1, unschedulable: 3 }]);
  equal(found, [{ cycle: 7, kind: 'preemption', preemptions: 1, failures: 3, errors: 0 }]);
}

export function neighbours_become_one_mark_with_their_count() {
  const found = merged([mark(0, 1), mark(4, 2), mark(20, 3)], 11);
  equal(
    found.map(({ x, cycle, failures }) => [x, cycle, failures]),
    [
      [0, 1, 2],
      [20, 3, 1],
    ],
  );
}

export function a_preemption_among_failures_takes_the_mark() {
  const [found] = merged([mark(0, 1), mark(5, 2, { kind: 'preemption', preemptions: 1 })], 11);
  equal([found.kind, found.cycle, found.failures, found.preemptions], ['preemption', 2, 2, 1]);
}

export function marks_are_merged_in_order_of_place() {
  equal(
    merged([mark(30, 3), mark(0, 1)], 11).map(({ cycle }) => cycle),
    [1, 3],
  );
}

export function a_mark_says_what_it_stands_for() {
  const [one] = merged([mark(0, 28)], 11);
  equal(told(one), '1 failure in cycle 28');
  const [many] = merged([mark(0, 1001, { failures: 2 }), mark(5, 1002, { kind: 'preemption', preemptions: 1 })], 11);
  equal(told(many), '1 preemption, 2 failures between cycles 1,001 and 1,002');
  equal(told({ cycle: 3, first: 3, until: 3, threads: 2 }), '2 threads in cycle 3');
}
