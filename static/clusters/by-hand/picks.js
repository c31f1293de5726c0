/* The selected objects of the editor, each as "Kind/namespace/name": those picked with Ctrl, Shift, a frame or a filter, else the one
   that the address selects. A long list is not in the address; the filter that found it is. Told on the document: picks:changed. */

const SINGLE = ['node', 'pod', 'kind', 'ns', 'name'];
// What an address may hold of single objects.
const LONGEST = 1500;

const ids = new Set();
let filter = '';

export const idOf = { node: (name) => `Node//${name}`, pod: (key) => `Pod/${key}` };

/** Return the id of the object that an address selects, "" for none. */
export function singleIn(search) {
  const asked = new URLSearchParams(search);
  const [node, pod, kind, ns, name] = SINGLE.map((one) => asked.get(one) ?? '');
  if (pod) return idOf.pod(pod);
  if (node) return idOf.node(node);
  return kind && name ? `${kind}/${ns}/${name}` : '';
}

/** Return the id of what a link of the tree or map selects, "" for none. */
export function idOfLink(link) {
  const { mapNode, mapPod, mapObject } = link.dataset;
  if (mapNode) return idOf.node(mapNode);
  return mapPod ? idOf.pod(mapPod) : singleIn(mapObject ?? '');
}

/** Return all that is selected. */
export function picks() {
  if (ids.size) return [...ids];
  const single = singleIn(location.search);
  return single ? [single] : [];
}

/** Return whether several were picked, or one with Ctrl. */
export const isPicked = (id) => ids.has(id);
export const hasPicks = () => ids.size > 0;

/** Return the filter whose finds are selected, "" where they were picked otherwise. */
export const filterOf = () => filter;

function tell() {
  const url = new URL(location.href);
  const list = [...ids].map(encodeURIComponent).join(',');
  url.searchParams.delete('sel');
  url.searchParams.delete('selq');
  if (filter) url.searchParams.set('selq', filter);
  else if (list && list.length <= LONGEST) url.searchParams.set('sel', list);
  if (url.href !== location.href) history.replaceState(history.state, '', url);
  document.dispatchEvent(new CustomEvent('picks:changed'));
}

/** Select exactly these; `found` is the filter that found them. */
export function pick(some, found = '') {
  ids.clear();
  for (const id of some) ids.add(id);
  filter = found;
  tell();
}

/** Select these too. What the address selects is the first of several. */
export function add(some) {
  const single = ids.size ? '' : singleIn(location.search);
  pick([...(single ? [single] : []), ...ids, ...some]);
}

/** Select one more, or one less. */
export function toggle(id) {
  const before = picks();
  pick(before.includes(id) ? before.filter((one) => one !== id) : [...before, id]);
}

/** Select what a filter finds; returns how many that is. */
export async function pickFound(url, q) {
  const asked = new URL(url, location.href);
  asked.searchParams.set('q', q);
  const answer = await fetch(asked, { headers: { Accept: 'application/json' } });
  if (!answer.ok) throw new Error(`the objects that a filter finds: ${answer.status}`);
  const { objects } = await answer.json();
  pick(objects, q);
  return objects.length;
}

/** Select what the address says. */
export async function pickFromAddress(url) {
  const asked = new URLSearchParams(location.search);
  if (asked.get('selq')) await pickFound(url, asked.get('selq')).catch(() => 0);
  else if (asked.get('sel')) pick(asked.get('sel').split(',').map(decodeURIComponent));
}
