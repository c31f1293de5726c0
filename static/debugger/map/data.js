/* The data of the map as the page carries it (panels/cluster_map/picture.py), unpacked, and what is said of one node. Pure. */

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

function bytes(text) {
  const raw = atob(text);
  const found = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) found[i] = raw.charCodeAt(i);
  return found;
}

function totalsOf(packed, count) {
  const found = Array.from({ length: count }, () => null);
  if (!packed) return found;
  const raw = bytes(packed.index);
  const isWide = raw.length > count;
  for (let i = 0; i < count; i++) {
    const index = isWide ? raw[2 * i] + 256 * raw[2 * i + 1] : raw[i];
    if (index) found[i] = packed.values[index - 1];
  }
  return found;
}

/** Return the data with arrays in place of text: states and shares as bytes, isEqual as 0 or 1, equals as their count, totals as numbers or null. */
export function unpacked(data) {
  const packed = bytes(data.states);
  const count = packed.length;
  const isEqual = packed.map((state) => (state & EQUAL ? 1 : 0));
  return {
    ...data,
    count,
    states: packed.map((state) => state & (EQUAL - 1)),
    isEqual,
    equals: isEqual.reduce((sum, one) => sum + one, 0),
    shares: bytes(data.shares),
    beside: data.beside && { resource: data.beside.resource, shares: bytes(data.beside.shares) },
    totals: totalsOf(data.totals, count),
  };
}

/** Return what the tooltip says of the node at a place, line by line, below its name. */
export function linesOf(data, place) {
  const total = data.totals[place];
  const verdict = [
    WORDS[data.states[place]],
    total !== null && `total ${number.format(total)}`,
    data.isEqual[place] && 'drawn among equals',
  ];
  const shares = [
    `${data.resource} ${data.shares[place]} %`,
    data.beside && `${data.beside.resource} ${data.beside.shares[place]} %`,
  ];
  const group = data.groups.length > 1 && data.groups.find(({ start, end }) => start <= place && place < end)?.name;
  return [verdict, shares, [group]].map((parts) => parts.filter(Boolean).join(' · ')).filter(Boolean);
}
