import { clock, full, span, stepFor, words } from '../../../../static/debugger/scrubber/times.js';
import { equal, ok } from '../../assert.js';

export function a_clock_is_as_fine_as_the_step_between_its_labels() {
  equal(clock(1659e6), '27:39');
  equal(clock(250e3, 1e5), '00:00.250');
  equal(clock(3723e6), '1:02:03');
}

export function a_span_has_units() {
  equal([59e3, 10e6, 299e6, 300e6, 3600e6, 4800e6].map(span), [
    '59 ms',
    '10 s',
    '4 min 59 s',
    '5 min',
    '1 h',
    '1 h 20 min',
  ]);
}

export function screen_readers_hear_units() {
  equal([12e3, 64e6, 3661e6].map(words), ['0.012 seconds', '1 minute 4 seconds', '1 hour 1 minute 1 second']);
}

export function the_whole_time_has_milliseconds() {
  equal(full(1659.25e6), '00:27:39.250');
}

export function there_are_never_more_labels_than_asked_for() {
  for (const length of [1, 1e4, 5e6, 6e7, 9e9, 9e11]) ok(length / stepFor(length, 7) <= 7, length);
}
