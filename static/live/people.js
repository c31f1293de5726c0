/* What is computed of people and places: the server's words for them are in dashboard/live/presence/messages.py. */

const RUN_PAGES = {
  '': 'Debugger',
  outcomes: 'Outcomes',
  events: 'Events',
  why: 'Why pending',
  search: 'Search',
  review: 'Review',
  cycles: 'Threads',
  branch: 'Branch',
};
const ROOM = /^(?:(runs|reviews)\/[1-9]\d{0,9}\/|compare\/|clusters\/[a-z0-9-]+\/drafts\/[1-9]\d{0,9}\/)/;
const IN_DRAFT = /^clusters\/[a-z0-9-]+\//;
const DRAFT = /^[1-9]\d{0,9}$/;
/* Of a draft's pages others hear which object is open, and not how it was found. */
const TOLD = ['draft', 'node', 'pod', 'kind', 'ns', 'name', 'new'];
const CLUSTER_PAGES = { '': 'Changes', edit: 'Editor' };

/** Return the place {path, query} of an address below the workspace's root, null where nobody meets. */
export function placeOf(address, root) {
  const { pathname, searchParams } = new URL(address);
  if (!pathname.startsWith(root)) return null;
  const path = pathname.slice(root.length);
  const isInDraft = IN_DRAFT.test(path) && (ROOM.test(path) || DRAFT.test(searchParams.get('draft') ?? ''));
  if (!(isInDraft || ROOM.test(path)) || !/^(?:[a-z0-9-]+\/)+$/.test(path)) return null;
  if (!isInDraft) return { path, query: String(searchParams) };
  const told = TOLD.flatMap((name) => (searchParams.get(name) ? [[name, searchParams.get(name)]] : []));
  return { path, query: String(new URLSearchParams(told)) };
}

/** Return the object that a place in a draft has open: "Node node-a", "" for none. */
export function objectAt({ path, query }) {
  if (!IN_DRAFT.test(path)) return '';
  const values = new URLSearchParams(query);
  const [node, pod, kind, name, made] = ['node', 'pod', 'kind', 'name', 'new'].map((one) => values.get(one) ?? '');
  if (made) return `a new ${made}`;
  if (pod) return `Pod ${pod}`;
  if (node) return `Node ${node}`;
  const ns = values.get('ns');
  return kind && name ? `${kind} ${ns ? `${ns}/` : ''}${name}` : '';
}

/** Return whether both places are the same; the order of what the query holds says nothing. */
export function isSame(one, other) {
  if (!one || !other || one.path !== other.path) return false;
  const parts = ({ query }) => [...new URLSearchParams(query)].map(String).toSorted().join('&');
  return parts(one) === parts(other);
}

/** Return a place in a few words for lists: "Cycle 28, Debugger". */
export function placeWords({ path, query }) {
  const values = new URLSearchParams(query);
  const [kind, number, page = '', , part = ''] = path.split('/');
  if (kind === 'clusters') {
    const name = page === 'drafts' ? (CLUSTER_PAGES[part] ?? part) : page || 'Cluster';
    return objectAt({ path, query }) || name[0].toUpperCase() + name.slice(1);
  }
  if (kind === 'compare') return 'Comparison';
  if (kind === 'reviews') return `Review ${number}`;
  const name = RUN_PAGES[page] ?? page;
  const cycle = values.get('cycle');
  if (/^\d+$/.test(cycle ?? '')) return `${name}, cycle ${cycle}`;
  const seq = values.get('seq');
  return /^\d+$/.test(seq ?? '') ? `${name}, event ${seq}` : name;
}

/** Return {people, left} with a message of the server taken in; `people` is a Map by id. */
export function taken(people, { here, left, all }) {
  const next = all ? new Map() : new Map(people);
  for (const { id } of left) next.delete(id);
  for (const person of here) next.set(person.id, person);
  return next;
}

/** Return those of the message who point at something that they did not point at before: [person, ...]. */
export function pointing(people, { here, all }) {
  if (all) return [];
  return here.filter(({ id, spot }) => spot && spot.n !== (people.get(id)?.spot?.n ?? 0));
}

/** Return what a list of people reads as: "Asha, Ben and 3 more". */
export function namesOf(people, most = 5) {
  const names = people.map(({ name }) => name);
  const shown = names.length > most ? [...names.slice(0, most - 1), `${names.length - most + 1} more`] : names;
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}` : shown.join('');
}
