/* Selected objects in words. Each is "Kind/namespace/name". */
export const grouped = (number) => number.toLocaleString('en-US');
export const nameOf = (id) => id.slice(id.indexOf('/', id.indexOf('/') + 1) + 1);
export const kindOf = (id) => id.slice(0, id.indexOf('/'));

function plural(kind) {
  if (kind.endsWith('s')) return `${kind}es`;
  return kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}

function countsOf(ids) {
  const counts = new Map();
  for (const id of ids) counts.set(kindOf(id), (counts.get(kindOf(id)) ?? 0) + 1);
  return counts;
}

/** Return what several are, beside their number: their kind, or how many there are of each. */
export function kindsOf(ids) {
  return countsOf(ids).size === 1 ? plural(kindOf(ids[0])) : words(ids);
}

/** Return the name of one object, or of several how many there are of each kind. */
export function words(ids) {
  if (ids.length === 1) return `${kindOf(ids[0])} ${nameOf(ids[0])}`;
  return [...countsOf(ids)].map(([kind, count]) => `${grouped(count)} ${count === 1 ? kind : plural(kind)}`).join(', ');
}
