/* Addresses of cursors as the page's scripts put them together; the server has the same rules (dashboard/debugger/cursor). */

const LASTING = [
  'tab',
  'values',
  'map',
  'cluster',
  'table_sort',
  'step',
  'plugin',
  'node',
  'q',
  'pods',
  'hits',
  'sort',
  'order',
];
/* What the list of events is narrowed to. */
const EVENTS = ['kinds', 'about', 'from', 'to', 'chain', 'fold'];
/* A step by event stays with the selected pod; one to another cycle selects the pod that is decided there. */
const SELECTED = ['pod', 'uid'];
const MOMENTS = ['seq', 'cycle', 'near'];
/* Changes of these alone concern the inspector only: addresses of another moment do not keep them, so no other pane's links hold them. */
const INSPECTOR = new Set(['page', 'open']);

/** Return the address with these parameters changed; another moment (seq, cycle, near) drops what belonged to the one before. */
export function changed(address, changes) {
  const old = new URL(address);
  const moves = MOMENTS.some((name) => name in changes);
  const lasting = [...LASTING, ...EVENTS, ...('seq' in changes ? SELECTED : [])];
  const query = new URLSearchParams();
  for (const [name, value] of old.searchParams) if (!moves || lasting.includes(name)) query.set(name, value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, String(value));
  }
  return `${old.pathname}?${query}`;
}

/** Return whether two addresses differ in nothing but what the inspector shows. */
export function differInInspector(one, other) {
  const [old, fresh] = [new URL(one).searchParams, new URL(other).searchParams];
  const different = [...new Set([...old.keys(), ...fresh.keys()])].filter((name) => old.get(name) !== fresh.get(name));
  return different.length > 0 && different.every((name) => INSPECTOR.has(name));
}

/** Return the address without its moment: a run that goes on is followed there. */
export function withoutMoment(address) {
  const url = new URL(address);
  for (const name of MOMENTS) url.searchParams.delete(name);
  return url.href;
}

/** Return the query of the moment and of what is selected there: another page of the run shows the same. */
export function momentOf(address) {
  const old = new URL(address).searchParams;
  const kept = ['seq', 'cycle', 'point', 'call', ...SELECTED, 'node', 'hits'].filter((name) => old.get(name));
  return kept.length ? `?${new URLSearchParams(kept.map((name) => [name, old.get(name)]))}` : '';
}
