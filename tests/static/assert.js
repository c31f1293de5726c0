/* What tests of scripts compare with. */

/** Fail unless both are the same values all the way down. */
export function equal(actual, expected) {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) throw new Error(`${is} is not ${should}`);
}

/** Fail unless the numbers differ by less than `within`. */
export function near(actual, expected, within = 1e-6) {
  if (!(Math.abs(actual - expected) < within)) throw new Error(`${actual} is not near ${expected}`);
}

/** Fail unless what is given holds. */
export function ok(holds, what = 'it') {
  if (!holds) throw new Error(`${what} does not hold`);
}
