/* Virtual time in words, as scheduler_core/recording/times.py has it: a moment is a clock, with the digits that its place
   needs, a span has units. All times are microseconds since the start of the run. */

const MS = 1e3;
const SECOND = 1e6;
const HOUR = 3.6e9;
const STEPS = [1e3, 1e4, 1e5, 1e6, 5e6, 1e7, 3e7, 6e7, 3e8, 6e8, 1.8e9, 3.6e9, 1.08e10];

const two = (value) => String(value).padStart(2, '0');

/** Return a time as 27:39 or 00:00.250, fine enough for the step between two of them. */
export function clock(us, step = SECOND) {
  const ms = Math.round(us / MS);
  const [h, m, s] = [Math.floor(ms / 3.6e6), Math.floor(ms / 6e4) % 60, Math.floor(ms / 1000) % 60];
  const tail = step < SECOND ? `.${String(ms % 1000).padStart(3, '0')}` : '';
  return `${h ? `${h}:` : ''}${two(m)}:${two(s)}${tail}`;
}

/** Return a span as it is written everywhere: 10 s, 4 min 10 s, 1 h 20 min. */
export function span(us) {
  if (us < SECOND) return `${Math.round(us / MS)} ms`;
  const seconds = Math.round(us / SECOND);
  if (seconds < 60) return `${seconds} s`;
  const [larger, unit, smaller, rest] =
    seconds < 3600
      ? [Math.floor(seconds / 60), 'min', seconds % 60, 's']
      : [Math.floor(seconds / 3600), 'h', Math.floor(seconds / 60) % 60, 'min'];
  return `${larger} ${unit}${smaller ? ` ${smaller} ${rest}` : ''}`;
}

/** Return a time for the ear: "1 minute 4 seconds". */
export function words(us) {
  const s = us / SECOND;
  if (s < 60) return `${s.toFixed(s < 1 ? 3 : 1)} seconds`;
  const counted = (value, one) => `${value} ${one}${value === 1 ? '' : 's'}`;
  const hours = Math.floor(s / 3600);
  return `${hours ? `${counted(hours, 'hour')} ` : ''}${counted(Math.floor(s / 60) % 60, 'minute')} ${counted(Math.floor(s % 60), 'second')}`;
}

/** Return the whole virtual time as the clock of the page has it: 00:27:39.250. */
export function full(us) {
  const ms = Math.round(us / MS);
  return `${two(Math.floor(ms / 3.6e6))}:${two(Math.floor(ms / 6e4) % 60)}:${two(Math.floor(ms / 1000) % 60)}.${String(ms % 1000).padStart(3, '0')}`;
}

/** Return the step between labels of a stretch of time so that there are at most `most` of them. */
export function stepFor(length, most) {
  return STEPS.find((one) => length / one <= most) ?? HOUR * Math.ceil(length / HOUR / most);
}
