/* Windows of the strip: {low, high} on an axis that ends at `whole`, in whole cycles or microseconds. */

/** Return the window moved and cut so that it lies on the axis and is no shorter than `least`. */
export function fitted({ low, high }, whole, least) {
  const length = Math.min(Math.max(Math.round(high - low), Math.min(least, whole)), whole);
  const from = Math.min(Math.max(Math.round(low), 0), whole - length);
  return { low: from, high: from + length };
}

/** Return the window `factor` times as long; what lies at the coordinate stays in its place. */
export function zoomed({ low, high }, factor, around, whole, least) {
  const kept = Math.min(Math.max(around, low), high);
  const length = Math.min(Math.max((high - low) * factor, least), whole);
  const from = kept - ((kept - low) / (high - low)) * length;
  return fitted({ low: from, high: from + length }, whole, least);
}

/** Return the window moved by a part of its length. */
export function panned({ low, high }, part, whole, least) {
  const by = Math.round((high - low) * part) || Math.sign(part);
  return fitted({ low: low + by, high: high + by }, whole, least);
}

/** Return the window between two coordinates, in any order. */
export function between(one, other, whole, least) {
  return fitted({ low: Math.floor(Math.min(one, other)), high: Math.ceil(Math.max(one, other)) }, whole, least);
}
