/* The data of the map as the page carries it (panels/cluster_map/picture.py), unpacked, and what is said of one node. Pure. */
import { bytes } from '../../common/bytes.js';

export const STATE = Object.freeze({
  unknown: 0,
  fits: 1,
  refused: 2,
  unresolvable: 3,
  notLookedAt: 4,
  candidate: 5,
  nominated: 6,
});
const EQUAL = 8;
const WORDS = ['', 'fits', 'refused', 'unresolvable', 'not looked at', 'candidate for preemption', 'nominated'];
const number = new Intl.NumberFormat('en');

/** Return the data with arrays in place of text: states and shares as bytes, isEqual as 0 or 1, equals as their count. What only the
 * tooltip says stays packed. */
export function unpacked(data) {
  const states = bytes(data.states);
  const count = states.length;
  const isEqual = new Uint8Array(count);
  let equals = 0;
  for (let i = 0; i < count; i++) {
    if (states[i] < EQUAL) continue;
    states[i] -= EQUAL;
    isEqual[i] = 1;
    equals++;
  }
  return { ...data, count, states, isEqual, equals, shares: bytes(data.shares) };
}

/** Return the total of the node at a place, null where it has none. */
export function totalAt({ totals, count }, place) {
  if (!totals) return null;
  const raw = bytes(totals.index);
  const index = raw.length > count ? raw[2 * place] + 256 * raw[2 * place + 1] : raw[place];
  return index ? totals.values[index - 1] : null;
}

/** Return what the tooltip says of the node at a place, line by line, below its name. */
export function linesOf(data, place) {
  const total = totalAt(data, place);
  const verdict = [
    WORDS[data.states[place]],
    total !== null && `total ${number.format(total)}`,
    data.isEqual[place] && 'drawn among equals',
  ];
  const shares = [
    `${data.resource} ${data.shares[place]} %`,
    data.beside && `${data.beside.resource} ${bytes(data.beside.shares)[place]} %`,
  ];
  const group = data.groups.length > 1 && data.groups.find(({ start, end }) => start <= place && place < end)?.name;
  return [verdict, shares, [group]].map((parts) => parts.filter(Boolean).join(' · ')).filter(Boolean);
}
