import { linesOf, STATE, totalAt, unpacked } from '../../../../static/debugger/map/data.js';
import { equal } from '../../assert.js';

const base64 = (...bytes) => btoa(String.fromCharCode(...bytes));

const data = (changes = {}) => ({
  version: '3-abc',
  resource: 'gpu',
  states: base64(1 + 8, 2, 3),
  shares: base64(50, 100, 0),
  beside: { resource: 'cpu', shares: base64(10, 20, 30) },
  totals: { values: [1458], index: base64(1, 0, 0) },
  groups: [
    { name: 'T4', start: 0, end: 2 },
    { name: 'no gpu', start: 2, end: 3 },
  ],
  ...changes,
});

export function states_and_equals_are_told_apart() {
  const found = unpacked(data());
  equal([...found.states], [STATE.fits, STATE.refused, STATE.unresolvable]);
  equal([...found.isEqual], [1, 0, 0]);
  equal(found.equals, 1);
  equal([...found.shares], [50, 100, 0]);
  equal(found.count, 3);
}

const totalsOf = (found) => [0, 1, 2].map((place) => totalAt(unpacked(found), place));

export function totals_are_numbers_or_null_of_one_byte_or_two() {
  equal(totalsOf(data()), [1458, null, null]);
  const wide = { values: Array.from({ length: 300 }, (_, k) => 1000 + k), index: base64(44, 1, 0, 0, 1, 0) };
  equal(totalsOf(data({ totals: wide })), [1299, null, 1000]);
  equal(totalsOf(data({ totals: null })), [null, null, null]);
}

export function the_tooltip_says_verdict_total_shares_and_group() {
  const found = unpacked(data());
  equal(linesOf(found, 0), ['fits · total 1,458 · drawn among equals', 'gpu 50 % · cpu 10 %', 'T4']);
  equal(linesOf(found, 1), ['refused', 'gpu 100 % · cpu 20 %', 'T4']);
}

export function without_verdict_and_other_resource_the_tooltip_is_shorter() {
  const found = unpacked(
    data({ states: base64(0, 0, 0), beside: null, totals: null, groups: [{ name: 'all nodes' }] }),
  );
  equal(linesOf(found, 2), ['gpu 0 %']);
}

export function a_browser_that_does_not_decode_base64_itself_gets_the_same() {
  const own = Uint8Array.fromBase64;
  const expected = unpacked(data());
  try {
    delete Uint8Array.fromBase64;
    const found = unpacked(data());
    equal([...found.states], [...expected.states]);
    equal([...found.shares], [...expected.shares]);
  } finally {
    if (own) Object.defineProperty(Uint8Array, 'fromBase64', { value: own, configurable: true, writable: true });
  }
}
