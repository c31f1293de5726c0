/* Totals of nodes with moved weights. */

/** Return {node, ties, lead}: the first by name of the `ties` nodes with the best total, and its lead over the next (null without one).
    `kinds` are [first node by name, how many, normalised scores...] of nodes with equal scores. */
export function bestOf(kinds, weights) {
  const totals = kinds.map(([node, count, ...norms]) => ({
    node,
    count,
    total: norms.reduce((sum, norm, i) => sum + norm * weights[i], 0),
  }));
  const most = Math.max(...totals.map(({ total }) => total));
  const best = totals.filter(({ total }) => total === most);
  const rest = totals.filter(({ total }) => total < most).map(({ total }) => total);
  return {
    node: best.map(({ node }) => node).sort()[0],
    ties: best.reduce((sum, { count }) => sum + count, 0),
    lead: rest.length ? most - Math.max(...rest) : null,
  };
}

/** Return a change with its sign: +6, a true minus, 0. */
export function signed(value, format) {
  return value === 0 ? '0' : `${value > 0 ? '+' : '\u2212'}${format(Math.abs(value))}`;
}

/** Return "P:3,Q:0" of the plugins whose weight was moved, "" where none was. */
export function weightsText(plugins, recorded, moved) {
  const changed = plugins.map((plugin, i) => [plugin, i]).filter(([, i]) => moved[i] !== recorded[i]);
  return changed.map(([plugin, i]) => `${plugin}:${moved[i]}`).join();
}
