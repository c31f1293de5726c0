import { Axis } from '../../../../static/debugger/scrubber/axis.js';
import { Changes } from '../../../../static/debugger/watches/changes.js';
import { columns, edges, line, range } from '../../../../static/debugger/watches/spark.js';
import { equal, ok } from '../../assert.js';

/* Ten cycles of ten events, one a second. */
const stretches = Array.from({ length: 10 }, (_, i) => ({
  first: i + 1,
  last: i + 1,
  seq: 10 * i,
  end: 10 * i + 9,
  at: i * 1e6,
  until: i * 1e6,
}));
const head = { seq: 100, cycle: 10, at: 1e7 };
const axisOf = (changes = {}) =>
  new Axis({ axis: 'folded', low: 0, high: 10, whole: 10, stretches, gaps: [], head, ...changes });

function series(pairs, reached = 100) {
  const changes = new Changes();
  Object.assign(changes, {
    seqs: pairs.map(([seq]) => seq),
    ats: pairs.map(([seq]) => seq * 1e5),
    numbers: pairs.map(([, number]) => number),
    texts: pairs.map(([, number]) => String(number)),
    reached,
  });
  return changes;
}

const shape = (changes, axis, count = 10) => columns(changes, edges(axis, changes, count));

export function a_spike_within_one_column_is_not_lost() {
  const found = shape(
    series([
      [0, 1],
      [44, 9],
      [45, 1],
    ]),
    axisOf(),
  );
  equal(found.length, 10);
  equal(found[4], { low: 1, high: 9, first: 1, last: 1 });
  equal(found[3], { low: 1, high: 1, first: 1, last: 1 });
  equal(range(found), { low: 1, high: 9 });
}

export function every_change_is_in_one_column_whatever_their_number() {
  const pairs = Array.from({ length: 100 }, (_, i) => [i, (i * 37) % 101]);
  for (const count of [1, 3, 7, 120]) {
    const found = shape(series(pairs), axisOf(), count);
    equal(range(found), { low: 0, high: 100 - 1 + (pairs.some(([, n]) => n === 100) ? 1 : 0) });
    equal(found.at(-1).last, pairs.at(-1)[1]);
  }
}

export function true_time_goes_by_the_times_of_the_changes() {
  const axis = axisOf({ axis: 'time', high: 1e7, whole: 1e7 });
  const found = shape(
    series([
      [0, 1],
      [25, 5],
    ]),
    axis,
  );
  equal(
    found.map((one) => one.last),
    [1, 1, 5, 5, 5, 5, 5, 5, 5, 5],
  );
}

export function a_window_begins_with_what_held_before_it() {
  const axis = axisOf({ low: 5, high: 10, stretches: stretches.slice(5) });
  const found = shape(
    series([
      [0, 1],
      [12, 4],
    ]),
    axis,
    5,
  );
  equal(range(found), { low: 4, high: 4 });
}

export function what_is_not_computed_yet_is_left_open() {
  const found = shape(series([[0, 1]], 49), axisOf());
  equal(
    found.map((one) => one !== null),
    [true, true, true, true, true, false, false, false, false, false],
  );
}

export function values_without_a_number_are_gaps_of_the_line() {
  const found = shape(
    series([
      [0, 1],
      [30, null],
      [60, 3],
    ]),
    axisOf(),
  );
  const path = line(found, 16);
  equal(path.split('M').length - 1, 2);
  ok(path.startsWith('M0 16'));
}

export function a_value_that_never_changes_is_a_line_in_the_middle() {
  equal(line(shape(series([[0, 7]]), axisOf(), 2), 16), 'M0 8H1L1 8H2');
  equal(line([null, null], 16), '');
}
