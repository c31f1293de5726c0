import { Axis } from '../../../../static/debugger/scrubber/axis.js';
import { equal, near, ok } from '../../assert.js';

/** Ten cycles of ten events, one a second, with a minute of silence behind the fourth. */
function stretches(numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
  return numbers.map((n) => {
    const at = n * 1e6 + (n > 4 ? 6e7 : 0);
    return { first: n, last: n, seq: 20 + 10 * (n - 1), end: 29 + 10 * (n - 1), at, until: at };
  });
}

const head = { seq: 130, cycle: 10, at: 71e6 };
const gap = { after: 4, begin: 4e6, end: 65e6 };
const folded = (changes = {}) =>
  new Axis({ axis: 'folded', low: 0, high: 10, whole: 10, stretches: stretches(), gaps: [gap], head, ...changes });
const timed = () => new Axis({ axis: 'time', low: 0, high: 71e6, whole: 71e6, stretches: stretches(), gaps: [], head });

export function cycles_are_equally_wide_and_a_gap_has_a_slot() {
  const axis = folded();
  const widths = axis.stretches.map((one) => axis.span(one)).map(({ from, to }) => to - from);
  for (const width of widths) near(width, 0.096);
  equal(axis.slots().length, 1);
  const [{ from, to }] = axis.slots();
  near(axis.span(axis.stretches[3]).to, from);
  near(axis.span(axis.stretches[4]).from, to);
  near(axis.span(axis.stretches[9]).to, 1);
}

export function a_stretch_around_a_gap_has_a_piece_on_both_sides() {
  const axis = folded({ stretches: [{ first: 3, last: 6, seq: 40, end: 79, at: 3e6, until: 66e6 }] });
  const [{ from, to }] = axis.slots();
  const pieces = axis.pieces(axis.span(axis.stretches[0]));
  equal(
    pieces.map((one) => one.to),
    [from, axis.share(6, true)],
  );
  equal(pieces[1].from, to);
  equal(axis.pieces({ from: 0, to: 0.1 }), [{ from: 0, to: 0.1 }]);
}

export function a_place_on_the_strip_leads_back_to_its_coordinate() {
  for (const axis of [folded(), folded({ gaps: [] }), timed()]) {
    for (let i = 0; i <= 20; i++) {
      const coordinate = axis.low + ((axis.high - axis.low) * i) / 20;
      near(axis.coordinate(axis.share(coordinate)), coordinate, 1e-3);
    }
  }
  near(folded().coordinate(folded().slots()[0].from + 0.01), 4);
}

export function a_cursor_lies_at_its_share_of_the_cycle() {
  const axis = folded();
  equal(axis.ofSeq(0), 0);
  equal(axis.ofSeq(20), 0);
  near(axis.ofSeq(25), 0.5);
  near(axis.ofSeq(60), 4);
  near(axis.ofSeq(120), 10);
  near(axis.ofSeq(130), 10);
  equal(timed().ofSeq(25, 3e6), 3e6);
}

export function what_lies_outside_of_the_window_has_no_place() {
  const axis = folded({ low: 4, high: 6, stretches: stretches([5, 6]), gaps: [] });
  equal(axis.ofSeq(25), null);
  equal(axis.ofSeq(110), null);
  near(axis.ofSeq(65), 4.5);
  equal([axis.ofCycle(4), axis.ofCycle(5), axis.ofCycle(7)], [null, 4.5, null]);
  ok(axis.isZoomed, 'zoomed');
  ok(!folded().isZoomed, 'whole');
}

export function a_place_tells_its_cycle_event_and_time() {
  const axis = folded();
  equal(
    [0, 0.5, 3.99, 4, 9.9, 10].map((one) => axis.cycleAt(one)),
    [1, 1, 4, 5, 10, 10],
  );
  equal(axis.seqAt(0.5), 25);
  near(axis.timeAt(6.5), 67e6);
  equal(timed().cycleAt(0), 0);
  equal(timed().cycleAt(3.5e6), 3);
  equal(timed().timeAt(5), 5);
}

export function many_gaps_leave_most_of_the_strip_to_cycles() {
  const gaps = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((after) => ({ after, begin: 0, end: 1e7 }));
  const axis = folded({ gaps: [...gaps, ...gaps.map(({ after }) => ({ after: after + 0.5, begin: 0, end: 1e7 }))] });
  ok(axis.slot * axis.gaps.length <= 0.4 + 1e-9, 'slots');
}

export function a_run_without_cycles_has_an_axis() {
  const empty = { stretches: [], gaps: [], head: { seq: 0, cycle: 0, at: 0 } };
  const axis = new Axis({ axis: 'folded', low: 0, high: 1, whole: 1, ...empty });
  equal([axis.ofSeq(0), axis.cycleAt(0.5), axis.seqAt(0.5), axis.timeAt(0)], [null, 0, 0, 0]);
}
