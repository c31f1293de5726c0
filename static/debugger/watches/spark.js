/* A watch as a small line over the run: for each column the least and the most that the value was in it, so that no spike is lost. Pure. */
import { upTo } from './changes.js';

/** Return for each of `count` columns how far its end is: {seq, change}, where `change` counts the changes up to there. */
export function edges(axis, changes, count) {
  const found = [];
  for (let i = 0; i <= count; i++) {
    const coordinate = axis.coordinate(i / count);
    const seq = i === count && !axis.isZoomed ? Infinity : axis.seqAt(coordinate);
    const change = axis.isFolded || seq === Infinity ? upTo(changes.seqs, seq) : upTo(changes.ats, coordinate);
    found.push({ seq, change });
  }
  return found;
}

/** Return for each column {low, high, first, last}, or null where no number is known in it. */
export function columns(changes, ends) {
  const found = [];
  for (let i = 1; i < ends.length; i++) {
    // What held at the beginning counts too.
    const begin = Math.max(ends[i - 1].change - 1, 0);
    const end = Math.max(ends[i].change, begin + 1);
    found.push(
      ends[i - 1].seq > changes.reached ? null : extremes(changes.numbers, begin, Math.min(end, changes.length)),
    );
  }
  return found;
}

function extremes(numbers, begin, end) {
  let column = null;
  for (let i = begin; i < end; i++) {
    const value = numbers[i];
    if (value === null) continue;
    if (!column) column = { low: value, high: value, first: value, last: value };
    column.low = Math.min(column.low, value);
    column.high = Math.max(column.high, value);
    column.last = value;
  }
  return column;
}

/** Return the least and the most of all columns, null where none has a number. */
export function range(found) {
  const known = found.filter(Boolean);
  if (!known.length) return null;
  return { low: Math.min(...known.map((one) => one.low)), high: Math.max(...known.map((one) => one.high)) };
}

/** Return the line as the data of a path: a column is one wide, the least lies at `height`. */
export function line(found, height) {
  const whole = range(found);
  if (!whole) return '';
  const scale = whole.high > whole.low ? height / (whole.high - whole.low) : 0;
  const y = (value) => Number((scale ? height - (value - whole.low) * scale : height / 2).toFixed(2));
  const parts = [];
  let isOn = false;
  found.forEach((column, x) => {
    if (column) {
      parts.push(`${isOn ? 'L' : 'M'}${x} ${y(column.first)}`);
      if (column.low < column.high) parts.push(`V${y(column.low)}V${y(column.high)}V${y(column.last)}`);
      parts.push(`H${x + 1}`);
    }
    isOn = column !== null;
  });
  return parts.join('');
}
